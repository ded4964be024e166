"""Plans that are kept until the visits of some pair have doubled. Views: `verifier_settings.episodic.Run`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import WHOLE, Inequality
from verifier.model.property import run_property
from verifier.model.statement import at_most
from verifier_settings.episodic import Public, Run

TOPIC = "Switching"

Rule: TypeAlias = Callable[[Array, Array], Array]
"""Rule from visits (K, X) since the last plan, and before it, to whether a plan is due."""


def visits_before(view: Run) -> Array:
    """(K, X) how often each pair was visited before each episode."""
    rows = np.arange(view.public.X)
    each = (view.pairs[:, :, None] == rows).sum(axis=1)
    return np.asarray(np.cumsum(each, axis=0) - each)


def doubled(view: Run, rule: Rule) -> BoolArray:
    """(K,) where a rule says that a plan is due; at first it is."""
    visits = visits_before(view)
    last = np.searchsorted(view.plans, np.arange(len(visits)), side="left") - 1
    kept = visits[view.plans[np.maximum(last, 0)]]
    return np.asarray(rule(visits - kept, kept) | (last < 0))


def due(view: Run) -> BoolArray:
    """(K,) whether v(s,a) >= max(1, N(s,a)) at some pair, of the visits v since the last plan and N before it; at first it is."""
    return doubled(view, lambda v, N: np.any(v >= np.maximum(N, 1.0), axis=1))


# Not a formula: whether another rule made all plans is no quantity of a comparison of one.
def plans_made(planned: Array, expected: Array, episodes: IntArray, rules: Mapping[str, Callable[[], Array]]) -> Inequality:
    """Plans in every episode against those of a rule.

    Parameters
    ----------
    planned : (K,) array
        How many were made, in secret included.
    expected : (K,) array
        1 where a plan is due, 0 elsewhere.
    episodes : (K,) int array
        Their numbers, as they are shown.
    rules : mapping of str to callable
        Other rules, by what is said of them, and the plans they make.
    """

    def as_if(rule: Callable[[], Array]) -> Callable[[], BoolArray]:
        return lambda: np.full(len(expected), bool((planned == rule()).all()))

    return Inequality(
        np.abs(planned - expected), 0.0, ("episode",), trivial=1.0, tolerance=WHOLE, labels={"episode": episodes},
        identity=True,
        explanations={
            "plans once and never again": as_if(lambda: np.arange(len(expected)) == 0),
            "plans in every episode": as_if(lambda: np.ones(len(expected))),
            **{f"plans {said}": as_if(rule) for said, rule in rules.items()},
            "plans several times in an episode": lambda: planned > 1,
            "no plan where one is due": lambda: planned < expected,
            "a plan where none is due": lambda: planned > expected,
        },
    )  # fmt: skip


# Not a formula: see `plans_made`.
@run_property()
def plans_when_doubled(view: Run) -> Inequality:
    """Plans in every episode, in secret included, against 1 where the visits of some pair have doubled and 0 elsewhere."""

    def by(rule: Rule) -> Callable[[], BoolArray]:
        return lambda: doubled(view, rule)

    others = {
        "where v > max(1, N) at some pair": by(lambda v, N: np.any(v > np.maximum(N, 1.0), axis=1)),
        "where all visits together have doubled": by(lambda v, N: np.asarray(v.sum(axis=1) >= np.maximum(N.sum(axis=1), 1.0))),
        "where the visits of every pair have doubled": by(lambda v, N: np.all(v >= np.maximum(N, 1.0), axis=1)),
    }
    return plans_made(view.planned, due(view).astype(float), view.labels["episode"], others)


def planning_bound(public: Public, T: float) -> float:
    """S A log2(8 T / (S A)), for T >= S A.

    Each plan but the first comes when the visits of a pair have gone from 0 to 1 or more, or have doubled. A pair with N visits
    in the end does that at most 1 + log2 N times, n pairs of T visits in all at most n + n log2(T/n) = n log2(2T/n) times. With
    the first plan that is at most n log2(8T/n), since n >= 1, and n log2(8T/n) increases in n while 8T > e n, hence up to S A.
    """
    pairs = public.X
    return float(pairs * np.log2(8 * T / pairs))


@at_most("calls", on=Run, scope="run", where="T >= X", local=(
    Quantity(lambda view: view.planning_calls, "calls", "", "plans", 0.0, "K"),
    Quantity(lambda view: planning_bound(view.public, view.public.T), "bound", "", "SA log₂(8T/(SA))"),
))  # fmt: skip
def planning_calls(bound: Any) -> Any:
    """Number of times the algorithm plans, in secret included, against S A log2(8 T / (S A)), where T >= S A."""
    return bound
