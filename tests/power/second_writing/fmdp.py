"""Factored MDPs: the logarithms, equations (1) to (14), Lemmas F.2 to F.4, E.3, and explicit bounds on the regret."""

from __future__ import annotations

from decimal import Decimal
from math import prod
from types import SimpleNamespace
from typing import Any

import numpy as np

from .exact import D, ln, power, root
from .writing import Writing

MODULE = "verifier_fmdp.shared.constants"
LOGS = "verifier_settings.factored.logs"
COUNTING = "verifier_properties.factored.counting"
REGRET = "verifier_properties.factored.regret"
FORMULAS = "verifier_properties.factored.formulas"
LAWS = "verifier_properties.knapsack.confidence"
FLAT = "verifier_properties.factored.flat"
KNAPSACK = "verifier_settings.knapsack.bonuses"


def _sizes(H: int, K: int, delta: float) -> SimpleNamespace:
    sizes = (2, 3, 2)
    return SimpleNamespace(
        n=2, m=3, H=H, K=K, T=H * K, S=6, A=2, X=12, delta=delta, state_sizes=(2, 3), transition_scopes=((0, 2), (0, 1, 2)),
        reward_scopes=((0,), (1,), (1, 2)), cell_count=lambda scope: prod(sizes[i] for i in scope),
    )  # fmt: skip


SIZES = (_sizes(4, 200, 0.1), _sizes(1, 50, 0.02))
EACH = tuple({"public": p} for p in SIZES)
AT = tuple({"public": p, "K": K} for p in SIZES for K in (p.K, 4321.0))
SCALED = (*AT, *({**case, "scale": 0.3} for case in AT))


def log_transition(public: Any, K: Any = None) -> Decimal:
    return ln(18, public.n, public.K if K is None else K, public.H, public.S, public.A) - ln(public.delta)


def log_reward(public: Any, K: Any = None) -> list[Decimal]:
    rest = ln(18, public.m, public.K if K is None else K, public.H) - ln(public.delta)
    return [rest + ln(public.cell_count(scope)) for scope in public.reward_scopes]


def _cells(public: Any) -> list[int]:
    return [public.cell_count(scope) for scope in public.transition_scopes]


def _root_sum(X: int, T: Any, H: int) -> Decimal:
    return root(8 * X * D(T)) + 2 * H * X


def _inverse_sum(X: int, T: Any, H: int) -> Decimal:
    return 2 * X * (1 + H + ln(T))


def root_sum(cells: Any, T: Any, H: int) -> list[Decimal]:
    return [_root_sum(int(X), T, H) for X in cells]


def inverse_sum(cells: Any, T: Any, H: int) -> list[Decimal]:
    return [_inverse_sum(int(X), T, H) for X in cells]


def _shares(public: Any, K: Any, scale: Any) -> list[Decimal]:
    """4 |S_j| L, with the scale."""
    return [4 * size * D(scale) * log_transition(public, K) for size in public.state_sizes]


def _phi_squared(public: Any, K: Any, scale: Any) -> list[Decimal]:
    T = D(K) * public.H
    pairs = zip(_shares(public, K, scale), _cells(public), strict=True)
    return [(2 * s + 2 * (s / 3) ** 2) * _inverse_sum(X, T, public.H) for s, X in pairs]


def bonuses_hoeffding(public: Any, K: Any, scale: Any = 1) -> Decimal:
    H, T, scopes = public.H, D(K) * public.H, public.reward_scopes
    rewards = [
        root(2 * D(scale) * L) * _root_sum(public.cell_count(scope), T, H)
        for L, scope in zip(log_reward(public, K), scopes, strict=True)
    ]
    single = [root(2 * H * H * D(scale) * log_transition(public, K)) * _root_sum(X, T, H) for X in _cells(public)]
    squared = _phi_squared(public, K, scale)
    cross = [root(a, b) for i, a in enumerate(squared) for j, b in enumerate(squared) if i != j]
    return sum(rewards) / public.m + sum(single) + H * sum(cross)


