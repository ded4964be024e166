"""Agents that learn nothing, in the reward-free setting; see `verifier_settings.garbage`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from verifier_settings.garbage import Garbage, agents
from verifier_settings.reward_free.environment import RewardFreeEnvironment
from verifier_settings.reward_free.instance import Public
from verifier_settings.reward_free.plan import ExplorationPlan, Plan, PlanningPlan, limits, shapes


class RewardFreeGarbage(Garbage):
    """Garbage is yielded, and its policy is played, in every episode and for every reward."""

    public: Public

    def run(self, env: RewardFreeEnvironment) -> Iterator[Plan]:
        """Play K episodes, then plan."""
        for _k in range(self.public.K):
            state = env.begin_episode()
            plan = ExplorationPlan(**self.numbers(env, ExplorationPlan))
            yield plan
            for h in range(self.public.H):
                state = env.step(int(plan.policy[h, state]))
        for _n in range(self.public.rewards):
            env.reveal()
            yield PlanningPlan(**self.numbers(env, PlanningPlan))

    def numbers(self, env: RewardFreeEnvironment, kind: type[Plan]) -> dict[str, Any]:
        """The fields of a plan of this kind, whose widths are asked for."""
        public, known = self.public, {item.name for item in fields(kind)}
        shape = {name: shape for name, shape in shapes(public).items() if name in known}
        found = self.fields(env.rng, shape, limits(public), ("Q", "V", "policy"), float(public.H))
        for h in range(public.H):
            self.width(h, found["V"][h + 1], of="exploration" if kind is ExplorationPlan else "planning")
        return found


GARBAGE = agents(RewardFreeGarbage)
