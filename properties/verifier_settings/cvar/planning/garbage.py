"""Garbage planners."""

from __future__ import annotations

from collections.abc import Iterator

from verifier_settings.cvar.planning.instance import Public
from verifier_settings.cvar.planning.plan import Answer, Round, shapes
from verifier_settings.cvar.planning.session import PlanningEnvironment
from verifier_settings.garbage import Garbage, agents


class PlanningGarbage(Garbage):
    """T1 rounds of garbage, whose policies are simulated, and an answer that has nothing to do with them."""

    public: Public

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, then the answer."""
        public, sizes = self.public, shapes(self.public)
        top = float(public.H)
        for _t in range(public.T1):
            plan = Round(**self.fields(env.rng, sizes, {"policy": public.A}, tuple(sizes), top))
            for h in range(public.H):
                self.width(h, plan.V[h + 1], of="planning")
            yield plan
            env.trajectory(plan.policy)
        estimates = self.habit.numbers(env.rng, (public.T1,), top)
        chosen = self.habit.actions(env.rng, (), public.T1)
        yield Answer(float(estimates[0]), int(chosen), estimates)


GARBAGE = agents(PlanningGarbage)
