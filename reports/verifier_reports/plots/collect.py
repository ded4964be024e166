"""The figures a record has, in the order of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verifier_reports.growth import growths
from verifier_reports.plots import kill_matrix, looseness, scaling
from verifier_reports.plots.plot import Plot

Data = Mapping[str, Any]

MOST_GROWTHS = 60
"""Of one record; a page with more would take too long to draw and to load."""


def plots(record: Data) -> dict[int, list[Plot]]:
    """Per algorithm, by its place in the record, what can be drawn of it; no two figures have the same name."""
    left, seen = MOST_GROWTHS, set[str]()
    found: dict[int, list[Plot]] = {}
    for number, algorithm in enumerate(record["algorithms"]):
        own = [kill_matrix.plot(algorithm)]
        shown = growths(algorithm)[:left]
        left -= len(shown)
        own += [scaling.plot(algorithm, claim, entry) for claim, entry in shown]
        own += [looseness.plot(algorithm)] if algorithm["claims"] else []
        found[number] = [_unique(plot, seen) for plot in own if plot is not None]
    return found


def _unique(plot: Plot, seen: set[str]) -> Plot:
    name, number = plot.name, 1
    while name in seen:
        number += 1
        name = f"{plot.name}-{number}"
    seen.add(name)
    if plot.narrow is None:
        return replace(plot, name=name)
    return replace(plot, name=name, narrow=replace(plot.narrow, name=f"{name}-narrow"))
