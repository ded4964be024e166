"""RAVI-UCB for tabular MDPs (Algorithm 2)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_ravi_ucb.ravi_ucb import RaviUCB
from verifier_settings.discounted import Public


class TabularRaviUCB(RaviUCB):
    """RAVI-UCB with empirical transition frequencies and CB_k = beta / sqrt(N_k)."""

    name: ClassVar[str] = "ravi-ucb-tabular"
    title: ClassVar[str] = "RAVI-UCB, tabular (Algorithm 2)"
    yields: ClassVar[frozenset[str]] = frozenset({"visits"})

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, bonus, model, **options)
        pairs = public.X * public.A
        self.visits: Array = np.ones(pairs)  # a phantom visit each
        self.transitions: Array = np.zeros((pairs, public.X))

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Lemma 5.1: beta = 8 H sqrt(X log(X A T / delta))."""
        return 8.0 * public.H * math.sqrt(public.X * math.log(public.X * public.A * public.T / public.delta))

    def estimate(self, V: Array) -> Array:
        """Phat_k V_k with Phat_k = N'/N, sub-stochastic by the phantom visit."""
        return (self.transitions @ V / self.visits).reshape(self.public.X, self.public.A)

    def norm(self, V: Array) -> Array:
        """1/sqrt(N_k)."""
        return (1.0 / np.sqrt(self.visits)).reshape(self.public.X, self.public.A)

    def reported(self) -> dict[str, Array]:
        """Reports of the visits N_k."""
        return {"visits": self.visits.reshape(self.public.X, self.public.A)}

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """N(x_t,a_t) += 1 and N'(x_t,a_t,x_{t+1}) += 1."""
        np.add.at(self.visits, rows, 1.0)
        np.add.at(self.transitions, (rows, successors), 1.0)
