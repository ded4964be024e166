"""The radii of the confidence sets (Theorem 4.2); what the claims compare them with is in `shared.constants`."""

from __future__ import annotations

import math
from collections.abc import Callable

from verifier_settings.reward_free import Public

ROUNDS = 200


def exploration_radius(public: Public) -> float:
    """Eq. (20): beta_E, which stands on both sides, with B_E = 3 beta_E."""
    d, H, K, ridge = public.d, public.H, public.K, public.ridge
    known = _noise(public) + d * math.log1p(8 * K**2 * math.sqrt(d) / (H * ridge**1.5))

    def radius(beta: float) -> float:
        return math.sqrt(H * (known + d**2 * math.log1p(_bonus_cover(public) * (3 * beta) ** 2))) + _bias(public) + 1

    return _least(radius)


def planning_radius(public: Public) -> float:
    """Theorem 4.2: beta_P = beta_P1 + beta_P2, the second of which depends on the sum."""
    d, H, K, ridge = public.d, public.H, public.K, public.ridge
    first = math.sqrt(H * _noise(public)) + _bias(public)
    largest = public.reward_norm + K / ridge
    known = math.log(4 * K**2 * H / public.delta) + d * math.log1p(8 * K * math.sqrt(d) * largest / (H * math.sqrt(ridge)))
    growth = H / d * math.log1p(K / (H * d * ridge))

    def radius(beta: float) -> float:
        cover = known + d**2 * math.log1p(_bonus_cover(public) * beta**2)
        return first + 8 * math.sqrt(growth * cover) + 4 * math.sqrt(H / d**3) * cover + _bias(public) + 1

    return _least(radius)


def _noise(public: Public) -> float:
    """d log(1 + K/(H d lambda)) + log(H/delta)."""
    return public.d * math.log1p(public.K / (public.H * public.d * public.ridge)) + math.log(public.H / public.delta)


def _bias(public: Public) -> float:
    """H sqrt(lambda d)."""
    return public.H * math.sqrt(public.ridge * public.d)


def _bonus_cover(public: Public) -> float:
    """32 d^(3/2) K^2 / (H^2 lambda^2), what the square of a bonus' factor is multiplied by in a covering number."""
    return 32 * public.d**1.5 * public.K**2 / (public.H * public.ridge) ** 2


def _least(radius: Callable[[float], float]) -> float:
    """The least fixed point of an increasing map that grows like a logarithm, from below."""
    beta = 1.0
    for _round in range(ROUNDS):
        beta = radius(beta)
    return beta
