"""Largest action value of each state, and mistakes for it. Views: `verifier_settings.played.TabularPhases`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.formulas.quantity import Quantity
from verifier_settings.played import TabularPhases

View = TabularPhases[Any, Any, Any]


def copy_rounding(values: Array) -> Array:
    """(p,) of values that are copied, or a maximum or minimum of others: a few units in the last place of the largest."""
    return np.asarray(8 * EPS * (1.0 + np.abs(values).max(axis=(1, 2))))


def with_end(values: Array) -> Array:
    """(p, H+1, S) values of the H steps, and 0 after the last."""
    return np.pad(values, ((0, 0), (0, 1), (0, 0)))


def _changes(view: View) -> BoolArray:
    """(p, H, S, A) where Q is another one than in the plan before; nowhere in the first plan."""
    return np.concatenate([np.zeros((1, *view.Q.shape[1:]), dtype=bool), view.Q[1:] != view.Q[:-1]])


def _last_change(changes: BoolArray) -> Array:
    """(p, ...) the plan, up to each, in which something changed last; -1 where nothing has, in the plans that are known."""
    rows = np.arange(len(changes)).reshape(-1, *(1,) * (changes.ndim - 1))
    return np.asarray(np.maximum.accumulate(np.where(changes, rows, -1), axis=0))


def _unchanged(view: View) -> Array:
    """(H, S) the values of states that no known plan has changed: those of the first plan, or NaN in a later batch."""
    return view.best[0] if view.start[0] == 0 else np.full(view.best.shape[1:], np.nan)


def _before_update(view: View) -> Array:
    """max_a Q_h as it was before the last change in the state."""
    last = _last_change(np.asarray(_changes(view).any(axis=3)))
    before = np.take_along_axis(view.best, np.maximum(last - 1, 0), axis=0)
    return with_end(np.where(last > 0, before, _unchanged(view)))


def _updated(view: View) -> Array:
    """Q_h of the one action whose value changed last in the state; NaN where several did."""
    changes = _changes(view)
    last = np.maximum(_last_change(np.asarray(changes.any(axis=3))), 0)
    there = np.take_along_axis(changes, last[..., None], axis=0)
    value = np.take_along_axis(view.Q, there.argmax(axis=3)[..., None], axis=3)[..., 0]
    return with_end(np.where(there.sum(axis=3) == 1, value, np.where(there.any(axis=3), np.nan, _unchanged(view))))


OTHERS: Mapping[str, Callable[[View], Array]] = {
    "the mean of Q_h over actions": lambda view: with_end(view.Q.mean(axis=3)),
    "min_a Q_h": lambda view: with_end(view.Q.min(axis=3)),
    "Q_h of the action of the policy": lambda view: with_end(view.worst_taken),
    "Q_h of the first action": lambda view: with_end(view.Q[..., 0]),
    "max_a Q_h before the last update": _before_update,
    "Q_h of the action that was updated last": _updated,
}
"""Mistakes for the largest value, tried only where a comparison fails."""

Q_BEST = Quantity(
    lambda view: with_end(view.best), "Q_best", "plan step s", "max_a Q_h", rounding=lambda view: copy_rounding(view.best),
    others=OTHERS,
)  # fmt: skip
"""max_a Q_h, and 0 after the last step, where nothing is expected."""
