"""Fields of plans that arrays of somebody's agent hold, by their shapes and their entries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import permutations

import numpy as np

from verifier.base.arrays import Array
from verifier.model.held import Layout
from verifier.model.holding import Holding
from verifier_settings.episodic.held import layouts_of
from verifier_settings.episodic.runs import Run

CLOSE = 1e-9
"""Two ways to a frequency or a largest value differ by less."""


def counts(view: Run) -> Array:
    """(K, H, S, A, S) transitions of each step before each episode."""
    public, (K, H) = view.public, view.actions.shape
    found = np.zeros((K, H, public.S, public.A, public.S))
    k, h = np.indices((K, H))
    found[k, h, view.states[:, :-1], view.actions, view.states[:, 1:]] = 1.0
    return np.asarray(np.cumsum(found, axis=0) - found)


def _largest(values: Array, view: Run) -> str:
    """Q: the action that is played is a largest entry."""
    at = _visited(values, view)
    played = np.take_along_axis(at, view.actions[..., None], axis=2)[..., 0]
    if (played < at.max(axis=2) - CLOSE).any():
        return ""
    return (
        f"the action played is a largest entry in {played.size} decisions, in {_telling(values, view)} of them not all are equal"
    )


def _visited(values: Array, view: Run) -> Array:
    """(K, H, A) action values of the states that were visited."""
    k, h = np.indices(view.actions.shape)
    return np.asarray(values[k, h, view.states[:, :-1]])


def _telling(values: Array, view: Run) -> int:
    """Number of decisions in which not all action values are equal."""
    at = _visited(values, view)  # the index of an arm that was never played may be infinite
    return int((at.max(axis=2) > at.min(axis=2) + CLOSE).sum())


def _frequencies(values: Array, seen: Array) -> bool:
    """Whether rows are frequencies wherever something was seen."""
    total = seen.sum(axis=-1)
    expected = seen / np.maximum(total, 1.0)[..., None]
    return bool((np.abs(values - expected)[total > 0] < CLOSE).all())


def _visits(values: Array, expected: Array) -> bool:
    return bool((values == expected).all())


Test = Callable[[Array, Run], str]

TESTS: Mapping[str, Test] = {
    "Q": _largest,
    "visits": lambda values, view: "visits of all steps" * _visits(values, counts(view).sum(axis=(1, 4))),
    "step_visits": lambda values, view: "visits at each step" * _visits(values, counts(view).sum(axis=4)),
    "kernel": lambda values, view: "frequencies of all steps" * _frequencies(values, counts(view).sum(axis=1)),
    "step_kernel": lambda values, view: "frequencies at each step" * _frequencies(values, counts(view)),
}
"""Sentence of how a field is known; empty if an array with its axes does not hold it."""

SHIFTED = ("visits", "step_visits")
"""Counts, which some begin at 1."""


def holds(array: Array, view: Run) -> tuple[Holding, ...]:
    """Fields that an array holds, as it was at the beginning of each episode: (K, ...).

    The action that is played may be the most visited one, too: counts and frequencies are no action values.
    """
    found = tuple(_holdings(np.asarray(array, dtype=float), view))
    counted = tuple(holding for holding in found if holding.field != "Q")
    return counted or found


AXES: Mapping[str, str] = {"Q": "h s a", "visits": "s a", "step_visits": "h s a", "kernel": "s a s'", "step_kernel": "h s a s'"}
"""Names of the axes of each field, a pair being a state and an action."""


def _holdings(array: Array, view: Run) -> Iterator[Holding]:
    layouts = layouts_of(view.public)
    for field, test in TESTS.items():
        names, layout = AXES[field].split(), layouts[field]
        for order in permutations(range(len(names))):
            own = order == tuple(range(len(names)))
            values = _ordered(array, layout, order)
            if values is None:
                continue
            told = "" if own else " ".join(names[axis] for axis in order)
            if seen := test(values, view):
                yield Holding(field, told, "", seen, _telling(values, view) if field == "Q" else 0)
            elif field in SHIFTED and (seen := test(values - 1.0, view)):
                yield Holding(field, told, "one more than there were", seen)


def _ordered(array: Array, layout: Layout, order: tuple[int, ...]) -> Array | None:
    """The array (K, ...) with the axes of a field, of which it has those of an order; None if its shape is another one."""
    if order == tuple(range(len(order))) and array.shape[1:] == layout.shape:
        return array.reshape(-1, *layout.split)
    if order == tuple(range(len(order))) and layout.row and array.shape[1:] == layout.shape[-1:]:  # a number for each arm
        return array.reshape(-1, *layout.split)
    sizes = tuple(layout.split[axis] for axis in order)
    longer = tuple(n + (layout.by_step and axis == 0) for n, axis in zip(sizes, order, strict=True))
    if array.shape[1:] not in (sizes, longer):
        return None
    return array[(slice(None), *map(slice, sizes))].transpose(0, *(1 + order.index(axis) for axis in range(len(order))))
