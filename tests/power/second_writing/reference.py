"""UCBVI, UCRL2, LSVI-UCB, UCRL-VTR, Q-learning, MVP, PSRL and RLSVI: bonuses, confidence sets, and bounds on the regret."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np

from .exact import D, ln, power, root
from .writing import Writing

CONSTANTS = "verifier_reference.shared.constants"
Q_LEARNING = "verifier_reference.shared.q_learning"
MIXTURES = "verifier_reference.shared.ucrl_vtr"
UCRL2 = "verifier_reference.shared.ucrl2"
RF_UCRL = "verifier_reference.shared.rf_ucrl"
BPI_UCRL = "verifier_reference.shared.bpi_ucrl"
ERRORS = "verifier_properties.episodic.error_bounds"
PSRL = "verifier_reference.shared.psrl"
RLSVI = "verifier_reference.shared.rlsvi"
BERNSTEIN = "verifier_reference.shared.bernstein"
ELLIPSOIDS = "verifier_settings.episodic.mixtures"
REGRESSION = "verifier_properties.episodic.mixtures"
MVP = "verifier_reference.shared.mvp"
MODEL = "verifier_properties.episodic.tabular_model"
PLANNING = "verifier_properties.episodic.planning"
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
ACCURATE = tuple({"public": SimpleNamespace(**{**vars(p), "epsilon": e})} for p in SIZES for e in (0.3, 0.9))
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


def model_log(S: Any, A: Any, T: Any, delta: Any) -> Decimal:
    return ln(5, S, A, T) - ln(delta)


def value_deviation(v: Any, H: Any, L: Any, N: Any) -> list[Decimal]:
    """c_1(v, n) = 2 sqrt(v L / n) + 14 H L / (3 n)."""
    each = [(D(float(x)), D(float(n))) for x, n in zip(v, N, strict=True)]
    return [root(4 * x * D(L) / n) + D(14) / 3 * H * D(L) / n for x, n in each]


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


def entry_deviation(P: Any, L: Any, N: Any) -> list[Decimal]:
    """c_2 = 2 sqrt(p (1 - p) L / n) + 2 L / (3 n)."""
    each = [(D(float(p)), D(float(n))) for p, n in zip(P, N, strict=True)]
    return [root(4 * (p - p * p) * D(L) / n) + D(L) / n / D("1.5") for p, n in each]


def row_deviation(S: Any, L: Any, N: Any) -> list[Decimal]:
    """c_3 = 2 sqrt(S L / n)."""
    return [root(4 * S * D(L) / D(float(n))) for n in N]


def value_gap_bound(H: Any, S: Any, A: Any, L: Any, N: Any) -> list[Decimal]:
    return [min(root(10**4 * H**3 * S**2 * A * D(L) ** 2 / D(float(n))), D(H)) for n in N]


# Balls, mixtures ----------------------------------------------------------------------------------------------------------


def ball(S: Any, A: Any, t: Any, delta: Any, N: Any) -> list[Decimal]:
    """sqrt(14 S log(2 A t / delta) / N)."""
    return [root(14 * S * (ln(2, A, t) - ln(delta)) / D(float(n))) for n in N]


def ucrl2(public: Any, K: Any, scale: Any = 1) -> Decimal:
    S, A, H, T = public.S, public.A, public.H, D(K) * public.H
    radius = D(scale) * root(14 * S * (ln(2, A, T) - ln(public.delta)))
    squares = sum(j * j for j in range(H))
    visits = 3 * H * S * A + root(12 * S * A * T)
    return (H - 1) * radius * visits + root(D(K) * squares * (ln(2) - ln(public.delta)) / 2)


def error_beta(S: Any, A: Any, H: Any, delta: Any, N_h: Any) -> list[Decimal]:
    """log(2SAH/delta) + (S-1) log(e (1 + n/(S-1)))."""
    union = ln(2, S, A, H) - ln(delta)
    return [union + (S - 1) * (ln(Decimal(1).exp()) + ln(S - 1 + D(float(n))) - ln(S - 1)) if S > 1 else union for n in N_h]


def explored(public: Any, t: Any) -> Decimal:
    (beta,) = error_beta(public.S, public.A, public.H, public.delta, (t,))
    H, t = public.H, D(t)
    visited = H * H * public.X + root(32 * H**4 * beta * public.X * t)
    return visited + root(H * H * t * (H - 1) * (ln(2) - ln(public.delta)) / 2)


def enough(public: Any, t: Any) -> bool:
    return D(t) * D(public.epsilon) >= 2 * explored(public, t)


def stops_after(public: Any) -> Decimal:
    """T - 1: from t = 1 on, t becomes the least number for which what is explored in t episodes would do, until it is enough."""
    t = Decimal(1)
    while not enough(public, t):
        t = (2 * explored(public, t) / D(public.epsilon)).to_integral_value(ROUND_CEILING)
    return t - 1


def gaps(public: Any, t: Any) -> Decimal:
    (beta,) = error_beta(public.S, public.A, public.H, public.delta, (t,))
    H, t = public.H, D(t)
    visited = H * H * public.X + root(72 * H**4 * beta * public.X * t)
    return visited + root(H * H * t * (H - 1) * (ln(2) - ln(public.delta)) / 2)


def gaps_enough(public: Any, t: Any) -> bool:
    return D(t) * D(public.epsilon) >= gaps(public, t)


def gaps_end(public: Any) -> Decimal:
    t = Decimal(1)
    while not gaps_enough(public, t):
        t = (gaps(public, t) / D(public.epsilon)).to_integral_value(ROUND_CEILING)
    return max(Decimal(1), t - 1)


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


def value_noise(H: Any, delta: Any, G: Any) -> Decimal:
    return D(H) * root((ln(1) - ln(delta)) / 2 + D(G) / 4)


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


def empirical_bernstein(v: Any, M: Any, iota: Any, n: Any) -> list[Decimal]:
    """2 sqrt(v iota / n) + 14 M iota / 3n."""
    each = [(D(float(x)), D(iota) / D(float(m))) for x, m in zip(v, n, strict=True)]
    return [root(4 * x * share) + D(14) / 3 * M * share for x, share in each]


def true_bernstein(v: Any, M: Any, iota: Any, n: Any) -> list[Decimal]:
    """sqrt(2 v iota / n) + M iota / 3n."""
    each = [(D(float(x)), D(iota) / D(float(m))) for x, m in zip(v, n, strict=True)]
    return [root(2 * x * share) + M * share / 3 for x, share in each]


def reward_deviation(mean: Any, H: Any, iota: Any, n: Any) -> list[Decimal]:
    """2 sqrt(2 H r iota / n) + 28 H iota / 3n."""
    each = [(max(D(float(r)), D(0)), D(iota) / D(float(m))) for r, m in zip(mean, n, strict=True)]
    return [root(8 * H * r * share) + D(28) / 3 * H * share for r, share in each]


def largest_parameter(H: Any, d: Any) -> Decimal:
    return root(4 * D(H) * H * d)


def largest_estimate(H: Any, d: Any, k: Any, ridge: Any) -> list[Decimal]:
    return [root(4 * D(H) * H * d, D(int(each)) / D(ridge)) for each in k]


_SEEN = ({"L": 8.5, "N": VISITS}, {"L": 12.25, "N": VISITS})
_DOUBLED = {"iota": 6.5, "n": np.array([1.0, 2.0, 512.0])}
_VARIANCE = {**_DOUBLED, "v": np.array([0.0, 0.25, 2.0]), "M": 4}
_COVER = tuple({**case, "width": 6.5, "epsilon": 0.4, "k": k} for case in EACH for k in (0, 90))
_NOISE = tuple({**case, "width": 6.5, "k": k} for case in AT for k in (0, 90))
_KERNEL = {
    "kernel": np.array([[0.5, 0.25, 0.25], [0.0, 1.0, 0.0]]), "visits": np.array([3.0, 50.0]),
    "arrivals": np.array([1.0, 1e9, 1e11]), "following": np.array([0.0, 1.5, 0.75]),
}  # fmt: skip
WRITINGS = (
    Writing(BONUSES, "log_term", log_term, (*EACH, *AT)),
    Writing(BONUSES, "hoeffding_width", hoeffding_width, (*EACH, *AT)),
    Writing(BONUSES, "bernstein", bernstein, tuple({**c, **_KERNEL} for c in EACH)),
    Writing(BALLS, "radius", ball, tuple({"S": 3, "A": 2, "t": t, "delta": 0.2, "N": VISITS} for t in (1, 133))),
    Writing(MODEL, "log_term", model_log, ({"S": 5, "A": 3, "T": 1200, "delta": 0.1}, {"S": 2, "A": 2, "T": 40, "delta": 0.02})),
    Writing(MODEL, "theorem_log", theorem_log, AT),
    Writing(MODEL, "hoeffding_regret", regret_hoeffding, AT),
    Writing(MODEL, "visit_sum_bound", visit_sum_bound, (*EACH, *({**c, "stale": 3} for c in EACH))),
    Writing(PLANNING, "parameter_norm", largest_parameter, ({"H": 4, "d": 3},)),
    Writing(PLANNING, "estimate_norm", largest_estimate, ({"H": 4, "d": 3, "k": np.array([0, 1, 90]), "ridge": 0.6},)),
    Writing(DOUBLING, "planning_bound", planning_bound, tuple({**c, "T": 800} for c in EACH)),
    Writing(CONFIDENCE, "value_deviation", value_deviation, tuple({**c, "v": VISITS / 500, "H": 4} for c in _SEEN)),
    Writing(CONFIDENCE, "entry_deviation", entry_deviation, tuple({**c, "P": VISITS / 500} for c in _SEEN)),
    Writing(CONFIDENCE, "row_deviation", row_deviation, tuple({**c, "S": 5} for c in _SEEN)),
    Writing(
        CONFIDENCE, "value_gap_bound", value_gap_bound,
        tuple({"H": H, "S": 5, "A": 3, "L": 8.5, "N": 10.0**9 * VISITS} for H in (1, 4)),
    ),
    Writing(DOUBLED, "empirical_bernstein", empirical_bernstein, (_VARIANCE,)),
    Writing(DOUBLED, "true_bernstein", true_bernstein, (_VARIANCE,)),
    Writing(
        DOUBLED, "reward_deviation", reward_deviation,
        tuple({**_DOUBLED, "H": H, "mean": np.array([-0.1, 0.3, 1.0])} for H in (1, 4)),
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
    Writing(ERRORS, "beta", error_beta, tuple({"S": S, "A": 3, "H": 4, "delta": 0.2, "N_h": VISITS} for S in (1, 2, 5))),
    Writing(RF_UCRL, "explored", explored, tuple({**c, "t": t} for c in ACCURATE for t in (1.0, 300.0))),
    Writing(RF_UCRL, "enough", enough, tuple({**c, "t": t} for c in ACCURATE for t in (1.0, 1e4, 1e9))),
    Writing(RF_UCRL, "episodes", stops_after, ACCURATE),
    Writing(BPI_UCRL, "explored", gaps, tuple({**c, "t": t} for c in ACCURATE for t in (1.0, 300.0))),
    Writing(BPI_UCRL, "enough", gaps_enough, tuple({**c, "t": t} for c in ACCURATE for t in (1.0, 1e4, 1e9))),
    Writing(BPI_UCRL, "episodes", gaps_end, ACCURATE),
    Writing(PSRL, "regret", psrl, AT),
    Writing(RLSVI, "beta", rlsvi_beta, tuple({**c, "k": 9} for c in EACH)),
    Writing(RLSVI, "regret", rlsvi, SCALED),
    Writing(BERNSTEIN, "second_arm", second_arm, SCALED),
    Writing(BERNSTEIN, "first_arm", first_arm, SCALED),
    Writing(BERNSTEIN, "regret", bernstein_regret, SCALED),
    Writing(ELLIPSOIDS, "radius", ellipsoid, tuple({**c, "gram": np.diag([0.6, 2.0, 9.0, 30.0])} for c in EACH)),
    Writing(REGRESSION, "noise_bound", value_noise, tuple({"H": 3.0, "delta": 0.1, "G": G} for G in (0.0, 4.5))),
    Writing(MVP, "logarithm", mvp_logarithm, (*EACH, *AT)),
    Writing(MVP, "reached", reached, tuple({**c, "K": K} for c in EACH for K in (1, 300))),
    Writing(MVP, "regret", mvp_regret, SCALED),
)  # fmt: skip
