"""RAVI-UCB for linear mixture MDPs (Algorithm 3)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_ravi_ucb.ravi_ucb import RaviUCB
from verifier_settings.discounted import Public


def elliptical_norm(phi: Array, inverse: Array) -> Array:
    """||phi|| in the norm of Lambda^-1 for every row of phi (n, d); shape (n,)."""
    return np.sqrt(np.maximum(((phi @ inverse) * phi).sum(axis=1), 0.0))


class MixtureRaviUCB(RaviUCB):
    """RAVI-UCB with value-targeted regression and CB_k = beta ||phi_k|| in the norm of Lambda_k^{-1}."""

    name: ClassVar[str] = "ravi-ucb-mixture"
    title: ClassVar[str] = "RAVI-UCB, linear mixture (Algorithm 3)"
    instances: ClassVar[tuple[str, ...]] = ("mixture-*",)
    yields: ClassVar[frozenset[str]] = frozenset({"gram", "theta"})

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, bonus, model, **options)
        self.gram: Array = public.ridge * np.eye(public.d)
        self.moment: Array = np.zeros(public.d)

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """Lemma 5.4: beta = H sqrt(2 ((d/2) log(1 + T B^2 H^2/(lambda d)) + log(1/delta))) + sqrt(lambda) B."""
        growth = math.log1p((public.B * public.H) ** 2 * public.T / (public.ridge * public.d))
        noise = public.H * math.sqrt(2.0 * (public.d / 2.0 * growth + math.log(1.0 / public.delta)))
        return noise + math.sqrt(public.ridge) * public.B

    def features(self, V: Array) -> Array:
        """phi_k(x,a) = sum_x' psi(x,a,x') V_k(x'), shape (X*A, d)."""
        return np.asarray(V @ self.public.psi)

    def estimate(self, V: Array) -> Array:
        """<theta_k, phi_k(x,a)> with theta_k = Lambda_k^{-1} b_k."""
        self.phi = self.features(V)
        self.inverse = np.linalg.inv(self.gram)
        self.theta = self.inverse @ self.moment
        return (self.phi @ self.theta).reshape(self.public.X, self.public.A)

    def norm(self, V: Array) -> Array:
        """||phi_k(x,a)|| in the norm of Lambda_k^{-1}."""
        return elliptical_norm(self.phi, self.inverse).reshape(self.public.X, self.public.A)

    def reported(self) -> dict[str, Array]:
        """Lambda_k and theta_k."""
        return {"gram": self.gram, "theta": self.theta}

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """Lambda += phi_k phi_k' and b += phi_k V_k(x_{t+1}); old rows keep the V_i they were made with."""
        met = self.phi[rows]
        self.gram = self.gram + met.T @ met
        self.moment = self.moment + V[successors] @ met
