"""Garbage agents of the factored setting."""

from __future__ import annotations

from collections.abc import Iterator

from verifier_settings.factored.environment import FactoredEnvironment
from verifier_settings.factored.instance import Public
from verifier_settings.factored.plan import FactoredPlan, limits, shapes
from verifier_settings.garbage import Garbage, agents


class FactoredGarbage(Garbage):
    """Garbage is yielded, and its policy is played, in every episode."""

    public: Public

    def run(self, env: FactoredEnvironment) -> Iterator[FactoredPlan]:
        """Play K episodes."""
        public = self.public
        for _k in range(public.K):
            state = env.begin_episode()
            plan = FactoredPlan(**self.fields(env.rng, shapes(public), limits(public), ("Q", "V", "policy"), float(public.H)))
            self.width(0, of="reward")
            for h in range(public.H):
                self.width(h, plan.V[h + 1])
            yield plan
            for h in range(public.H):
                state, _rewards = env.step(int(plan.policy[h, state]))


GARBAGE = agents(FactoredGarbage)
