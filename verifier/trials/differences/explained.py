"""Statements about the comparisons of a claim in one trial, batch after batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.base.difference import EVERYWHERE, Comparison, Difference, Told, common, counted
from verifier.formulas.expression import names_in
from verifier.model.inequality import Inequality
from verifier.model.measurement import Measurement
from verifier.plugins.failure import failure_of
from verifier.trials.differences import how
from verifier.trials.differences.comparisons import TIMES, Comparisons, comparisons
from verifier.trials.differences.failing import Failing
from verifier.trials.differences.pairs import PAIR, actions_of, state_of
from verifier.trials.differences.solved import explanations
from verifier.trials.differences.where import Extent

MATRIX = ("row", "column")
"""Axes of a matrix, whose diagonal is a place that has a name."""

_SHOWN = 6
_BATCHES = 3


class Explained:
    """Takes in the batches of one claim; nothing is computed before one of them fails.

    Attributes
    ----------
    raised : str
        What explaining raised; nothing is explained then.
    """

    def __init__(self) -> None:
        self.raised = ""
        self._held: list[Array] = []
        self._extents: dict[str, Extent] = {}
        self._regions: dict[str, Extent] = {}
        self._how: tuple[str, ...] | None = None
        self._given = set[str]()
        self._tendency: str | None = None
        self._failed = self._compared = 0
        self._looked = True
        self._own = False
        self._sizes: dict[str, float] = {}
        self._told: tuple[Told, ...] = ()
        self._of = self._solved = 0
        self._first = self._worst = Comparison()
        self._largest = -np.inf

    def add(self, inequality: Inequality, measurement: Measurement, view: Any) -> None:
        """Take in a batch of comparisons and what was measured of them."""
        if measurement.violations == 0:
            self._hold(inequality, measurement)
            return
        try:
            self._fail(inequality, view)
        except MemoryError:
            raise
        except (Exception, SystemExit) as error:
            self.raised = failure_of(error).message

    def difference(self) -> Difference | None:
        """Statements that are true of all comparisons that failed; None if none did."""
        if self.raised:
            return Difference(raised=self.raised)
        if self._how is None:
            return None
        lone = self._failed == 1 < self._compared
        where = {"": (EVERYWHERE,)} if self._failed == self._compared else {} if lone else self._where()
        return Difference(
            where,
            how.settled(self._how)[:_SHOWN],  # of a single comparison it has only what one is enough for
            self._tendency or "",
            self._looked,
            self._first,
            self._worst,
            own=self._own,
            told=self._told,
            of=self._of,
            lone=lone,
        )

    def _hold(self, inequality: Inequality, measurement: Measurement) -> None:
        """Remember when nothing failed."""
        self._compared += measurement.powered
        axis = inequality.axes[0] if inequality.axes else ""
        if measurement.powered and axis in TIMES and axis in inequality.labels:
            self._held.append(np.asarray(inequality.labels[axis]))

    def _fail(self, inequality: Inequality, view: Any) -> None:
        found = comparisons(inequality, view)
        self._failed += int(np.count_nonzero(found.failing))
        self._compared += int(np.count_nonzero(found.compared))
        self._sizes = dict(found.sizes)
        for axis in found.seen:
            self._extents.setdefault(axis.name, Extent()).add(axis.found(found.failing), axis.found(found.compared))
        for name, inside in _regions(found, view):
            held = self._regions.setdefault(name, Extent())
            held.add(*({int(item) for item in np.unique(inside[mask])} for mask in (found.failing, found.compared)))
        self._sides(found, inequality)
        self._solve(found, inequality)
        self._explain(found, inequality)
        if inequality.repaired is not None and not self._own:
            self._own = how.unmended(found, _shaped(found.failing.shape, inequality.repaired))

    def _sides(self, found: Comparisons, inequality: Inequality) -> None:
        """The first comparison that fails, and the worst with what stands in its formula."""
        if self._how is None:
            self._first = found.at(int(np.argmax(found.failing)))
        excess = np.where(found.failing, np.abs(found.left - found.right) - found.tolerance, -np.inf)
        if excess.max() > self._largest:
            self._largest = float(excess.max())
            worst = int(np.argmax(excess))
            self._worst = replace(found.at(worst), quantities=found.quantities(worst, _inside(inequality)))

    def _solve(self, found: Comparisons, inequality: Inequality) -> None:
        """Solve for what explains the comparisons of a formula; of a run the first few batches that fail are enough."""
        if inequality.stated is None or not inequality.identity or self._solved >= _BATCHES:
            return
        self._solved += 1
        failing = Failing.of(inequality.stated, found.failing, found.compared, found.left, found.right, found.tolerance)
        of, tried = int(np.count_nonzero(failing.failing)), set[str]()
        told = tuple(explanations(failing, tried))
        untried = any(each.fits == self._of and each.text not in tried for each in self._told)
        if untried and all(each.fits < of for each in told):
            return  # other actions than were played, say, which are known of the first batch alone, explain all of that one
        self._told = counted(self._told, told)
        self._of += of

    def _explain(self, found: Comparisons, inequality: Inequality) -> None:
        given = {text: partial(_shaped, found.failing.shape, make) for text, make in inequality.explanations.items()}
        self._looked = inequality.sides is not None or bool(given)
        # of a number, as 0, what is reported says all that could be said
        sided = inequality.sides is not None and not _is_number(inequality)
        parts = inequality.parts
        if self._how is not None:  # what an earlier batch has refuted is not looked at again
            given = {text: make for text, make in given.items() if text in self._how}
            parts = {name: part for name, part in parts.items() if any(name in said for said in self._how)}
        holds = tuple(how.explanations(found, given, parts, fit=sided)) if self._how != () else ()
        # what cannot be tried on a later batch, since its data are not known one by one, is not refuted there
        holds += tuple(text for text in self._how or () if text in self._given and text not in inequality.explanations)
        self._given |= inequality.explanations.keys()
        if sided:
            tendency = how.tendency(found)
            self._tendency = tendency if self._tendency in (None, tendency) else ""
        self._how = holds if self._how is None else common(self._how, holds)

    def _where(self) -> dict[str, tuple[str, ...]]:
        for labels in self._held:
            for axis in self._extents.keys() & TIMES:
                self._extents[axis].add((), labels.tolist())
        inside = {
            name: (f"only at {name}",) for name, held in self._regions.items() if held.failing == {1} and 0 in held.compared
        }
        along = {axis: tuple(extent.statements(axis, self._sizes)) for axis, extent in self._extents.items()}
        return {part: said for part, said in {**inside, **along}.items() if said}


def _is_number(inequality: Inequality) -> bool:
    """Whether the formula is a number, in which no quantity stands."""
    return inequality.stated is not None and not names_in(inequality.stated[0].right)


def _inside(inequality: Inequality) -> dict[str, Array]:
    """Values of what stands in the formula, by name: of a formula all, else the parts that the property names."""
    if inequality.stated is not None and inequality.identity:
        statement, scope = inequality.stated
        found: dict[str, Array] = statement.inside(scope)
        return found
    return {name: part.value() for name, part in inequality.parts.items()}


def _regions(found: Comparisons, view: Any) -> Iterator[tuple[str, Array]]:
    """Parts of the comparisons that a view has names for, as far as their axes are compared, and those of a matrix."""
    if set(MATRIX) <= set(found.axes):
        rows, columns = (np.arange(found.failing.shape[found.axes.index(axis)]) for axis in MATRIX)
        on = rows[:, None] == columns
        for name, mask in (("places beside the diagonal", ~on), ("the diagonal", on)):
            yield name, np.broadcast_to(found.spread(MATRIX, mask), found.failing.shape)
    for name, (axes, mask) in getattr(view, "regions", {}).items():
        if PAIR in axes and PAIR not in found.axes:  # states and actions on axes of their own
            at = axes.index(PAIR)
            axes = (*axes[:at], state_of(view), "a", *axes[at + 1 :])
            mask = mask.reshape(*mask.shape[:at], -1, actions_of(view), *mask.shape[at + 1 :])
        if set(axes) <= set(found.axes):
            yield name, np.broadcast_to(found.spread(axes, mask), found.failing.shape)


def _shaped(shape: tuple[int, ...], make: Callable[[], Array]) -> Array:
    return np.broadcast_to(np.asarray(make()), shape)
