"""Plans that are kept until the visits of some pair have doubled. Views: `verifier_settings.episodic.Run`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier.model.inequality import Inequality
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


# Not a formula: which other rule made all plans is no quantity of a comparison of one.
@run_property()
def plans_when_doubled(view: Run) -> Inequality:
    """Plans in every episode, in secret included, against 1 where the visits of some pair have doubled and 0 elsewhere."""
    expected = due(view).astype(float)

    def as_if(rule: Rule) -> Callable[[], BoolArray]:
        return lambda: np.full(len(expected), bool((view.planned == doubled(view, rule)).all()))

    return Inequality(
        np.abs(view.planned - expected), 0.0, ("episode",), trivial=1.0, tolerance=0.5,
        labels={"episode": view.labels["episode"]}, identity=True,
        explanations={
            "plans once and never again": as_if(lambda v, N: np.zeros(len(v), dtype=bool)),
            "plans where v > max(1, N) at some pair": as_if(lambda v, N: np.any(v > np.maximum(N, 1.0), axis=1)),
            "plans where all visits together have doubled": as_if(
                lambda v, N: np.greater_equal(v.sum(axis=1), np.maximum(N.sum(axis=1), 1.0))
            ),
            "plans where the visits of every pair have doubled": as_if(lambda v, N: np.all(v >= np.maximum(N, 1.0), axis=1)),
            "plans in every episode": as_if(lambda v, N: np.ones(len(v), dtype=bool)),
            "plans several times in an episode": lambda: view.planned > 1,
            "no plan where one is due": lambda: view.planned < expected,
            "a plan where none is due": lambda: view.planned > expected,
        },
    )  # fmt: skip


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