def bonuses_bernstein(public: Any, K: Any, scale: Any = 1) -> Decimal:
    H, T, scale = public.H, D(K) * public.H, D(scale)
    rewards = D(0)
    for L, scope in zip(log_reward(public, K), public.reward_scopes, strict=True):
        X = public.cell_count(scope)
        rewards += root(scale * L / 2) * _root_sum(X, T, H) + 8 * scale * L / 3 * _inverse_sum(X, T, H)
    L = scale * log_transition(public, K)
    # sigma <= H/2 gives sqrt(4 H^2/4 L / N), u <= H^2 gives sqrt(2 H^2 L / N)
    single = sum((root(H * H * L) + root(2 * H * H * L)) * _root_sum(X, T, H) for X in _cells(public))
    inverse = [_inverse_sum(X, T, H) for X in _cells(public)]
    mixed = [root(root(s * y * T)) + root(s * y / 3) for s, y in zip(_shares(public, K, scale), inverse, strict=True)]
    eta = sum(4 * H * root(L * y) * other for y in inverse for other in mixed)
    squared = _phi_squared(public, K, scale)
    phi = sum(root(a, b) for a in squared for b in squared)
    return rewards / public.m + single + eta + H * phi


def _around(public: Any, K: Any) -> Decimal:
    H, T = public.H, D(K) * public.H
    noise = root(4 * H * H * T * ln(18, public.S, public.A, T))
    phi = sum(
        root(s) * _root_sum(X, T, H) + s * _inverse_sum(X, T, H) / 3
        for s, X in zip(_shares(public, K, 1), _cells(public), strict=True)
    )
    return noise + H * H * sum(_cells(public)) + H * phi


def regret_hoeffding(public: Any, K: Any) -> Decimal:
    return 2 * bonuses_hoeffding(public, K) + _around(public, K)


def regret_bernstein(public: Any, K: Any) -> Decimal:
    return 2 * bonuses_bernstein(public, K) + _around(public, K)


# Counting ---------------------------------------------------------------------------------------------------------------


def burn_in(public: Any) -> list[Decimal]:
    """Of transitions, then of rewards."""
    kinds = [(public.n, scope) for scope in public.transition_scopes] + [(public.m, scope) for scope in public.reward_scopes]
    return [public.H * (ln(18, count, public.cell_count(scope), public.H) - ln(public.delta)) for count, scope in kinds]


def _all_cells(public: Any) -> list[int]:
    return [public.cell_count(scope) for scope in (*public.transition_scopes, *public.reward_scopes)]


def bad_weight_bound(public: Any) -> list[Decimal]:
    return [8 * X * b for X, b in zip(_all_cells(public), burn_in(public), strict=True)]


def good_sum_bound(public: Any) -> list[Decimal]:
    return [4 * X * ln(public.T) for X in _all_cells(public)]


def inverse_sum_bound(public: Any) -> list[Decimal]:
    return [a + b for a, b in zip(good_sum_bound(public), bad_weight_bound(public), strict=True)]


def visit_sum_bound(public: Any) -> list[Decimal]:
    return [_root_sum(X, public.T, public.H) for X in _all_cells(public)]


def log_martingale(public: Any, K: Any = None) -> Decimal:
    return ln(18, public.S, public.A, public.K if K is None else K, public.H)


def martingale_bound(public: Any, K: Any) -> Decimal:
    return root(4 * public.H**3 * D(K) * log_martingale(public, K))


def flat_log(public: Any) -> Decimal:
    return ln(18, public.T, public.S, public.A) - ln(public.delta)


def flat_bonus(public: Any, visits: Any, reward_width: Any, width: Any) -> list[Decimal]:
    total = root(2 * D(float(reward_width)) * flat_log(public)) + root(2 * public.H**2 * D(float(width)) * flat_log(public))
    return [total / root(max(D(float(n)), D(1))) for n in visits]


# With knapsacks ---------------------------------------------------------------------------------------------------------

WITH_BUDGETS = (SimpleNamespace(d=2, T=600, X=8, G=20, H=3, sizes=(4, 2, 3), delta=0.1),)
VISITS = np.array([0.0, 1.0, 7.0, 300.0])


def budget_log(public: Any) -> Decimal:
    return ln(18, public.d + 1, public.T, public.X, public.G) - ln(public.delta)


def _share(L: Any, n: Any) -> Decimal:
    return D(float(L)) / max(D(float(n)), D(1))


def budget_reward(variance: Any, L: Any, visits: Any) -> list[Decimal]:
    return [root(2 * D(float(v)), _share(L, n)) + _share(L, n) * 8 / 3 for v, n in zip(variance, visits, strict=True)]


