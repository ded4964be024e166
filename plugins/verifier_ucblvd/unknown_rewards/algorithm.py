"""UCBlvd with unknown rewards (Algorithm 3)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongPlan, Public
from verifier_ucblvd import widths
from verifier_ucblvd.least_squares import ContextLeastSquares, elliptical_norm
from verifier_ucblvd.ucblvd.algorithm import UCBlvd


class UCBlvdUnknownRewards(UCBlvd):
    """Algorithm 3: as Algorithm 2, with the reward replaced by its least-squares estimate on psi plus a bonus.

    Parameters
    ----------
    public : Public
        Its rewards are hidden.
    width : Width
        Two widths: beta (``transition``) and beta-tilde (``reward``).
    """

    name: ClassVar[str] = "ucblvd-unknown-rewards"
    title: ClassVar[str] = "UCBlvd with unknown rewards (Algorithm 3)"
    regimes = ("published", "scaled(0.03)", "oracle")
    yields = UCBlvd.yields | {"psi_gram", "reward_estimate"}
    hidden = frozenset({"reward"})
    width_names = ("transition", "reward")
    instances = ("*", "!rotation*")

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(public, width, minimiser)
        self.context_data = ContextLeastSquares(public)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Theorem 3: beta = c H m d sqrt(log(m d T / delta)), beta-tilde = sqrt(lambda m d)."""
        if of == "reward":
            return widths.reward_width(public)
        return widths.beta_psi(public)

    def log_det(self) -> Array:
        """Log determinants of Lambda_h and of Lambda-tilde_h, shape (2H,)."""
        return np.concatenate([self.data.log_det(), self.context_data.log_det()])

    def weight(self, left: Array) -> Array:
        """The larger one, of phi and of psi; (H, S*A, W)."""
        of_phi, of_psi = np.split(left, 2)
        return np.maximum(super().weight(of_phi), self.context_data.gain(self.public.psi) / of_psi[:, None, None])

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes to both data sets."""
        super().learn(contexts, states, actions, rewards)
        self.context_data.add(contexts, states, actions, rewards)

    def plan(self) -> LifelongPlan:
        """Eq. (28): the plan of Algorithm 2 with estimated rewards."""
        self.psi_inverse = self.context_data.inverse()
        self.reward_estimate = np.einsum("hij,hj->hi", self.psi_inverse, self.context_data.rewards)
        plan = super().plan()
        return replace(plan, psi_gram=self.context_data.gram.copy(), reward_estimate=self.reward_estimate.copy())

    def reward(self, h: int) -> Array:
        """<eta-hat_h, psi> + beta-tilde ||psi||, an upper bound of r_h; shape (S*A, W)."""
        psi = self.public.psi
        return psi @ self.reward_estimate[h] + self.width(h, of="reward") * elliptical_norm(psi, self.psi_inverse[h])
