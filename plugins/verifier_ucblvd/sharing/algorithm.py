"""Lifelong-LSVI with computation sharing (Algorithm 5, Remark 3): everything is regressed on psi."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongPlan, Public
from verifier_ucblvd import widths
from verifier_ucblvd.least_squares import ContextLeastSquares, elliptical_norms
from verifier_ucblvd.rare_switching import RareSwitching


class LifelongLSVISharing(RareSwitching):
    """Algorithm 5: least squares of the values on psi at the tasks that were met, replanned rarely.

    Parameters
    ----------
    public : Public
    width : Width
        The width of nu-hat (``value``).
    """

    name: ClassVar[str] = "lifelong-lsvi-sharing"
    title: ClassVar[str] = "Lifelong-LSVI with computation sharing (Algorithm 5)"
    regimes = ("published", "scaled(0.03)", "oracle")
    yields = frozenset({"psi_gram", "psi_estimate"})
    width_names = ("value",)

    def __init__(self, public: Public, width: Width) -> None:
        super().__init__(public, width)
        self.context_data = ContextLeastSquares(public)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem 5: beta = c d' H sqrt(log(d' T / delta))."""
        return widths.beta_psi(public)

    def log_det(self) -> Array:
        """Log determinants of Lambda-tilde_h, shape (H,)."""
        return self.context_data.log_det()

    def weight(self, left: Array) -> Array:
        """log(1 + ||psi||^2) over what is left, (H, S*A, W)."""
        return self.context_data.gain(self.public.psi) / left[:, None, None]

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes."""
        self.context_data.add(contexts, states, actions, rewards)

    def bonus(self, inverse: Array) -> Array:
        """||psi(s,a,w)|| in the norm of Lambda-tilde_h^-1; shape (H, S*A, W)."""
        return elliptical_norms(self.public.psi, inverse)

    def plan(self) -> LifelongPlan:
        """Eq. (48) backwards in h, for every context at once."""
        public, data = self.public, self.context_data
        inverse = data.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V: Array = np.zeros((public.H + 1, public.S, public.W))
        Q = np.empty((public.H, public.S, public.A, public.W))
        nu = np.empty((public.H, public.dp))
        for h in reversed(range(public.H)):
            target = self.target(V, h)
            beta = self.width(h, target, of="value")
            nu[h] = inverse[h] @ np.einsum("isw,sw->i", data.transitions[h], target)
            mean = public.reward[h] + public.psi @ nu[h]
            Q[h] = self.optimistic(mean, beta * bonus[h]).reshape(public.S, public.A, public.W)
            V[h] = self.value(Q[h])
        every = np.arange(public.W)
        return LifelongPlan(every, every, Q, self.greedy_policy(Q), psi_gram=data.gram.copy(), psi_estimate=nu)
