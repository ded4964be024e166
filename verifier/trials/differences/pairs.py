"""Rows ``s*A + a`` shown as what they are: a state and an action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

PAIR = "pair"


def actions_of(view: Any) -> int:
    """The number of actions, by which rows of pairs are split; 0 if the view does not say."""
    found = getattr(getattr(view, "public", None), "A", 0)
    return found if isinstance(found, int) else 0


def state_of(view: Any) -> str:
    """Name of the axis of states."""
    return str(getattr(view, "state_axis", "s"))


def split_place(place: Mapping[str, int], view: Any) -> dict[str, int]:
    """A place with state and action instead of their row."""
    actions = actions_of(view)
    if PAIR not in place or not actions:
        return dict(place)
    names = split_names(tuple(place), view)
    values = [part for axis, i in place.items() for part in (divmod(i, actions) if axis == PAIR else (i,))]
    return dict(zip(names, values, strict=True))


def split_names(axes: Sequence[str], view: Any) -> tuple[str, ...]:
    """Names of axes with two for that of pairs."""
    split = PAIR in axes and actions_of(view) > 0
    names = [(state_of(view), "a") if axis == PAIR and split else (renamed(axis, axes, view),) for axis in axes]
    return tuple(part for name in names for part in name)


def renamed(axis: str, axes: Sequence[str], view: Any) -> str:
    """The name of an axis: beside pairs, an axis of states is one of next states."""
    return "next" if axis == state_of(view) and PAIR in axes and actions_of(view) else axis
