"""Visits of cells and their expected numbers: lemmas F.2 to F.5, and the counting of Lemma E.3.

N_{k-1}(c) are visits of the transcript before episode k, w_k(c) expected ones under the policy in force and the true laws, W_k(c)
their sum over the episodes before. A cell is *good* in episode k where W_k(c)/4 >= H log(18 n X_i H / delta) + H. Views:
`verifier_settings.factored.Run`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.model.measurement import Inequality
from verifier.model.property import Property, run_property
from verifier_settings.factored import Public, Run, Scope

TOPIC = "Potential"

Limit = Callable[[Public], Array]


def scopes(public: Public) -> list[Scope]:
    """Scopes of the n transition factors, then those of the m rewards, for which the paper has the same sums."""
    return [*public.transition_scopes, *public.reward_scopes]


def cells(public: Public) -> Array:
    """Numbers X_i of cells of all scopes, shape (n + m,)."""
    return np.array([public.cell_count(scope) for scope in scopes(public)], dtype=float)


def alike(public: Public) -> Array:
    """(n + m,) how many scopes of its kind there are: n of a transition, m of a reward."""
    return np.repeat([public.n, public.m], [public.n, public.m]).astype(float)


def burn_in(public: Public) -> Array:
    """(n + m,) H log(18 n X_i H / delta), with m for n of a reward."""
    return public.H * np.log(18 * alike(public) * cells(public) * public.H / public.delta)


def _sums(view: Run) -> list[tuple[Array, Array, Array]]:
    """Sums N_{k-1}, W_k and w_k of each scope, (K, cells)."""
    N, W, w = view.visits, view.weights, view.series.expected
    return [(view.by_cell(N, scope), view.by_cell(W, scope), view.by_cell(w, scope)) for scope in scopes(view.public)]


def _good(weights: Array, least: float, H: int) -> BoolArray:
    return np.asarray(weights / 4 >= least + H)


def _rounding(view: Run) -> float:
    """Rounding of sums over a run of expected visits, each with an error of the powers of the kernel."""
    public = view.public
    return 16 * EPS * (public.S + 2) * public.T * public.H


def visit_event(view: Run) -> BoolArray:
    """(n + m,) whether (15) holds for all cells and episodes."""
    least = burn_in(view.public)
    return np.array([(W / 2 - b - _rounding(view) <= N).all() for (N, W, _), b in zip(_sums(view), least, strict=True)])


@run_property()
def expected_visits(view: Run) -> Inequality:
    """(15): N_{k-1}(c) >= W_k(c)/2 - H log(18 n X_i H / delta), for each factor the worst cell and episode."""
    worst = np.array([(W / 2 - N).max() for N, W, _ in _sums(view)])
    return Inequality(worst, burn_in(view.public), ("factor",), trivial=view.public.T / 2, tolerance=_rounding(view))


@run_property()
def good_visits(view: Run) -> Inequality:
    """Lemma F.2: a good cell has N_{k-1}(c) >= W_k(c)/4, for each factor the worst one, given (15)."""
    public, least = view.public, burn_in(view.public)
    excess = [
        float(np.max(W / 4 - N, initial=-np.inf, where=_good(W, b, public.H)))
        for (N, W, _), b in zip(_sums(view), least, strict=True)
    ]
    some = np.isfinite(excess)
    return Inequality(
        np.where(some, excess, 0.0), 0.0, ("factor",), trivial=public.T / 4, tolerance=_rounding(view),
        premise=visit_event(view) & some,
    )  # fmt: skip


@run_property()
def bad_weight(view: Run) -> Inequality:
    """Lemma F.3: the expected visits of cells while they are not good, against 8 H X_i log(18 n X_i H / delta)."""
    public, least = view.public, burn_in(view.public)
    total = [float((w * ~_good(W, b, public.H)).sum()) for (_, W, w), b in zip(_sums(view), least, strict=True)]
    return Inequality(np.array(total), bad_weight_bound(public), ("factor",), trivial=float(public.T), tolerance=_rounding(view))


def bad_weight_bound(public: Public) -> Array:
    """(n + m,) 8 H X_i log(18 n X_i H / delta).

    A cell is bad while W < 4 (b + H), b = H log(.), and the last bad episode adds H at most: in all 4 b + 5 H <= 8 b, where
    log(.) is at least 5/4, which 18 n X_i H / delta >= 18 sees to.
    """
    return 8 * cells(public) * burn_in(public)


@run_property()
def good_sum(view: Run) -> Inequality:
    """Lemma F.4: sum over episodes and good cells of w_k(c) / N_{k-1}(c) against 4 X_i log T, given (15)."""
    public, least = view.public, burn_in(view.public)
    total = [
        float((w * _good(W, b, public.H) / np.maximum(N, 1.0)).sum()) for (N, W, w), b in zip(_sums(view), least, strict=True)
    ]
    return Inequality(
        np.array(total), good_sum_bound(public), ("factor",), trivial=float(public.T), tolerance=_rounding(view),
        premise=visit_event(view),
    )  # fmt: skip


def good_sum_bound(public: Public) -> Array:
    """(n + m,) 4 X_i log T."""
    return 4 * cells(public) * np.log(public.T)


def inverse_sum_bound(public: Public) -> Array:
    """(n + m,) 4 X_i log T + 8 H X_i log(18 n X_i H / delta): the printed 8 X_i log T needs T exponential in H."""
    return good_sum_bound(public) + bad_weight_bound(public)


@run_property()
def inverse_sum(view: Run) -> Inequality:
    """(25), (28) repaired: sum w / max(1, N_i) against 4 X_i log T + 8 H X_i log(18 n X_i H / delta), given (15)."""
    total = np.array([(w / np.maximum(N, 1.0)).sum() for N, _, w in _sums(view)])
    return Inequality(
        total, inverse_sum_bound(view.public), ("factor",), trivial=float(view.public.T), tolerance=_rounding(view),
        premise=visit_event(view),
    )  # fmt: skip


def _joint(view: Run, powers: tuple[float, float]) -> Array:
    """(n + m, n + m) sum over the run of w_k(x) / (max(1, N_i)^a max(1, N_j)^b)."""
    all_scopes, (a, b) = scopes(view.public), powers
    N = [np.maximum(view.by_cell(view.visits, scope), 1.0) for scope in all_scopes]
    left, right = (
        np.stack([(n**-power)[:, view.public.cells(scope)].ravel() for n, scope in zip(N, all_scopes, strict=True)])
        for power in (a, b)
    )
    return np.asarray((left * view.series.expected.ravel()) @ right.T)


def _of_a_kind(public: Public) -> BoolArray:
    """(n + m, n + m) whether both scopes are of transitions, or both of rewards."""
    reward = np.arange(public.n + public.m) >= public.n
    return np.asarray(reward[:, None] == reward)


@run_property()
def root_sum(view: Run) -> Inequality:
    """(26), (29) sharper: sum w / sqrt(N_i N_j) against the geometric mean of the bounds of (25) for i and j, given (15).

    By Cauchy and Schwarz. Printed with 8 X_i log T, which is false where X_i is less than X_j.
    """
    each = inverse_sum_bound(view.public)
    event = visit_event(view)
    return Inequality(
        _joint(view, (0.5, 0.5)), np.sqrt(np.outer(each, each)), ("factor", "other"), trivial=float(view.public.T),
        tolerance=_rounding(view), premise=_of_a_kind(view.public) & np.logical_and.outer(event, event),
    )  # fmt: skip


@run_property()
def quarter_sum(view: Run) -> Inequality:
    """(27), (30) repaired: sum w / (N_i^{1/2} N_j^{1/4}) against B_i^{1/2} B_j^{1/4} T^{1/4}, B the bounds of (25), given (15).

    By Hoelder's inequality with 1/2 + 1/4 + 1/4 = 1, as the sum of all w is T.
    """
    each, T = inverse_sum_bound(view.public), float(view.public.T)
    event = visit_event(view)
    return Inequality(
        _joint(view, (0.5, 0.25)), np.outer(np.sqrt(each), each**0.25) * T**0.25, ("factor", "other"), trivial=T,
        tolerance=_rounding(view), premise=_of_a_kind(view.public) & np.logical_and.outer(event, event),
    )  # fmt: skip


@run_property()
def visit_sum(view: Run) -> Inequality:
    """Counting of Lemma E.3 repaired: sum_{k,h} 1/sqrt(max(1, N_{k-1}(c_kh))) against 2 sqrt(2 X_i T) + 2 H X_i, by factor."""
    public = view.public
    episode = np.arange(public.K)[:, None]
    total = []
    for scope in scopes(public):
        N, cell = view.by_cell(view.visits, scope), public.cells(scope)[view.pairs]
        total.append((1.0 / np.sqrt(np.maximum(N[episode, cell], 1.0))).sum())
    return Inequality(
        np.array(total), visit_sum_bound(public), ("factor",), trivial=float(public.T), tolerance=8 * EPS * public.T**1.5
    )  # fmt: skip


def visit_sum_bound(public: Public) -> Array:
    """(n + m,) 2 sqrt(2 X_i T) + 2 H X_i.

    In the episodes in which N_{k-1}(c) < H, a cell is visited fewer than 2H times in all. In the others an episode adds at most
    H <= N_{k-1}(c) visits, so that 1/N is at most 2 over the number of visits so far, and sum_{v <= N} 1/sqrt(v) <= 2 sqrt(N);
    Cauchy and Schwarz over the cells.
    """
    return 2 * np.sqrt(2 * cells(public) * public.T) + 2 * public.H * cells(public)


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
