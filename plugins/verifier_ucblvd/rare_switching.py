"""What Algorithms 2 to 5 share: plan for every context at once, and again only when a Gram matrix has grown enough."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from verifier.base.arrays import Array
from verifier.settings.lifelong import LifelongEnvironment, LifelongPlan
from verifier_ucblvd.base import LeastSquaresValueIteration


class RareSwitching(LeastSquaresValueIteration):
    """Optimistic least-squares value iteration that replans rarely; subclasses say how to plan and which matrices to watch."""

    @abstractmethod
    def plan(self) -> LifelongPlan:
        """A plan for every context, from all data so far."""

    @abstractmethod
    def log_det(self) -> Array:
        """The log determinants that are watched, one for each step, or several."""

    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        """Replan only when some Gram matrix has grown enough since the plan in force was made."""
        plan, planned = None, self.log_det()
        for _k in range(self.public.K):
            state, context = env.begin_episode()
            if plan is None or self.triggered(self.log_det() - planned):
                plan, planned = self.plan(), self.log_det()
                yield plan
            self.play(env, plan, state, column=context)

    def triggered(self, growth: Array) -> bool:
        """Line 4: exists h with log det Lambda_h^k - log det Lambda_h^kt > 1; growth has the shape of `log_det`."""
        return bool((growth > 1.0).any())
