"""Bounds of Theorem 3.1 and Corollary 3.2 on the regret of EXP3; `most` is the largest total reward of an arm."""

from __future__ import annotations

import math

from verifier_properties.episodic.exponential_weights import tuned


def regret(A: float, K: float, most: float) -> float:
    """Bound (e - 1) gamma G_max + A ln A / gamma, with the gamma of Corollary 3.2."""
    gamma = float(tuned(A, K))
    return (math.e - 1) * gamma * most + A * math.log(A) / gamma


def tuned_regret(A: float, K: float, most: float) -> float:
    """Bound 2 sqrt((e - 1) g A ln A) with g = K, whatever the largest total is."""
    return 2 * math.sqrt((math.e - 1) * K * A * math.log(A))