def budget_cross(public: Any, L: Any, visits: Any) -> list[list[Decimal]]:
    """One count for all factors."""
    rows: list[list[Decimal]] = [[] for _ in public.sizes]
    for a, n in zip(L, visits, strict=True):
        wide = [4 * size * _share(a, n) for size in public.sizes]
        phi = [root(w) + w / 3 for w in wide]
        roots = sum(power(w, D("0.25")) + root(w / 3) for w in wide)
        for row, radius in zip(rows, phi, strict=True):
            row.append(public.H * (4 * root(_share(a, n)) * roots + radius * sum(phi)))
    return rows


def budget_leading(variance: Any, correction: Any, L: Any, visits: Any) -> list[Decimal]:
    each = zip(variance, correction, visits, strict=True)
    return [2 * root(D(float(v)), _share(L, n)) + root(2 * D(float(u)), _share(L, n)) for v, u, n in each]


def law_log(public: Any) -> Decimal:
    return ln(2, sum(public.sizes) + 1, public.X, public.T) - ln(public.delta)


def law_deviation(P: Any, share: Any) -> list[Decimal]:
    each = [(D(float(p)), D(float(x))) for p, x in zip(P, share, strict=True)]
    return [root(2 * (p - p * p) * x) + x / 3 for p, x in each]


def reward_deviation(share: Any) -> list[Decimal]:
    return [root(x) / root(2) for x in share]


# Formulas of a view -----------------------------------------------------------------------------------------------------


class _View:
    """What the formulas read of one: one plan, two factors, one pair; numbers of visits, widths and variances."""

    def __init__(self) -> None:
        self.public = SIZES[0]
        self.width, self.reward_width = np.full((1, 4), 0.8), np.array([0.6])
        self.seen = np.array([[[7.0], [30.0]]])
        self.estimates = SimpleNamespace(visits=np.array([[[7.0], [30.0]]]), reward_visits=np.array([[[3.0], [0.0], [9.0]]]))
        self.true_variance = np.array([0.5, 1.25]).reshape(1, 2, 1, 1)

    def once(self, function: Any) -> Any:
        return function(self)


VIEW = _View()


def _formula_share(view: Any) -> list[Decimal]:
    """L / N_j with the width."""
    return [D(0.8) * log_transition(view.public) / n for n in (7, 30)]


def _column(values: Any) -> Any:
    """(1, n, 1, 1)."""
    return np.array([float(x) for x in values]).reshape(1, -1, 1, 1)


def _phi(view: Any) -> list[Decimal]:
    wide = [4 * size * x for size, x in zip(view.public.state_sizes, _formula_share(view), strict=True)]
    return [root(w) + w / 3 for w in wide]


def _eta(view: Any) -> list[Decimal]:
    shares, phi, H = _formula_share(view), _phi(view), view.public.H
    wide = [4 * size * x for size, x in zip(view.public.state_sizes, shares, strict=True)]
    bracket = sum(root(root(w)) + root(w / 3) for w in wide)
    return [4 * H * root(x) * bracket + H * r * sum(phi) for x, r in zip(shares, phi, strict=True)]


def view_root(view: Any, L: Any) -> Any:
    return _column(root(2 * view.public.H**2 * D(float(L)) / n) for n in (7, 30))


def view_freedman(view: Any, L: Any) -> Any:
    found = [(D(v) * 2, D(float(L)) / n) for v, n in ((0.5, 7), (1.25, 30))]
    return _column(root(v * x) + D(2) / 3 * view.public.H * x for v, x in found)


def view_hoeffding(view: Any) -> Any:
    phi, H = _phi(view), view.public.H
    return _column(root(2 * H * H * x) + H * phi[0] * phi[1] for x in _formula_share(view))


def view_bernstein(view: Any, variance: Any, correction: Any) -> Any:
    each = zip(_formula_share(view), variance.ravel(), correction.ravel(), _eta(view), strict=True)
    return _column(2 * root(D(float(v)) * x) + root(2 * D(float(u)) * x) + eta for x, v, u, eta in each)


def _parts(values: Any) -> Any:
    """(1, m, 1)."""
    return np.array([float(x) for x in values]).reshape(1, -1, 1)


def view_reward(view: Any) -> Any:
    return _parts(root(2 * D(0.6) * L / n) for L, n in zip(log_reward(view.public), (3, 1, 9), strict=True))


