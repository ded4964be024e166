"""Constants and explicit bounds of the two papers, with every "absolute constant" written out."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier_properties.episodic.tabular_model import hoeffding_regret, theorem_log
from verifier_settings.episodic import Public

# UCBVI ------------------------------------------------------------------------------------------------------------------


def regret_hoeffding(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 1: 20 H^{3/2} L sqrt(SAK) + 250 H^2 S^2 A L^2; the width has no part in it."""
    return hoeffding_regret(public, K)


def regret_bernstein(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 2: 30 H L sqrt(SAK) + 2500 H^2 S^2 A L^2 + 4 H^{3/2} sqrt(KL)."""
    S, A, H, L = public.S, public.A, public.H, theorem_log(public, K)
    return 30 * H * L * math.sqrt(S * A * K) + 2500 * H**2 * S**2 * A * L**2 + 4 * H**1.5 * math.sqrt(K * L)


# LSVI-UCB ---------------------------------------------------------------------------------------------------------------

C_BETA = 5.5
"""The absolute constant c of beta = c d H sqrt(log(2 d T / p)).

The paper only says that some c works. Writing out the constants of Lemmas B.1, B.3, D.4 and D.6 (see `explicit_width`) needs c
between 2.6 and 3.4 on the instances of the catalogue, and up to 5.4 where d = H = 1; a test compares the two.
"""


def iota(public: Public, K: float) -> float:
    """log(2 d T / p) of Theorem 3.1."""
    return math.log(2 * public.d * K * public.H / public.delta)


def beta(public: Public, K: float | None = None) -> float:
    """c d H sqrt(iota), iota = log(2 d T / p)."""
    return C_BETA * public.d * public.H * math.sqrt(iota(public, public.K if K is None else K))


def log_covering(public: Public, width: float, epsilon: float, k: float) -> float:
    """Lemma D.6: d log(1 + 4 L / eps) + d^2 log(1 + 8 sqrt(d) beta^2 / (lambda eps^2)), with L = 2 H sqrt(d k / lambda)."""
    d, length = public.d, 2 * public.H * math.sqrt(public.d * max(k, 1.0) / public.ridge)
    return d * math.log(1 + 4 * length / epsilon) + d**2 * math.log(1 + 8 * math.sqrt(d) * width**2 / (public.ridge * epsilon**2))


def noise_bound(public: Public, width: float, k: Array | float, K: float) -> Array:
    """Lemma D.4 with a cover of scale eps = d H / K: the self-normalised noise after k of K episodes, for all steps at once.

    4 H^2 [(d/2) log((k + lambda)/lambda) + log N(eps) + log(H/p)] + 8 k^2 eps^2 / lambda, under the root. A cover that does not
    depend on k makes the bound hold for all k at once, since the self-normalised inequality behind it does.
    """
    k, epsilon, ridge, d = np.asarray(k, dtype=float), public.d * public.H / K, public.ridge, public.d
    cover = log_covering(public, width, epsilon, K)
    inside = d / 2 * np.log((k + ridge) / ridge) + cover + math.log(public.H / public.delta)
    return np.where(k > 0, np.sqrt(4 * public.H**2 * inside + 8 * k**2 * epsilon**2 / ridge), 0.0)


def explicit_width(public: Public) -> float:
    """The least beta for which the proof goes through: 2 H sqrt(lambda d) + noise_bound(beta), by iteration."""
    width = bias = 2 * public.H * math.sqrt(public.ridge * public.d)
    for _ in range(100):
        width = bias + float(noise_bound(public, width, public.K, public.K))
    return width


def azuma(public: Public, K: float) -> float:
    """2 H sqrt(T log(2 d T / p)), the martingale term of Theorem 3.1."""
    return 2 * public.H * math.sqrt(K * public.H * iota(public, K))


def regret_linear(public: Public, K: float, scale: float = 1.0) -> float:
    """Theorem 3.1 before the last simplification: 2 H sqrt(T iota) + 2 beta H sqrt(2 d K log(1 + K / (d lambda)))."""
    potential = math.sqrt(2 * public.d * K * math.log(1 + K / (public.d * public.ridge)))
    return azuma(public, K) + 2 * scale * beta(public, K) * public.H * potential
