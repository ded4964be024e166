"""Reward-free exploration in linear MDPs: eq. (20), Lemmas A.11, A.12, A.18 to A.22, C.5 to C.7, with what proofs give."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from .exact import D, ln, root
from .writing import Writing

MODULE = "verifier_lsvi_rfe.shared.constants"
EXPLORATION = "verifier_properties.reward_free.exploration"
CONFIDENCE = "verifier_properties.reward_free.confidence"


def _sizes(d: int, H: int, K: int, ridge: float, delta: float, W: float) -> SimpleNamespace:
    return SimpleNamespace(d=d, H=H, K=K, ridge=ridge, delta=delta, reward_norm=W)


SIZES = (_sizes(2, 3, 1000, 0.25, 0.1, 1.5), _sizes(5, 4, 77, 2.0, 0.03, 2.0))
EACH = tuple({"public": p} for p in SIZES)
AT = tuple({"public": p, "K": K} for p in SIZES for K in (p.K, 12345))


def _T(public: Any, K: Any) -> Decimal:
    return D(public.K if K is None else K)


def ball(public: Any, K: Any = None) -> Decimal:
    size = public.H * public.d * D(public.ridge)
    return public.d * (ln(size + _T(public, K)) - ln(size)) + ln(public.H) - ln(public.delta)


def bias(public: Any) -> Decimal:
    return root(public.H, public.H, public.ridge, public.d)


def cover(public: Any, K: Any, length: Any, factor: Any) -> Decimal:
    """The radius of the cover is eps = H sqrt(lambda) / (2 K sqrt d)."""
    epsilon = root(public.ridge) * public.H / (2 * D(K) * root(public.d))
    ratio = (2 * D(factor) / epsilon) ** 2 * 2 * root(public.d) / D(public.ridge)
    return public.d * ln((epsilon + 4 * D(length)) / epsilon) + public.d**2 * ln(1 + ratio)


def exploration_radius(found: Any, public: Any, K: Any = None) -> Decimal:
    """Printed: d log(1 + 8 K^2 sqrt d / (H lambda^(3/2))) + d^2 log(1 + 32 d^(3/2) K^2 B^2 / (H lambda)^2), B = 3 beta."""
    K, d, H, ridge = _T(public, K), public.d, public.H, D(public.ridge)
    length = d * ln(1 + 8 * K * K * root(d) / (H * ridge * root(ridge)))
    norm = d * d * ln(1 + 288 * d * root(d) * (K * D(found) / (H * ridge)) ** 2)
    return root(H * (ball(public, K) + length + norm)) + bias(public) + 1


def fixed_target_radius(public: Any, K: Any = None) -> Decimal:
    return root(public.H, ball(public, K)) + bias(public)


def any_target_radius(public: Any, K: Any = None) -> Decimal:
    K, d, H = _T(public, K), public.d, public.H
    spacing = root(public.ridge) * H / (K * root(d))
    net = d * ln(1 + (4 * D(public.reward_norm) + 4 * H * root(d)) / spacing)
    return root(H * (ball(public, K) + net)) + bias(public) + 1


def _big_log(beta: Any, public: Any, K: Decimal) -> Decimal:
    """log(4 K^2 H/delta) + d log(1 + 8 K sqrt d L / (H sqrt lambda)) + d^2 log(1 + 32 d^(3/2) K^2 B^2 / (H lambda)^2)."""
    d, H, ridge = public.d, public.H, D(public.ridge)
    length = D(public.reward_norm) + K / ridge
    first = ln(4, K, K, H) - ln(public.delta)
    second = d * ln(1 + 8 * K * root(d) * length / (H * root(ridge)))
    return first + second + d * d * ln(1 + 32 * d * root(d) * (K * D(beta) / (H * ridge)) ** 2)


def planning_radius(found: Any, public: Any, K: Any = None) -> Decimal:
    K, d, H = _T(public, K), public.d, public.H
    G, size = _big_log(found, public, K), H * d * D(public.ridge)
    second = root(64 * H * ln((size + K) / size) * G / d) + root(16 * D(H) / d**3) * G
    return fixed_target_radius(public, K) + second + bias(public) + 1


def largest_error(public: Any, K: Any) -> Decimal:
    return bias(public) + root(public.H, K)


def information(public: Any, K: Any) -> Decimal:
    size = public.H * public.d * D(public.ridge)
    return public.d * (2 * ln(size + D(K)) - 2 * ln(size))


def azuma(public: Any, largest: Any, terms: Any, failures: Any) -> Decimal:
    return root(largest, largest, terms, (2 * ln(failures) - 2 * ln(public.delta)))


def at_least(public: Any, radius: Any, bonuses: Any) -> Decimal:
    return max(D(radius), root(D(public.H) / bonuses**2))


def weight_sum(public: Any, radius: Any, K: Any = None) -> Decimal:
    """x <= a sqrt(x) + b gives x <= a^2 + 2b, with b = HT + 6 H^3 d^10 log(.) + d^(3/2) H^2 sqrt(lambda) + Azuma's d^2 (...)."""
    K, d, H, ridge = _T(public, K), public.d, public.H, D(public.ridge)
    beta = max(D(radius), root(H) / 2)
    b = H * H * K + 6 * H**3 * d**10 * (ln(ridge * H + 2 * d**7) - ln(ridge, H)) + d * root(d) * H * H * root(ridge)
    b += d * d * H * (H + 1) * root(2 * K * H * (ln(H) - ln(public.delta)))
    size = H * d * ridge
    return 2 * b + (2 * d * d * (1 + 2 * H) * beta) ** 2 * 2 * d * H * ln((size + K) / size)


