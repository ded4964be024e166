"""UCBVI, UCRL2, LSVI-UCB, UCRL-VTR, Q-learning, MVP, PSRL and RLSVI: bonuses, confidence sets, and bounds on the regret."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from .exact import D, ln, power, root
from .writing import Writing

CONSTANTS = "verifier_reference.shared.constants"
Q_LEARNING = "verifier_reference.shared.q_learning"
MIXTURES = "verifier_reference.shared.ucrl_vtr"
UCRL2 = "verifier_reference.shared.ucrl2"
PSRL = "verifier_reference.shared.psrl"
RLSVI = "verifier_reference.shared.rlsvi"
BERNSTEIN = "verifier_reference.shared.bernstein"
ELLIPSOIDS = "verifier_settings.episodic.mixtures"
MVP = "verifier_reference.shared.mvp"
MODEL = "verifier_properties.episodic.tabular_model"
DOUBLING = "verifier_properties.episodic.doubling"
CONFIDENCE = "verifier_properties.episodic.tabular_confidence"
DOUBLED = "verifier_properties.episodic.doubled_confidence"
BONUSES = "verifier_settings.episodic.bonuses"
BALLS = "verifier_settings.episodic.balls"


def _sizes(S: int, A: int, H: int, K: int, delta: float) -> SimpleNamespace:
    return SimpleNamespace(S=S, A=A, X=S * A, H=H, K=K, T=K * H, d=3, m=4, B=1.3, ridge=0.6, delta=delta)


SIZES = (_sizes(5, 3, 4, 300, 0.1), _sizes(2, 2, 1, 40, 0.02))
EACH = tuple({"public": p} for p in SIZES)
AT = tuple({"public": p, "K": K} for p in SIZES for K in (p.K, 5432.0))
SCALED = (*AT, *({**case, "scale": 0.3} for case in AT))
VISITS = np.array([1.0, 2.0, 9.0, 400.0])


def _K(public: Any, K: Any) -> Decimal:
    return D(public.K if K is None else K)


# UCBVI ------------------------------------------------------------------------------------------------------------------


def log_term(public: Any, K: Any = None) -> Decimal:
    return ln(5, public.S, public.A, _K(public, K), public.H) - ln(public.delta)


def hoeffding_width(public: Any, K: Any = None) -> Decimal:
    return 7 * public.H * log_term(public, K)


def theorem_log(public: Any, K: Any) -> Decimal:
    return log_term(public, K) + ln(public.H)


def regret_hoeffding(public: Any, K: Any) -> Decimal:
    S, A, H, L = public.S, public.A, public.H, theorem_log(public, K)
    return root(400 * H**3 * S * A * D(K)) * L + 10 * A * (5 * H * S * L) ** 2


def regret_bernstein(public: Any, K: Any) -> Decimal:
    S, A, H, L = public.S, public.A, public.H, theorem_log(public, K)
    return root(900 * H**2 * S * A * D(K)) * L + A * (50 * H * S * L) ** 2 + root(16 * H**3 * D(K) * L)


def visit_sum_bound(public: Any, stale: int = 2) -> Decimal:
    return stale * public.H * public.X + root(4 * stale * public.X * public.T)


def planning_bound(public: Any, T: Any) -> Decimal:
    return public.X * (3 + (ln(T) - ln(public.X)) / ln(2))


def deviation(public: Any, variance: Any, visits: Any) -> list[Decimal]:
    """c_1(v, n) = 2 sqrt(v L / n) + 14 H L / (3 n)."""
    L = log_term(public)
    each = [(D(float(v)), D(float(n))) for v, n in zip(variance, visits, strict=True)]
    return [root(4 * v * L / n) + D(14) / 3 * public.H * L / n for v, n in each]


def bernstein(public: Any, kernel: Any, visits: Any, arrivals: Any, following: Any) -> list[Decimal]:
    L, H, found = log_term(public), public.H, []
    for row, n in zip(kernel, visits, strict=True):
        p, v = [D(float(x)) for x in row], [D(float(x)) for x in following]
        mean = sum(a * b for a, b in zip(p, v, strict=True))
        variance = sum(a * (b - mean) ** 2 for a, b in zip(p, v, strict=True))
        regret = [min((100 * H * public.S * L) ** 2 * H * public.A / D(float(N)), D(H * H)) for N in arrivals]
        correction = sum(a * b for a, b in zip(p, regret, strict=True))
        share = 1 / D(float(n))
        found.append(root(8 * L * variance * share) + D(14) / 3 * H * L * share + root(8 * share * correction))
    return found


def entry_deviation(public: Any, P: Any, visits: Any) -> list[Decimal]:
    """c_2 = 2 sqrt(p (1 - p) L / n) + 2 L / (3 n)."""
    L = log_term(public)
    each = [(D(float(p)), max(D(float(n)), D(1))) for p, n in zip(P, visits, strict=True)]
    return [root(4 * (p - p * p) * L / n) + L / n / D("1.5") for p, n in each]


def row_deviation(public: Any, visits: Any) -> list[Decimal]:
    """c_3 = 2 sqrt(S L / n)."""
    return [root(4 * public.S * log_term(public) / max(D(float(n)), D(1))) for n in visits]


def value_gap_bound(public: Any, visits: Any, K: Any = None) -> list[Decimal]:
    H, L = public.H, log_term(public, K)
    return [min(root(10**4 * H**3 * public.S**2 * public.A * L * L / D(float(n))), D(H)) for n in visits]


# Balls, mixtures ----------------------------------------------------------------------------------------------------------


def ball(public: Any, visits: Any, episodes: Any) -> list[Decimal]:
    """sqrt(14 S log(2 A t / delta) / N) at t = H k + 1."""
    log = ln(2, public.A, public.H * D(episodes) + 1) - ln(public.delta)
    return [root(14 * public.S * log / D(float(n))) for n in visits]


def ucrl2(public: Any, K: Any, scale: Any = 1) -> Decimal:
    S, A, H, T = public.S, public.A, public.H, D(K) * public.H
    radius = D(scale) * root(14 * S * (ln(2, A, T) - ln(public.delta)))
    squares = sum(j * j for j in range(H))
    visits = 3 * H * S * A + root(12 * S * A * T)
    return (H - 1) * radius * visits + root(D(K) * squares * (ln(2) - ln(public.delta)) / 2)


def log_growth(public: Any, K: Any) -> Decimal:
    return public.m * (ln(D(public.ridge) + D(K) * public.H**3) - ln(public.ridge))


def largest_radius(public: Any, K: Any) -> Decimal:
    noise = root(log_growth(public, K) - 2 * ln(public.delta))
    return root(public.ridge) * D(public.B) + public.H * noise / 2


def bonus_sum(public: Any, K: Any) -> Decimal:
    return root(2 * public.H * D(K) * log_growth(public, K))


def ucrl_vtr(public: Any, K: Any, scale: Any = 1) -> Decimal:
    azuma = root(-2 * public.H**3 * D(K) * ln(public.delta))
    main = 2 * D(scale) * largest_radius(public, K) * bonus_sum(public, K)
    return azuma + main + public.H * log_growth(public, K) / ln(2)


# LSVI-UCB -----------------------------------------------------------------------------------------------------------------


def iota(public: Any, K: Any) -> Decimal:
    return ln(2, public.d, K, public.H) - ln(public.delta)


def beta(public: Any, K: Any = None) -> Decimal:
    """c = 11/2."""
    return D(11) / 2 * public.d * public.H * root(iota(public, _K(public, K)))


def log_covering(public: Any, width: Any, epsilon: Any, k: Any) -> Decimal:
    d, ridge, epsilon = public.d, D(public.ridge), D(epsilon)
    length = root(4 * public.H**2 * d * max(D(k), D(1)) / ridge)
    return d * (ln(epsilon + 4 * length) - ln(epsilon)) + d * d * ln(1 + 8 * root(d) * (D(width) / epsilon) ** 2 / ridge)


def noise_bound(public: Any, width: Any, k: Any, K: Any) -> Decimal:
    if not k:
        return D(0)
    d, H, ridge, k = public.d, public.H, D(public.ridge), D(k)
    epsilon = D(d) * H / D(K)
    inside = D(d) / 2 * (ln(k + ridge) - ln(ridge)) + log_covering(public, width, epsilon, K) + ln(H) - ln(public.delta)
    return root(4 * H * H * inside + 8 * (k * epsilon) ** 2 / ridge)


def explicit_width(found: Any, public: Any) -> Decimal:
    return 2 * public.H * root(public.ridge, public.d) + noise_bound(public, found, public.K, public.K)


def azuma(public: Any, K: Any) -> Decimal:
    return root(4 * public.H**3 * D(K) * iota(public, K))


def regret_linear(public: Any, K: Any, scale: Any = 1) -> Decimal:
    size = public.d * D(public.ridge)
    potential = root(8 * public.d * D(K) * (ln(size + D(K)) - ln(size)))
    return azuma(public, K) + public.H * D(scale) * beta(public, K) * potential


# Q-learning, posterior sampling, noise ------------------------------------------------------------------------------------


def q_iota(public: Any, K: Any) -> Decimal:
    return ln(public.S, public.A, K, public.H) - ln(public.delta)


def q_width(public: Any, K: Any = None) -> Decimal:
    return root(2 * public.H**3 * q_iota(public, _K(public, K)))


def q_regret(public: Any, K: Any, scale: Any = 1) -> Decimal:
    S, A, H = public.S, public.A, public.H
    w = [D(H + 1) ** h / D(H) ** h for h in range(H)]
    bonuses = D(scale) * root(128 * H**3 * q_iota(public, K) * S * A * D(K))
    noise = H * root(D(K) * sum(x * x for x in w) * (ln(2) - ln(public.delta)) / 2)
    return sum(w) * (S * A * H + bonuses) + noise


def psrl(public: Any, K: Any) -> Decimal:
    S, A, H = public.S, public.A, public.H
    c = root(2 * S * ln(2) + 2 * ln(S, A) + 4 * ln(K, H))
    return 2 + (H - 1) * c * (2 * (H - 1) * S * A + root(8 * S * A * D(K) * (H - 1)))


def rlsvi_beta(public: Any, k: Any) -> Decimal:
    return public.S * D(public.H) ** 3 * ln(2, public.H, public.S, public.A, k) / 2


PHI = D("0.15865525393145705141476745436796207752208703")
"""Phi(-1)."""
PI = D("3.14159265358979323846264338327950288419716939937510")


def rlsvi(public: Any, K: Any, scale: Any = 1) -> Decimal:
    S, A, H = public.S, public.A, public.H
    largest = 1 + D(scale) * root(rlsvi_beta(public, K) * (2 * ln(H, S, A) + 2))
    steps = root(H) + root(S * sum(j * j for j in range(H)))
    return H * PI**2 / 6 + (1 + 2 / PHI) * largest * root(H * S * A * D(K) * (1 + ln(K))) * steps


def _weights(public: Any, exponent: int) -> Decimal:
    """sum_h w_h to a power, w_h = (1 + 1/H)^(h-1)."""
    return sum((power(1 + D(1) / public.H, exponent * h) for h in range(public.H)), D(0))


def _azuma(public: Any, K: Any) -> Decimal:
    """sqrt(K l / 2), l = log(4H/p)."""
    return root(D(K) * (ln(4, public.H) - ln(public.delta)) / 2)


def second_arm(public: Any, K: Any, scale: Any = 1) -> Decimal:
    """c_2 = 16."""
    return _weights(public, 1) * 32 * root(public.H**3 * D(scale) * q_iota(public, K) * public.X * D(K))


def first_arm(public: Any, K: Any, scale: Any = 1) -> Decimal:
    """c_1 = 30, line by line from the docstring of the module."""
    SA, H, log, n, s = public.X, public.H, q_iota(public, K), D(K), D(scale)
    w, squares, e, L = _weights(public, 1), _weights(public, 2), D(1).exp(), 1 + ln(K)
    G = w * SA * H + second_arm(public, K, scale) + H * root(squares) * _azuma(public, K)
    variances = 2 * (n * H**2 + H**3 * _azuma(public, K)) + 2 * H * H * (G + H * _azuma(public, K))
    leads = root((e - 1) * SA) * H * SA * L
    leads += 8 * root((root(e) - 1) * 16) * root(root(SA * H**5 * s * log)) * root(SA * root(SA)) * root(root(n))
    rest = 2 * root(H * SA * n) + 2 * H * root(log) * SA * L + root(H) * leads
    inside = 2 * root(SA * squares * variances) + w * rest
    return 30 * (root(H * s * log) * inside + w * root(H**7 * SA) * s * log * SA * L)


def bernstein_regret(public: Any, K: Any, scale: Any = 1) -> Decimal:
    noise = public.H * root(_weights(public, 2)) * _azuma(public, K)
    arms = min(first_arm(public, K, scale), second_arm(public, K, scale))
    return _weights(public, 1) * public.X * public.H + arms + noise


def ellipsoid(public: Any, gram: Any) -> Decimal:
    """Diagonal matrices: the logarithm of the determinant is the sum of those of the entries."""
    growth = sum((ln(float(x)) - ln(public.ridge) for x in np.diag(gram)), D(0))
    return root(public.ridge) * D(public.B) + D(public.H) / 2 * root(max(growth - 2 * ln(public.delta), D(0)))


# MVP ----------------------------------------------------------------------------------------------------------------------


def mvp_logarithm(public: Any, K: Any = None) -> Decimal:
    T = _K(public, K) * public.H
    return ln(9, public.S, public.S, public.A, public.H, 1 + ln(T) / ln(2)) - ln(public.delta)


def reached(public: Any, K: Any) -> Decimal:
    return planning_bound(public, max(D(K) * public.H, D(public.X)))


def mvp_regret(public: Any, K: Any, scale: Any = 1) -> Decimal:
    """c = (460/9, 2 sqrt 2, 544/9); B <= x + 2 y sqrt(B)."""
    S, log, G, r = public.S, mvp_logarithm(public, K), reached(public, K), root(scale)
    e2 = D(1).exp() - 2
    a, other = r * 460 / 9 * root(D("1.5")) + 2, 2 + root(2 * S)
    F = 2 * G + 16 * e2 * log
    x = (
        (1 + r) * root(8 * log * G * (2 * D(K) + 80 * log * G / 3))
        + a * root(log * G * (F + 4 * D(K)))
        + other * root(log * G * F)
    )
    x += (D(28) / 3 + r * 460 / 9 * root(D(4 * S) / 3) + D(S + 1) / 3 + D(scale) * 544 / 9) * log * G
    y = root(log * G) * (a + other)
    B = (y + root(y * y + x)) ** 2
    return public.H * (2 * B + 3 * G / 2 + 8 * e2 * log)


def empirical_bernstein(variance: Any, share: Any, largest: Any) -> list[Decimal]:
    """2 sqrt(v x) + 14 M x / 3."""
    each = [(D(float(v)), D(float(x))) for v, x in zip(variance, share, strict=True)]
    return [root(4 * v * x) + D(14) / 3 * D(largest) * x for v, x in each]


def true_bernstein(variance: Any, share: Any, largest: Any) -> list[Decimal]:
    """sqrt(2 v x) + M x / 3."""
    each = [(D(float(v)), D(float(x))) for v, x in zip(variance, share, strict=True)]
    return [root(2 * v * x) + D(largest) * x / 3 for v, x in each]


def reward_deviation(public: Any, mean: Any, share: Any) -> list[Decimal]:
    """2 sqrt(2 H r x) + 28 H x / 3."""
    each = [(max(D(float(r)), D(0)), D(float(x))) for r, x in zip(mean, share, strict=True)]
    return [root(8 * public.H * r * x) + D(28) / 3 * public.H * x for r, x in each]


_SHARES = {"share": np.array([1.0, 0.5, 0.01]), "variance": np.array([0.0, 0.25, 2.0])}
_COVER = tuple({**case, "width": 6.5, "epsilon": 0.4, "k": k} for case in EACH for k in (0, 90))
_NOISE = tuple({**case, "width": 6.5, "k": k} for case in AT for k in (0, 90))
_KERNEL = {
    "kernel": np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]), "visits": np.array([3.0, 50.0]),
    "arrivals": np.array([1.0, 1e9, 1e11]), "following": np.array([0.0, 1.5, 0.75]),
}  # fmt: skip
WRITINGS = (
    Writing(BONUSES, "log_term", log_term, (*EACH, *AT)),
    Writing(BONUSES, "hoeffding_width", hoeffding_width, (*EACH, *AT)),
    Writing(BONUSES, "deviation", deviation, tuple({**c, "variance": VISITS / 500, "visits": VISITS} for c in EACH)),
    Writing(BONUSES, "bernstein", bernstein, tuple({**c, **_KERNEL} for c in EACH)),
    Writing(BALLS, "radius", ball, tuple({**c, "visits": VISITS, "episodes": k} for c in EACH for k in (0, 33))),
    Writing(MODEL, "theorem_log", theorem_log, AT),
    Writing(MODEL, "hoeffding_regret", regret_hoeffding, AT),
    Writing(MODEL, "visit_sum_bound", visit_sum_bound, (*EACH, *({**c, "stale": 3} for c in EACH))),
    Writing(DOUBLING, "planning_bound", planning_bound, tuple({**c, "T": 800} for c in EACH)),
    Writing(CONFIDENCE, "entry_deviation", entry_deviation, tuple({**c, "P": VISITS / 500, "visits": VISITS - 1} for c in EACH)),
    Writing(CONFIDENCE, "row_deviation", row_deviation, tuple({**c, "visits": VISITS - 1} for c in EACH)),
    Writing(CONFIDENCE, "value_gap_bound", value_gap_bound, tuple({**c, "visits": 10.0**9 * VISITS} for c in (*EACH, *AT))),
    Writing(DOUBLED, "empirical_bernstein", empirical_bernstein, ({**_SHARES, "largest": 4},)),
    Writing(DOUBLED, "true_bernstein", true_bernstein, ({**_SHARES, "largest": 4},)),
    Writing(
        DOUBLED, "reward_deviation", reward_deviation,
        tuple({**c, "mean": np.array([-0.1, 0.3, 1.0]), "share": _SHARES["share"]} for c in EACH),
    ),
    Writing(CONSTANTS, "regret_hoeffding", regret_hoeffding, AT),
    Writing(CONSTANTS, "regret_bernstein", regret_bernstein, AT),
    Writing(CONSTANTS, "iota", iota, AT),
    Writing(CONSTANTS, "beta", beta, (*EACH, *AT)),
    Writing(CONSTANTS, "log_covering", log_covering, _COVER),
    Writing(CONSTANTS, "noise_bound", noise_bound, _NOISE),
    Writing(CONSTANTS, "explicit_width", explicit_width, EACH, True),
    Writing(CONSTANTS, "azuma", azuma, AT),
    Writing(CONSTANTS, "regret_linear", regret_linear, SCALED),
    Writing(Q_LEARNING, "iota", q_iota, AT),
    Writing(Q_LEARNING, "hoeffding_width", q_width, (*EACH, *AT)),
    Writing(Q_LEARNING, "regret", q_regret, SCALED),
    Writing(MIXTURES, "log_growth", log_growth, AT),
    Writing(MIXTURES, "largest_radius", largest_radius, AT),
    Writing(MIXTURES, "bonus_sum", bonus_sum, AT),
    Writing(MIXTURES, "regret", ucrl_vtr, SCALED),
    Writing(UCRL2, "regret", ucrl2, SCALED),
    Writing(PSRL, "regret", psrl, AT),
    Writing(RLSVI, "beta", rlsvi_beta, tuple({**c, "k": 9} for c in EACH)),
    Writing(RLSVI, "regret", rlsvi, SCALED),
    Writing(BERNSTEIN, "second_arm", second_arm, SCALED),
    Writing(BERNSTEIN, "first_arm", first_arm, SCALED),
    Writing(BERNSTEIN, "regret", bernstein_regret, SCALED),
    Writing(ELLIPSOIDS, "radius", ellipsoid, tuple({**c, "gram": np.diag([0.6, 2.0, 9.0, 30.0])} for c in EACH)),
    Writing(MVP, "logarithm", mvp_logarithm, (*EACH, *AT)),
    Writing(MVP, "reached", reached, tuple({**c, "K": K} for c in EACH for K in (1, 300))),
    Writing(MVP, "regret", mvp_regret, SCALED),
)  # fmt: skip
