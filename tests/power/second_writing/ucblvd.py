"""Lifelong learning with linear representations: widths, Lemmas 8, 13, 21 to 24, Theorems 1 to 5, with constants written out."""

from __future__ import annotations

from decimal import Decimal
from types import SimpleNamespace
from typing import Any

from .exact import D, ln, root
from .writing import Writing

MODULE = "verifier_ucblvd.shared.constants"


def _sizes(d: int, dp: int, H: int, K: int, ridge: float, delta: float) -> SimpleNamespace:
    return SimpleNamespace(d=d, dp=dp, H=H, K=K, ridge=ridge, delta=delta, L=1.4)


SIZES = (_sizes(3, 6, 4, 500, 0.5, 0.1), _sizes(2, 4, 3, 80, 2.0, 0.02), _sizes(1, 1, 1, 1, 1.0, 0.9))
EACH = tuple({"public": p} for p in SIZES)
AT = tuple({"public": p, "K": K} for p in SIZES for K in (p.K, 4321.0))


def _log(public: Any, dimensions: Any, K: Any) -> Decimal:
    """log(n T / delta), and 1 where it is less."""
    return max(ln(dimensions, K, public.H) - ln(public.delta), D(1))


def beta_at(public: Any, dimensions: Any, K: Any) -> Decimal:
    """c = 5/2, and the factor sqrt(lambda) where lambda is above 1."""
    logarithm = root(max(D(public.ridge), D(1)), _log(public, dimensions, K))
    return D(5) / 2 * public.H * (public.d + root(public.dp)) * logarithm


def beta(public: Any, dimensions: Any) -> Decimal:
    return beta_at(public, dimensions, public.K)


def beta_features(public: Any, K: Any) -> Decimal:
    return beta_at(public, public.d * public.dp, K)


def beta_psi(public: Any, K: Any) -> Decimal:
    """c = 5."""
    return root(25 * (public.H * public.dp) ** 2 * max(D(public.ridge), D(1)) * _log(public, public.dp, K))


def reward_width(public: Any) -> Decimal:
    return root(public.ridge, public.dp)


def _ball(dimension: int, length: Any, epsilon: Any) -> Decimal:
    """The logarithm of the number of balls of radius eps/2 that cover one of a radius: (1 + 4 L / eps)^n."""
    return dimension * (ln(D(epsilon) + 4 * D(length)) - ln(epsilon))


def _matrices(dimension: int, factor: Any, public: Any, epsilon: Any, squares: int = 8) -> Decimal:
    """The same of the matrices of a bonus: (1 + 8 sqrt(n) B^2 / (lambda eps^2))^(n^2)."""
    size = D(public.ridge) * D(epsilon) ** 2
    return dimension**2 * (ln(size + squares * root(dimension) * D(factor) ** 2) - ln(size))


def log_covering(public: Any, width: Any, epsilon: Any, multiplier: Any) -> Decimal:
    z = root(public.dp) + public.H * root(public.dp)
    return _ball(public.dp, z, epsilon) + _matrices(public.d, D(multiplier) * D(width), public, epsilon)


def log_covering_lsvi(public: Any, width: Any, epsilon: Any, k: Any) -> Decimal:
    y = public.H * root(public.d, max(D(k), D(1)) / D(public.ridge))
    both = _ball(public.dp, root(public.dp), epsilon) + _ball(public.d, y, epsilon)
    return both + _matrices(public.d, width, public, epsilon)


def log_covering_psi(public: Any, width: Any, epsilon: Any) -> Decimal:
    z = root(public.dp) + public.H * root(public.dp)
    return _ball(public.dp, z, epsilon) + _matrices(public.dp, width, public, epsilon)


def log_covering_rewards(public: Any, width: Any, epsilon: Any, multiplier: Any, K: Any) -> Decimal:
    z = root(public.dp) * (public.H + root(D(K) / D(public.ridge)))
    phi = _matrices(public.d, D(multiplier) * D(width), public, epsilon, 32)
    return _ball(public.dp, z, epsilon) + phi + _matrices(public.dp, reward_width(public), public, epsilon, 32)


def _noise(public: Any, n: int, cover: Decimal, k: Any, K: Any, contexts: int) -> Decimal:
    """2 H sqrt((n/2) log(1 + k/lambda) + cover + log(contexts H / delta) + 2 k^2 (n/K)^2 / lambda)."""
    if not k:
        return D(0)
    k, ridge = D(k), D(public.ridge)
    inside = D(n) / 2 * (ln(k + ridge) - ln(ridge)) + cover + ln(contexts, public.H) - ln(public.delta)
    return 2 * public.H * root(inside + 2 * (k * n / D(K)) ** 2 / ridge)


def noise_bound(public: Any, width: Any, k: Any, K: Any, multiplier: Any, contexts: int) -> Decimal:
    epsilon = D(public.d) * public.H / D(K)
    lsvi = log_covering_lsvi(public, width, epsilon, K)
    cover = log_covering(public, width, epsilon, multiplier) if multiplier else lsvi
    return _noise(public, public.d, cover, k, K, contexts)


def noise_bound_psi(public: Any, width: Any, k: Any, K: Any) -> Decimal:
    return _noise(public, public.dp, log_covering_psi(public, width, D(public.dp) * public.H / D(K)), k, K, 1)


def noise_bound_rewards(public: Any, width: Any, k: Any, K: Any, multiplier: Any, contexts: int) -> Decimal:
    cover = log_covering_rewards(public, width, D(public.d) * public.H / D(K), multiplier, K)
    return _noise(public, public.d, cover, k, K, contexts)