def exploration_sum(public: Any, radius: Any, weights: Any, K: Any = None) -> Decimal:
    K, H = _T(public, K), public.H
    beta = max(4 * D(radius), root(H))
    return beta * root(weights, H, information(public, K)) + H * root(-2 * K * H * ln(public.delta))


def certificate(public: Any, radii: Any, weights: Any, K: Any = None) -> Decimal:
    """(A.20 + A.21) / K, over beta_E / beta_P where that is below 1."""
    K = _T(public, K)
    total = exploration_sum(public, radii[0], weights, K) + public.H * root(-2 * K * ln(public.delta))
    return total / K * max(D(1), D(radii[1]) / D(radii[0]))


def enlarged_steps(public: Any) -> Decimal:
    log = ln(D(public.d) ** 6 + 1) - 6 * ln(public.d)
    return 3 * public.d * ln(1 + 1 / (public.H * D(public.ridge) * log)) / log


def enlarged_steps_sharp(public: Any) -> int:
    """By counting: the largest n with (1 + d^-6)^n <= (1 + n / (H d lambda))^d."""
    log, size = ln(1 + 1 / D(public.d) ** 6), public.H * public.d * D(public.ridge)
    low, high = 0, 10**9
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle * log <= public.d * ln(1 + middle / size) else (low, middle)
    return low


_RADII = tuple({**case, "radius": r} for case in (*AT, *EACH) for r in (0.1, 3.5))
WRITINGS = (
    Writing(EXPLORATION, "azuma", azuma, tuple({**case, "largest": 12.0, "terms": 300.0, "failures": 3} for case in EACH)),
    Writing(EXPLORATION, "least_radius", lambda public: root(public.H) / 4, EACH),
    Writing(CONFIDENCE, "largest_error", lambda public, k: largest_error(public, k), tuple({**c, "k": 50} for c in EACH)),
    Writing(MODULE, "ball", ball, AT),
    Writing(MODULE, "bias", bias, EACH),
    Writing(MODULE, "cover", cover, tuple({**case, "length": 7.5, "factor": 2.25} for case in AT)),
    Writing(MODULE, "exploration_radius", exploration_radius, (*AT, *EACH), True),
    Writing(MODULE, "fixed_target_radius", fixed_target_radius, (*AT, *EACH)),
    Writing(MODULE, "any_target_radius", any_target_radius, (*AT, *EACH)),
    Writing(MODULE, "planning_radius", planning_radius, (*AT, *EACH), True),
    Writing(MODULE, "largest_error", largest_error, AT),
    Writing(MODULE, "information", information, AT),
    Writing(MODULE, "azuma", azuma, tuple({**case, "largest": 12.0, "terms": 300.0, "failures": 3} for case in EACH)),
    Writing(MODULE, "at_least", at_least, tuple({"public": p, "radius": r, "bonuses": 4} for p in SIZES for r in (0.1, 2.0))),
    Writing(MODULE, "weight_sum", weight_sum, _RADII),
    Writing(MODULE, "exploration_sum", exploration_sum, tuple({**case, "weights": 321.0} for case in _RADII)),
    Writing(
        MODULE, "certificate", certificate,
        tuple({**case, "weights": 321.0, "radii": r} for case in (*AT, *EACH) for r in ((2.0, 3.0), (3.0, 2.0))),
    ),
    Writing(MODULE, "enlarged_steps", enlarged_steps, EACH),
    Writing(MODULE, "enlarged_steps_sharp", enlarged_steps_sharp, EACH),
)  # fmt: skip
