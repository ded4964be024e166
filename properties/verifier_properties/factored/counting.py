"""Visits of cells and their expected numbers: lemmas F.2 to F.5, and the counting of Lemma E.3.

N_{k-1}(c) are visits of the transcript before episode k, w_k(c) expected ones under the policy in force and the true laws, W_k(c)
their sum over the episodes before. A cell is *good* in episode k where W_k(c)/4 >= H log(18 n X_i H / delta) + H. Views:
`verifier_settings.factored.Run`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Limit, Quantity
from verifier.model.property import Property
from verifier.model.statement import at_most
from verifier_settings.factored import Public, Run, Scope

TOPIC = "Potential"


def scopes(public: Public) -> list[Scope]:
    """Scopes of the n transition factors, then those of the m rewards, for which the paper has the same sums."""
    return [*public.transition_scopes, *public.reward_scopes]


def cells(public: Public) -> Array:
    """Numbers X_i of cells of all scopes, shape (n + m,)."""
    return np.array([public.cell_count(scope) for scope in scopes(public)], dtype=float)


def alike(public: Public) -> Array:
    """(n + m,) how many scopes of its kind there are: n of a transition, m of a reward."""
    return np.repeat([public.n, public.m], [public.n, public.m]).astype(float)


def burn_in(H: Any, X: Any, n: Any, delta: Any) -> Any:
    """H log(18 n X_i H / delta), with m for n of a reward."""
    return H * np.log(18 * n * X * H / delta)


def bad_weight_bound(X: Any, b: Any) -> Any:
    """8 H X_i log(18 n X_i H / delta), for b as `burn_in`.

    A cell is bad while W < 4 (b + H), b = H log(.), and the last bad episode adds H at most: in all 4 b + 5 H <= 8 b, where
    log(.) is at least 5/4, which 18 n X_i H / delta >= 18 sees to.
    """
    return 8 * X * b


def good_sum_bound(X: Any, T: Any) -> Any:
    """4 X_i log T."""
    return 4 * X * np.log(T)


def inverse_sum_bound(X: Any, T: Any, b: Any) -> Any:
    """4 X_i log T + 8 H X_i log(18 n X_i H / delta): the printed 8 X_i log T needs T exponential in H."""
    return good_sum_bound(X, T) + bad_weight_bound(X, b)


def visit_sum_bound(X: Any, T: Any, H: Any) -> Any:
    """2 sqrt(2 X_i T) + 2 H X_i.

    In the episodes in which N_{k-1}(c) < H, a cell is visited fewer than 2H times in all. In the others an episode adds at most
    H <= N_{k-1}(c) visits, so that 1/N is at most 2 over the number of visits so far, and sum_{v <= N} 1/sqrt(v) <= 2 sqrt(N);
    Cauchy and Schwarz over the cells.
    """
    return 2 * np.sqrt(2 * X * T) + 2 * H * X


def _each(view: Run, of: Callable[..., Any]) -> Array:
    """(n + m,) a function of N_{k-1}, W_k, w_k and of whether cells are good, (K, cells), and of `burn_in`, for each scope."""
    public, found = view.public, []
    sums = view.visits, view.weights, view.series.expected
    for scope, b in zip(scopes(public), burn_in(public.H, cells(public), alike(public), public.delta), strict=True):
        N, W, w = (view.by_cell(each, scope) for each in sums)
        found.append(of(N, W, w, b + public.H <= W / 4, b))
    return np.array(found)


def _rounding(view: Run) -> float:
    """Rounding of sums over a run of expected visits, each with an error of the powers of the kernel."""
    public = view.public
    return 16 * EPS * (public.S + 2) * public.T * public.H


def visit_event(view: Run) -> BoolArray:
    """(n + m,) whether (15) holds for all cells and episodes."""
    return _each(view, lambda N, W, w, good, b: (W / 2 - b - _rounding(view) <= N).all())


def _joint(view: Run, power: float) -> Array:
    """(n + m, n + m) sum over the run of w_k(x) / (max(1, N_i)^(1/2) max(1, N_j)^power)."""
    N = [np.maximum(view.by_cell(view.visits, scope), 1.0)[:, view.public.cells(scope)].ravel() for scope in scopes(view.public)]
    return np.asarray((np.stack(N) ** -0.5 * view.series.expected.ravel()) @ (np.stack(N) ** -power).T)


def _of_a_kind(public: Public) -> BoolArray:
    """(n + m, n + m) whether both scopes are of transitions, or both of rewards."""
    return np.equal.outer(*2 * [np.arange(public.n + public.m) < public.n])


def _frozen(view: Run) -> Array:
    """(n + m,) sum_{k,h} 1/sqrt(max(1, N_{k-1}(c_kh)))."""
    episode, total = np.arange(view.public.K)[:, None], []
    for scope in scopes(view.public):
        N = view.by_cell(view.visits, scope)[episode, view.public.cells(scope)[view.pairs]]
        total.append((1.0 / np.sqrt(np.maximum(N, 1.0))).sum())
    return np.array(total)


def _sum(name: str, symbol: str, of: Callable[..., Any], high: Limit = "T", low: float = 0.0) -> Quantity:
    return Quantity(lambda view: _each(view, of), name, "factor", symbol, low, high, _rounding)


DEFINED: Mapping[str, Callable[..., Any]] = {
    "b": burn_in, "B": inverse_sum_bound,
    "b_j": lambda H, X_j, n_j, delta: burn_in(H, X_j, n_j, delta), "B_j": lambda X_j, T, b_j: inverse_sum_bound(X_j, T, b_j),
}  # fmt: skip
SUMS = (
    Quantity(lambda view: cells(view.public), "X", "factor", "|X_i|"),
    Quantity(lambda view: cells(view.public), "X_j", "other", "|X_j|"),
    Quantity(lambda view: alike(view.public), "n", "factor", "n_i"),
    Quantity(lambda view: alike(view.public), "n_j", "other"),
    Quantity(visit_event, "event", "factor", "(15) of i"),
    Quantity(visit_event, "event_j", "other", "(15) of j"),
    Quantity(lambda view: _of_a_kind(view.public), "alike", "factor other"),
    _sum("worst", "max (W/2 − N)", lambda N, W, w, good, b: (W / 2 - N).max(), lambda view: view.public.T / 2, -np.inf),
    _sum("excess", "max_{good} (W/4 − N)", lambda N, W, w, good, b: np.max(W / 4 - N, initial=-np.inf, where=good),
         lambda view: view.public.T / 4, -np.inf),
    _sum("some", "some good", lambda N, W, w, good, b: good.any()),
    _sum("bad", "Σ_{not good} w", lambda N, W, w, good, b: (w * ~good).sum()),
    _sum("good", "Σ_{good} w/N", lambda N, W, w, good, b: (w * good / np.maximum(N, 1.0)).sum()),
    _sum("inverse", "Σ w/max(1,N_i)", lambda N, W, w, good, b: (w / np.maximum(N, 1.0)).sum()),
    Quantity(lambda view: _joint(view, 0.5), "root", "factor other", "Σ w/√(N_iN_j)", 0.0, "T", _rounding),
    Quantity(lambda view: _joint(view, 0.25), "quarter", "factor other", "Σ w/(N_i^½N_j^¼)", 0.0, "T", _rounding),
    Quantity(_frozen, "frozen", "factor", "Σ 1/√max(1,N)", 0.0, "T", lambda view: 8 * EPS * view.public.T**1.5),
)  # fmt: skip


def _statement(left: str, bound: Callable[..., Any] | str, **options: Any) -> Property:
    return at_most(left, bound, on=Run, scope="run", topic=TOPIC, define=DEFINED, local=SUMS, **options)


expected_visits = _statement(
    "worst", "b", name="expected-visits",
    description="(15): N_{k-1}(c) >= W_k(c)/2 - H log(18 n X_i H / delta), for each factor the worst cell and episode.",
)  # fmt: skip
good_visits = _statement(
    "excess", "0", where="event & some", name="good-visits",
    description="Lemma F.2: a good cell has N_{k-1}(c) >= W_k(c)/4, for each factor the worst one, given (15).",
)  # fmt: skip
bad_weight = _statement(
    "bad", bad_weight_bound, name="bad-weight",
    description="Lemma F.3: the expected visits of cells while they are not good, against 8 H X_i log(18 n X_i H / delta).",
)  # fmt: skip
good_sum = _statement(
    "good", good_sum_bound, where="event", name="good-sum",
    description="Lemma F.4: sum over episodes and good cells of w_k(c) / N_{k-1}(c) against 4 X_i log T, given (15).",
)  # fmt: skip
inverse_sum = _statement(
    "inverse", "B", where="event", name="inverse-sum",
    description="(25), (28) repaired: sum w / max(1, N_i) against 4 X_i log T + 8 H X_i log(18 n X_i H / delta), given (15).",
)  # fmt: skip
visit_sum = _statement(
    "frozen", visit_sum_bound, name="visit-sum",
    description="Lemma E.3 repaired: sum_{k,h} 1/sqrt(max(1, N_{k-1}(c_kh))) against 2 sqrt(2 X_i T) + 2 H X_i, by factor.",
)  # fmt: skip
root_sum = _statement(
    "root", "sqrt(B * B_j)", where="event & event_j & alike", name="root-sum",
    description="""(26), (29) sharper: sum w / sqrt(N_i N_j) against the geometric mean of the bounds (25) of i, j, given (15).

    By Cauchy and Schwarz. Printed with 8 X_i log T, which is false where X_i is less than X_j.""",
)  # fmt: skip
quarter_sum = _statement(
    "quarter", "sqrt(B) * B_j ** 0.25 * T ** 0.25", where="event & event_j & alike", name="quarter-sum",
    description="""(27), (30) repaired: sum w / (N_i^{1/2} N_j^{1/4}) against B_i^{1/2} B_j^{1/4} T^{1/4}, B of (25), given (15).

    By Hoelder's inequality with 1/2 + 1/4 + 1/4 = 1, as the sum of all w is T.""",
)  # fmt: skip
UNBREAKABLE: dict[Property, str] = {
    bad_weight: "w_k of any policies: a cell is bad only while its sum is below 4 (b + H), and an episode adds at most H",
    good_visits: "a consequence of (15) alone: W/2 - b >= W/4 where W/4 >= b + H",
    good_sum: "a consequence of (15) alone, by Lemma F.2 and sum w/W over growing W",
    inverse_sum: "a consequence of (15) alone: Lemma F.4 where cells are good, Lemma F.3 where they are not",
    root_sum: "a consequence of (15) alone: Cauchy and Schwarz on two sums of (25)",
    quarter_sum: "a consequence of (15) alone: Hoelder's inequality on two sums of (25) and T",
    visit_sum: "arithmetic of any sequence of cells, H of them in each episode",
}
"""Facts about all runs: no implementation can break them."""
