"""The figures a record has, in the order of the page."""

from __future__ import annotations

from dataclasses import replace

from verifier.record import Record
from verifier_reports.plots import factor_growth, kill_matrix, looseness, price, scaling
from verifier_reports.plots.plot import Plot
from verifier_reports.scaling import scaled

MOST_SCALINGS = 60
"""Largest number for one record; a page with more would take too long to draw and to load."""


def plots(record: Record) -> dict[int, list[Plot]]:
    """Per algorithm, by its place in the record, what can be drawn of it; no two figures have the same name."""
    left, seen = MOST_SCALINGS, set[str]()
    found: dict[int, list[Plot]] = {}
    for number, algorithm in enumerate(record.algorithms):
        own = [kill_matrix.plot(algorithm), factor_growth.plot(algorithm), price.plot(algorithm)]
        shown = scaled(algorithm)[:left]
        left -= len(shown)
        own += [scaling.plot(algorithm, one) for one in shown]
        own += [looseness.plot(algorithm)] if algorithm.claims else []
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
