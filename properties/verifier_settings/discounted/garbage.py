"""Garbage agents of the discounted setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.discounted.environment import DiscountedEnvironment
from verifier_settings.discounted.instance import Public
from verifier_settings.discounted.plan import DiscountedPlan, shapes
from verifier_settings.garbage import Garbage, agents

MIXED = 0.1
"""Share of a policy that goes to all actions alike, so that relative entropies of policies are finite."""


class DiscountedGarbage(Garbage):
    """Garbage is yielded in every epoch; its policy is played until a fair coin of chance 1 - gamma ends the epoch."""

    public: Public

    def run(self, env: DiscountedEnvironment) -> Iterator[DiscountedPlan]:
        """Play T steps."""
        while env.steps < self.public.T:
            plan = self.draw(env.rng)
            self.width(0, plan.V)
            yield plan
            self.play(env, np.exp(plan.log_policy).cumsum(axis=1))

    def draw(self, rng: np.random.Generator) -> DiscountedPlan:
        """A plan whose policy is one."""
        public, sizes = self.public, shapes(self.public, self.yields)
        required = [name for name in sizes if name not in self.yields]
        given = self.fields(rng, sizes, {}, required, float(public.H))
        actions = self.habit.actions(rng, (public.X,), public.A)
        policy = (1 - MIXED) * np.eye(public.A)[actions] + MIXED / public.A
        return replace(DiscountedPlan(**given), log_policy=np.log(policy), eta=1.0 / public.H)

    def play(self, env: DiscountedEnvironment, laws: Array) -> None:
        """An epoch under a policy, given by its cumulative laws."""
        public = self.public
        for _t in range(public.T - env.steps):
            action = int(laws[env.state].searchsorted(env.rng.random(), side="right"))
            env.step(min(action, public.A - 1))
            if env.rng.random() >= public.gamma:
                env.reset()
                return


GARBAGE = agents(DiscountedGarbage)
