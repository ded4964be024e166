"""Base of Algorithms 2 to 5: plan for every context at once, and again only when a Gram matrix has grown enough."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan
from verifier_ucblvd.base import LeastSquaresValueIteration

MARGIN = 1e-6
"""Play is looked at so much before the growth can be 1: what rounding may do to log det Lambda is d^2 eps cond(Lambda), and that
is less up to a condition number of 1e8 (for d = 5)."""


class RareSwitching(LeastSquaresValueIteration):
    """Optimistic least-squares value iteration that replans rarely; subclasses say how to plan and which matrices to watch."""

    @abstractmethod
    def plan(self) -> LifelongPlan:
        """A plan for every context, from all data so far."""

    @abstractmethod
    def log_det(self) -> Array:
        """The log determinants that are watched, one for each step, or several."""

    @abstractmethod
    def weight(self, left: Array) -> Array:
        """Weight of a pair: the most that it adds to each log determinant, over what is left of its growth.

        Parameters
        ----------
        left : array
            Positive; in the shape of `log_det`.

        Returns
        -------
        array
            Broadcasts to (H, S*A, W). While the weights of the pairs met add up to at most 1 at each step, no growth exceeds
            what is left of it: log det(Lambda + sum_t x_t x_t') - log det Lambda <= sum_t log(1 + ||x_t||^2), in the norm of
            Lambda^-1, since Lambda only grows while the x_t are added.
        """

    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        """Replan only when some Gram matrix has grown enough since the plan in force was made."""
        plan, planned = None, self.log_det()
        while env.episode < self.public.K:
            env.begin_episode()
            if plan is None or (self.left(self.log_det() - planned) < 0).any():
                plan, planned = self.plan(), self.log_det()
                yield plan
            self.play(env, plan, self.patience(self.log_det() - planned))

    def left(self, growth: Array) -> Array:
        """Rest of the growth: line 4 applies where log det Lambda_h^k - log det Lambda_h^kt > 1 at some h, below 0 here.

        Growth, since the plan in force, and what is returned have the shape of `log_det`.
        """
        return 1.0 - growth

    def patience(self, growth: Array) -> Array | None:
        """The weights with which episodes are played in which no plan can be due, and the one after; None for one episode."""
        left = self.left(growth)
        return None if (left < 0).any() else self.weight(np.maximum(left - MARGIN, MARGIN))
