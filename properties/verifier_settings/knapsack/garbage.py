"""Garbage agents of the knapsack setting."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verifier_settings.garbage import Garbage, agents
from verifier_settings.knapsack.environment import KnapsackEnvironment
from verifier_settings.knapsack.instance import Public
from verifier_settings.knapsack.plan import KnapsackPlan, limits, shapes


class KnapsackGarbage(Garbage):
    """Garbage is yielded, and its policy is played, in every episode."""

    public: Public

    def run(self, env: KnapsackEnvironment) -> Iterator[KnapsackPlan]:
        """Play K episodes."""
        public = self.public
        for _k in range(public.K):
            state = env.begin_episode()
            required = ("Q", "V", "policy")
            plan = KnapsackPlan(**self.fields(env.rng, shapes(public), limits(public), required, float(public.H)))
            self.width(0, of="reward")
            for h in range(public.H):
                self.width(h, plan.V[h + 1])
            yield plan
            left, h, over = np.array(public.budgets), 0, False
            while not over:
                b = np.ravel_multi_index(tuple(left), tuple(B + 1 for B in public.budgets))
                state, _reward, costs, over = env.step(int(plan.policy[h, state, b]))
                left, h = left - costs, h + 1


GARBAGE = agents(KnapsackGarbage)
