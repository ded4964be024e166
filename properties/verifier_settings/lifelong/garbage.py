"""Garbage agents of the lifelong setting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verifier_settings.garbage import Garbage, agents
from verifier_settings.lifelong.environment import LifelongEnvironment
from verifier_settings.lifelong.instance import Public
from verifier_settings.lifelong.plan import LifelongPlan, limits, required, shapes


class LifelongGarbage(Garbage):
    """Garbage for every context is yielded, and its policy is played, in every episode."""

    public: Public

    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        """Play K episodes."""
        public = self.public
        for _k in range(public.K):
            state, context = env.begin_episode()
            plan = self.draw(env.rng)
            self.ask(env.rng, len(plan.targets))
            yield plan
            for h in range(public.H):
                state, _reward = env.step(int(plan.policy[h, state, context]))

    def draw(self, rng: np.random.Generator) -> LifelongPlan:
        """A plan for every context, with the estimates of the representatives."""
        public = self.public
        targets = np.array(public.representatives)
        sizes = shapes(public, public.W, len(targets))
        needed = required(self.yields).union(("Q", "policy"))
        given = self.fields(rng, sizes, limits(public), needed, float(public.H))
        return LifelongPlan(contexts=np.arange(public.W), targets=targets, **given)

    def ask(self, rng: np.random.Generator, targets: int) -> None:
        """Ask for every width that a plan needs."""
        public = self.public
        of = "value" if "psi_estimate" in self.yields else "transition"
        for h in range(public.H):
            self.width(h, self.habit.numbers(rng, (public.S, targets), float(public.H)), of=of)
            if "reward_estimate" in self.yields:
                self.width(h, of="reward")


GARBAGE = agents(LifelongGarbage)
