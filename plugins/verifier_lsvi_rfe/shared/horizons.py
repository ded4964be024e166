"""Horizons: the numbers of episodes from which on claims would say something at the published radii."""

from __future__ import annotations

import math
from collections.abc import Callable

from verifier.model.horizon import Horizon
from verifier_lsvi_rfe.shared import constants
from verifier_settings.reward_free import Public


def error_horizon(radius: Callable[[Public, float], float]) -> Horizon:
    """A radius below what any error can be."""
    return Horizon(
        lambda public, scale, K: scale * radius(public, K), lambda public, scale, K: constants.largest_error(public, K)
    )


def value_horizon(radius: Callable[[Public, float], float], factor: float) -> Horizon:
    """H bonuses below H, when all d directions have been explored alike and no weight is above H: ||phi||^2 = d H / K."""
    return Horizon(
        lambda public, scale, K: factor * scale * radius(public, K) * math.sqrt(public.d * public.H / K),
        lambda public, scale, K: 1.0,
    )


def _least_weights(public: Public, radius: float, K: float) -> float:
    """The bound of the sum of all weights, or the sum of the largest ones."""
    return min(constants.weight_sum(public, radius, K), K * public.H**2 * max(public.d**3, public.d**2))


def _at(public: Public, scale: float, K: float) -> tuple[float, float]:
    """Radii of exploration and of planning."""
    return scale * constants.exploration_radius(public, K), scale * constants.planning_radius(public, K)


def sum_horizon() -> Horizon:
    """Lemma A.20 below H K."""

    def bound(public: Public, scale: float, K: float) -> float:
        radius = _at(public, scale, K)[0]
        return constants.exploration_sum(public, radius, _least_weights(public, radius, K), K)

    return Horizon(bound, lambda public, scale, K: public.H * K)


def backup_horizon() -> Horizon:
    """Lemma A.18 below H (H-1) K."""

    def bound(public: Public, scale: float, K: float) -> float:
        radius = _at(public, scale, K)[0]
        sums = _least_weights(public, radius, K) * public.H * constants.information(public, K)
        return 4 * public.H * radius * math.sqrt(sums) + constants.azuma(public, public.H**2 + public.H, K * public.H, public.H)

    return Horizon(bound, lambda public, scale, K: public.H * K * (public.H - 1))


def weight_horizon() -> Horizon:
    """Lemma A.19 below the largest weight at every step."""
    return Horizon(
        lambda public, scale, K: constants.weight_sum(public, _at(public, scale, K)[0], K),
        lambda public, scale, K: K * public.H**2 * public.d**3,
    )


def certificate_horizon(factor: float) -> Horizon:
    """A multiple of the bound of the certificate below H."""

    def bound(public: Public, scale: float, K: float) -> float:
        radii = _at(public, scale, K)
        return factor * constants.certificate(public, radii, _least_weights(public, radii[0], K), K)

    return Horizon(bound, lambda public, scale, K: float(public.H))
