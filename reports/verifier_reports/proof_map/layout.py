"""Layout of a proof map: rows by what rests on what, columns by what is near to what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from verifier_reports.proof_map.steps import BANDS, Step

_SWEEPS = 6
_CENTRE = 1e-3
"""Weight of a column's distance from the middle; decides only between places that are equally near to everything."""


@dataclass(frozen=True)
class Layout:
    """A grid.

    Parameters
    ----------
    places : mapping of str to (int, int)
        Row, from the top, and column of each claim. What it rests on is in rows further down.
    bands : mapping of int to int
        From a row to the band that begins there.
    """

    places: Mapping[str, tuple[int, int]]
    bands: Mapping[int, int]


def layout(steps: Mapping[str, Step], columns: int) -> Layout:
    """Place the claims in a grid.

    A claim stands above all that it rests on, in its band; those at the same height share rows of at most `columns`. Columns are
    chosen row by row, down and up, each time such that the lines to the other rows are shortest in total: an assignment problem,
    which scipy solves exactly. Short lines cross little.
    """
    rows, bands = _rows(steps, columns)
    near: dict[str, set[str]] = {name: set(step.drawn) for name, step in steps.items()}
    for name, step in steps.items():
        for premise in step.drawn:
            near[premise].add(name)
    column = {name: place for row in rows for place, name in enumerate(row)}
    for sweep in range(_SWEEPS):
        for row in rows if sweep % 2 else reversed(rows):
            column |= _assigned(row, near, column, columns)
    return Layout({name: (number, column[name]) for number, row in enumerate(rows) for name in row}, bands)


def _assigned(row: list[str], near: Mapping[str, set[str]], column: Mapping[str, int], columns: int) -> dict[str, int]:
    """The columns of a row for which its lines are shortest."""
    from scipy.optimize import linear_sum_assignment

    places = np.arange(columns)
    middle = _CENTRE * np.abs(places - (columns - 1) / 2)
    cost = [sum((np.abs(places - column[other]) for other in sorted(near[name])), middle) for name in row]
    chosen = linear_sum_assignment(np.array(cost))[1]
    return {name: int(place) for name, place in zip(row, chosen, strict=True)}


def _rows(steps: Mapping[str, Step], columns: int) -> tuple[list[list[str]], dict[int, int]]:
    """Claims row by row, from the top, and where bands begin."""
    rows: list[list[str]] = []
    bands: dict[int, int] = {}
    for band in range(len(BANDS)):
        heights = _heights({name: step for name, step in steps.items() if step.band == band})
        for height in sorted(set(heights.values()), reverse=True):
            bands.setdefault(len(rows), band)
            level = [name for name, own in heights.items() if own == height]
            rows += [level[start : start + columns] for start in range(0, len(level), columns)]
    begins: dict[int, int] = {}
    for row, band in bands.items():
        if band not in begins.values():
            begins[row] = band
    return rows, begins


def _heights(steps: Mapping[str, Step]) -> dict[str, int]:
    """Number of a band's claims below one another, below each; a record may hold circles, which are cut anywhere."""
    found: dict[str, int] = {}

    def height(name: str, above: frozenset[str]) -> int:
        if name not in found:
            inside = [premise for premise in steps[name].drawn if premise in steps and premise not in above]
            found[name] = 1 + max((height(premise, above | {name}) for premise in inside), default=-1)
        return found[name]

    for name in steps:
        height(name, frozenset())
    return {name: found[name] for name in steps}