def view_reward_bernstein(view: Any, variance: Any, L: Any) -> Any:
    shares = [D(float(L)) / n for n in (3, 1, 9)]
    return _parts(root(2 * D(float(v)) * x) + 8 * x / 3 for v, x in zip(variance.ravel(), shares, strict=True))


_WIDTH_LOG = 0.8 * float(log_transition(SIZES[0]))
_FOUND = np.array([0.5, 1.25]).reshape(1, 2, 1, 1)
_VARIANCES = np.array([0.0, 0.1, 0.2, 0.25])
_CROSS = {"public": WITH_BUDGETS[0], "L": np.full(4, 9.5), "visits": VISITS}
_SUMS = tuple({"cells": np.array([4.0, 12.0]), "T": 800.0, "H": H} for H in (1, 4))
WRITINGS = (
    Writing(MODULE, "log_transition", log_transition, AT),
    Writing(MODULE, "log_reward", log_reward, AT),
    Writing(MODULE, "root_sum", root_sum, _SUMS),
    Writing(MODULE, "inverse_sum", inverse_sum, _SUMS),
    Writing(MODULE, "bonuses_hoeffding", bonuses_hoeffding, SCALED),
    Writing(MODULE, "bonuses_bernstein", bonuses_bernstein, SCALED),
    Writing(MODULE, "regret_hoeffding", regret_hoeffding, AT),
    Writing(MODULE, "regret_bernstein", regret_bernstein, AT),
    Writing(LOGS, "log_transition", log_transition, EACH),
    Writing(LOGS, "log_reward", log_reward, EACH),
    Writing(COUNTING, "burn_in", burn_in, EACH),
    Writing(COUNTING, "bad_weight_bound", bad_weight_bound, EACH),
    Writing(COUNTING, "good_sum_bound", good_sum_bound, EACH),
    Writing(COUNTING, "inverse_sum_bound", inverse_sum_bound, EACH),
    Writing(COUNTING, "visit_sum_bound", visit_sum_bound, EACH),
    Writing(REGRET, "log_martingale", log_martingale, (*AT, *EACH)),
    Writing(REGRET, "martingale_bound", martingale_bound, AT),
    Writing(FLAT, "flat_log", flat_log, EACH),
    Writing(
        FLAT, "flat_bonus", flat_bonus,
        tuple({**case, "visits": VISITS, "reward_width": np.array(0.7), "width": np.array(0.4)} for case in EACH),
    ),
    Writing(FORMULAS, "radius", lambda view, L: _column(_phi(view)), ({"view": VIEW, "L": _WIDTH_LOG},)),
    Writing(FORMULAS, "hoeffding_root", view_root, ({"view": VIEW, "L": 9.5},)),
    Writing(FORMULAS, "freedman", view_freedman, ({"view": VIEW, "L": 9.5},)),
    Writing(FORMULAS, "hoeffding", view_hoeffding, ({"view": VIEW},)),
    Writing(FORMULAS, "eta", lambda view: _column(_eta(view)), ({"view": VIEW},)),
    Writing(FORMULAS, "bernstein", view_bernstein, ({"view": VIEW, "variance": _FOUND, "correction": 3 * _FOUND},)),
    Writing(FORMULAS, "hoeffding_reward", view_reward, ({"view": VIEW},)),
    Writing(
        FORMULAS, "bernstein_reward", view_reward_bernstein,
        ({"view": VIEW, "variance": np.array([[[0.2], [0.0], [0.1]]]), "L": 9.5},),
    ),
    Writing(LAWS, "_log", law_log, tuple({"public": p} for p in WITH_BUDGETS)),
    Writing(LAWS, "law_deviation", law_deviation, ({"P": np.array([0.0, 0.3, 1.0]), "share": np.array([0.5, 0.1, 0.01])},)),
    Writing(LAWS, "reward_deviation", reward_deviation, ({"share": np.array([0.5, 0.1, 0.01])},)),
    Writing(KNAPSACK, "log_term", budget_log, tuple({"public": p} for p in WITH_BUDGETS)),
    Writing(KNAPSACK, "reward_bonus", budget_reward, ({"variance": _VARIANCES, "L": 9.5, "visits": VISITS},)),
    Writing(KNAPSACK, "cross", budget_cross, (_CROSS,)),
    Writing(
        KNAPSACK, "leading", budget_leading,
        ({"variance": _VARIANCES, "correction": 2 * _VARIANCES, "L": 9.5, "visits": VISITS},),
    ),
)  # fmt: skip
