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


def burn_in(H: Any, X: Any, n: Any, delta: Any) -> Decimal:
    return H * (ln(18, n, X, H) - ln(delta))


def bad_weight_bound(X: Any, b: Any) -> Decimal:
    return 8 * X * D(b)


def good_sum_bound(X: Any, T: Any) -> Decimal:
    return 4 * X * ln(T)


def inverse_sum_bound(X: Any, T: Any, b: Any) -> Decimal:
    return good_sum_bound(X, T) + bad_weight_bound(X, b)


def visit_sum_bound(X: Any, T: Any, H: Any) -> Decimal:
    return _root_sum(X, T, H)


def azuma(H: Any, T: Any, S: Any, A: Any) -> Decimal:
    return root(4 * H**2 * T * ln(18, S, A, T))


def flat_log(T: Any, S: Any, A: Any, delta: Any) -> Decimal:
    return ln(18, T, S, A) - ln(delta)


def flat_bonus(H: Any, L: Any, N: Any, w: Any, w_R: Any) -> Decimal:
    return root(2 * D(w_R) * D(L) / N) + root(2 * H**2 * D(w) * D(L) / N)


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


def law_log(values: Any, X: Any, T: Any, delta: Any) -> Decimal:
    return ln(2, values + 1, X, T) - ln(delta)


def law_deviation(P: Any, l: Any, N: Any) -> list[Decimal]:  # noqa: E741  # as it is called in the derivation
    shares = [(D(float(p)), _share(l, n)) for p, n in zip(P, N, strict=True)]
    return [root(2 * (p - p * p) * share) + share / 3 for p, share in shares]


def reward_deviation(l: Any, N: Any) -> list[Decimal]:  # noqa: E741  # the same
    return [root(_share(l, n)) / root(2) for n in N]


# Equations of the bonuses and events ------------------------------------------------------------------------------------


def hoeffding_reward(L_R: Any, N: Any) -> Decimal:
    return root(2 * D(L_R) / N)


def bernstein_reward(Var_R: Any, L_R: Any, N: Any) -> Decimal:
    return root(2 * D(Var_R) * D(L_R) / N) + 8 * D(L_R) / N / 3


def hoeffding_root(H: Any, L: Any, N: Any) -> Decimal:
    return root(2 * H**2 * D(L) / N)


def radius(S_j: Any, L: Any, N: Any) -> Decimal:
    wide = 4 * S_j * D(L) / N
    return root(wide) + wide / 3


def entry_radius(P: Any, L: Any, N: Any) -> Decimal:
    return root(2 * D(P) * D(L) / N) + D(L) / N / 3


def freedman(sigma2: Any, H: Any, L: Any, N: Any) -> Decimal:
    return root(D(sigma2) * D(L) / N * 2) + D(2) / 3 * H * D(L) / N


def hoeffding(H: Any, L: Any, N: Any, cross: Any) -> Decimal:
    return root(2 * H**2 * D(L) / N) + D(cross)


def eta(H: Any, L: Any, N: Any, mixed: Any, all_pairs: Any) -> Decimal:
    return 4 * H * root(D(L) / N) * D(mixed) + H * D(all_pairs)


def bernstein(sigma2: Any, u: Any, L: Any, N: Any, eta: Any) -> Decimal:
    return 2 * root(D(sigma2) * D(L) / N) + root(2 * D(u) * D(L) / N) + D(eta)


def lower_order(view: Any) -> Any:
    """Of two factors of 2 and 3 values, seen 7 and 30 times."""
    wide = [4 * size * D(0.8) * log_transition(view.public) / n for size, n in zip((2, 3), (7, 30), strict=True)]
    return np.full((1, 1, 1, 1), float(sum(root(root(w)) + root(w / 3) for w in wide)))


class _View:
    """What formulas of a view read of one: one plan, two factors, one pair; numbers of visits and widths."""

    public = SIZES[0]
    width = np.full((1, 4), 0.8)
    seen = np.array([[[7.0], [30.0]]])
    factor_sizes = np.array([2.0, 3.0])[:, None, None]

    def once(self, function: Any) -> Any:
        return function(self)


def _at(**values: Any) -> tuple[dict[str, Any], ...]:
    """Arguments with L and N."""
    return tuple({**values, "L": 9.5, "N": n} for n in (1, 7, 300))


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
    Writing(COUNTING, "burn_in", burn_in, tuple({"H": 4, "X": X, "n": n, "delta": 0.1} for X, n in ((4, 2), (12, 3)))),
    Writing(COUNTING, "bad_weight_bound", bad_weight_bound, ({"X": 4, "b": 9.5},)),
    Writing(COUNTING, "good_sum_bound", good_sum_bound, ({"X": 4, "T": 800.0},)),
    Writing(COUNTING, "inverse_sum_bound", inverse_sum_bound, ({"X": 4, "T": 800.0, "b": 9.5},)),
    Writing(COUNTING, "visit_sum_bound", visit_sum_bound, tuple({"X": 12, "T": 800.0, "H": H} for H in (1, 4))),
    Writing(REGRET, "azuma", azuma, tuple({"H": p.H, "T": p.T, "S": p.S, "A": p.A} for p in SIZES)),
    Writing(FLAT, "flat_log", flat_log, tuple({"T": p.T, "S": p.S, "A": p.A, "delta": p.delta} for p in SIZES)),
    Writing(FLAT, "flat_bonus", flat_bonus, _at(H=4, w=0.4, w_R=0.7)),
    Writing(FORMULAS, "hoeffding_reward", hoeffding_reward, ({"L_R": 9.5, "N": 7},)),
    Writing(FORMULAS, "bernstein_reward", bernstein_reward, tuple({"Var_R": v, "L_R": 9.5, "N": 7} for v in (0.0, 0.2))),
    Writing(FORMULAS, "hoeffding_root", hoeffding_root, _at(H=4)),
    Writing(FORMULAS, "radius", radius, _at(S_j=3)),
    Writing(FORMULAS, "entry_radius", entry_radius, (*_at(P=0.0), *_at(P=0.3))),
    Writing(FORMULAS, "freedman", freedman, _at(sigma2=1.25, H=4)),
    Writing(FORMULAS, "hoeffding", hoeffding, _at(H=4, cross=2.5)),
    Writing(FORMULAS, "eta", eta, _at(H=4, mixed=1.5, all_pairs=0.5)),
    Writing(FORMULAS, "bernstein", bernstein, _at(sigma2=1.25, u=0.5, eta=2.5)),
    Writing(FORMULAS, "lower_order", lower_order, ({"view": _View()},)),
    Writing(LAWS, "logarithm", law_log, ({"values": 9, "X": 8, "T": 600, "delta": 0.1},)),
    Writing(LAWS, "law_deviation", law_deviation, ({"P": np.array([0.0, 0.3, 1.0]), "l": 9.5, "N": VISITS[1:]},)),
    Writing(LAWS, "reward_deviation", reward_deviation, ({"l": 9.5, "N": VISITS[1:]},)),
    Writing(KNAPSACK, "log_term", budget_log, tuple({"public": p} for p in WITH_BUDGETS)),
    Writing(KNAPSACK, "reward_bonus", budget_reward, ({"variance": _VARIANCES, "L": 9.5, "visits": VISITS},)),
    Writing(KNAPSACK, "cross", budget_cross, (_CROSS,)),
    Writing(
        KNAPSACK, "leading", budget_leading,
        ({"variance": _VARIANCES, "correction": 2 * _VARIANCES, "L": 9.5, "visits": VISITS},),
    ),
)  # fmt: skip
