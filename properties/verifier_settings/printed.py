"""Instances and runs as small tables, to be checked by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import chain, product
from typing import Any

import numpy as np

from verifier.base import tables
from verifier.base.arrays import IntArray


def number(x: Any) -> str:
    """Text of a number: a fraction where it is one of small numbers."""
    fraction = Fraction(float(x)).limit_denominator(25)
    return str(fraction) if abs(float(fraction) - x) < 1e-12 else f"{x:.4g}"


def shown(value: Any) -> str:
    """A word as it is, a number, or a row of numbers in brackets."""
    if isinstance(value, str):
        return value
    return f"({', '.join(map(number, value))})" if np.ndim(value) else number(value)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table of such cells."""
    return tables.table(head, (list(map(shown, row)) for row in rows))


def listed(indices: Mapping[str, Iterable[int]], columns: Mapping[str, Any]) -> str:
    """A table with a row for each combination of indices.

    A column has a cell for each row. One whose name has ``{}``, such as ``P({})``, is a column for each entry of these.
    """
    head, cells = list(indices), []
    for name, column in columns.items():
        split = "{}" in name
        head += [name.format(i) for i in range(len(column[0]))] if split else [name]
        cells.append(column if split else [[cell] for cell in column])
    rows = zip(product(*indices.values()), *cells, strict=True)
    return table(head, (list(chain(*row)) for row in rows))


def steps(public: Any, last: int | None = None) -> dict[str, Iterable[int]]:
    """Indices of a table with a row for each step, from 1 to the last, state and action."""
    return {"h": range(1, (public.H if last is None else last) + 1), "s": range(public.S), "a": range(public.A)}


def facts(problem: object, names: str) -> str:
    """Attributes by name, e.g. ``S = 3, lambda = 1`` for ``"S lambda=ridge"``."""
    pairs = (name.split("=") for name in names.split())
    return ", ".join(f"{pair[0]} = {shown(getattr(problem, pair[-1]))}" for pair in pairs)


def path(states: IntArray, actions: IntArray) -> str:
    """An episode as s -a-> s'."""
    return str(states[0]) + "".join(f" -a{a}-> {s}" for a, s in zip(actions, states[1:], strict=True))


def episodes(run: Any, before: Mapping[str, Any] | None = None, after: Mapping[str, Any] | None = None) -> str:
    """Table with a row per episode, counted from 1: its path, and further columns before and after it."""
    columns = {**(before or {}), "path": list(map(path, run.states, run.actions)), **(after or {})}
    return listed({"episode": range(1, len(run.states) + 1)}, columns)


def arrays(view: Any) -> str:
    """The longest arrays of a view that have one axis, side by side."""
    columns = {name: x for name, x in vars(view).items() if isinstance(x, np.ndarray) and x.ndim == 1}
    length = max(map(len, columns.values()), default=0)
    return listed({"": range(1, length + 1)}, {name: x for name, x in columns.items() if len(x) == length})