def explicit_width(found: Any, public: Any, multiplier: Any, contexts: int) -> Decimal:
    return public.H * root(public.ridge, public.d) + noise_bound(public, found, public.K, public.K, multiplier, contexts)


def explicit_width_rewards(found: Any, public: Any, multiplier: Any, contexts: int) -> Decimal:
    noise = noise_bound_rewards(public, found, public.K, public.K, multiplier, contexts)
    return public.H * root(public.ridge, public.d) + noise


def explicit_width_psi(found: Any, public: Any) -> Decimal:
    return public.H * root(public.ridge, public.dp) + noise_bound_psi(public, found, public.K, public.K)


def martingale_bound(public: Any, K: Any, dimension: Any = None) -> Decimal:
    return root(4 * public.H**3 * D(K) * _log(public, dimension or public.d, K))


def _growth(public: Any, K: Any) -> Decimal:
    return ln(D(public.ridge) + D(K)) - ln(public.ridge)


def elliptical(public: Any, K: Any) -> Decimal:
    return root(2 * public.d * _growth(public, K) * D(K))


def regret_bound_lsvi(public: Any, K: Any, scale: Any = 1) -> Decimal:
    return martingale_bound(public, K) + public.H * D(scale) * beta_features(public, K) * 2 * elliptical(public, K)


def regret_bound_ucblvd(public: Any, K: Any, scale: Any = 1) -> Decimal:
    width = D(scale) * beta_at(public, public.dp, K)
    return martingale_bound(public, K) + public.H * D(public.L) * width * root(128 * public.d * D(K) * _growth(public, K))


def planning_bound(public: Any, K: Any) -> Decimal:
    size = D(public.ridge) * public.d
    return public.d * public.H * (ln(size + D(K)) - ln(size))


def regret_bound_unknown_rewards(public: Any, K: Any, scale: Any = 1) -> Decimal:
    each = 2 * D(public.L) * beta_psi(public, K) * root(public.d) + reward_width(public) * root(public.dp)
    stale = D(1).exp().sqrt() * public.H * D(scale) * each * 2 * root(2 * _growth(public, K) * D(K))
    return martingale_bound(public, K) + stale


def printed_regret_bound_unknown_rewards(public: Any, K: Any, scale: Any = 1) -> Decimal:
    each = D(public.L) * beta_psi(public, K) * root(public.d) + reward_width(public) * root(public.dp)
    return martingale_bound(public, K) + public.H * D(scale) * each * root(32 * _growth(public, K) * D(K))


def regret_bound_sharing(public: Any, K: Any, scale: Any = 1) -> Decimal:
    main = public.H * D(scale) * beta_psi(public, K) * root(32 * public.dp * D(K) * _growth(public, K))
    return martingale_bound(public, K, public.dp) + main


def regret_bound_modified(public: Any, K: Any, scale: Any = 1) -> Decimal:
    main = public.H * D(public.L) * D(scale) * beta_features(public, K) * root(128 * public.d * D(K) * _growth(public, K))
    return martingale_bound(public, K) + main


_COVER = tuple({**case, "width": 4.5, "epsilon": 0.3} for case in EACH)
_NOISE = tuple({**case, "width": 4.5, "k": k} for case in AT for k in (0, 17))
_MULTIPLIED = tuple({**case, "multiplier": 2.8, "contexts": 3} for case in _NOISE)
_REGRETS = {
    "martingale_bound": martingale_bound,
    "elliptical": elliptical,
    "beta_features": beta_features,
    "beta_psi": beta_psi,
    "planning_bound": planning_bound,
    "regret_bound_lsvi": regret_bound_lsvi,
    "regret_bound_ucblvd": regret_bound_ucblvd,
    "regret_bound_unknown_rewards": regret_bound_unknown_rewards,
    "printed_regret_bound_unknown_rewards": printed_regret_bound_unknown_rewards,
    "regret_bound_sharing": regret_bound_sharing,
    "regret_bound_modified": regret_bound_modified,
}
WRITINGS = (
    Writing(MODULE, "beta", beta, tuple({**case, "dimensions": 7} for case in EACH)),
    Writing(MODULE, "beta_at", beta_at, tuple({**case, "dimensions": n} for case in AT for n in (1, 7))),
    Writing(MODULE, "reward_width", reward_width, EACH),
    Writing(MODULE, "log_covering", log_covering, tuple({**case, "multiplier": 2.8} for case in _COVER)),
    Writing(MODULE, "log_covering_lsvi", log_covering_lsvi, tuple({**case, "k": k} for case in _COVER for k in (0, 50))),
    Writing(MODULE, "log_covering_psi", log_covering_psi, _COVER),
    Writing(MODULE, "log_covering_rewards", log_covering_rewards, tuple({**c, "multiplier": 2.8, "K": 99} for c in _COVER)),
    Writing(MODULE, "noise_bound", noise_bound, (*_MULTIPLIED, *({**c, "multiplier": 0, "contexts": 1} for c in _NOISE))),
    Writing(MODULE, "noise_bound_psi", noise_bound_psi, _NOISE),
    Writing(MODULE, "noise_bound_rewards", noise_bound_rewards, _MULTIPLIED),
    Writing(MODULE, "explicit_width", explicit_width, tuple({**c, "multiplier": 2.8, "contexts": 3} for c in EACH), True),
    Writing(
        MODULE, "explicit_width_rewards", explicit_width_rewards,
        tuple({**c, "multiplier": 2.8, "contexts": 3} for c in EACH), True,
    ),
    Writing(MODULE, "explicit_width_psi", explicit_width_psi, EACH, True),
    *(Writing(MODULE, name, again, AT) for name, again in _REGRETS.items()),
)  # fmt: skip
