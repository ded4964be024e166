"""Explanations by the same part of the formula elsewhere: at another step, plan, visit or row, and over all of them together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.trials.differences.comparisons import STEPS, TIMES
from verifier.trials.differences.how import shifted
from verifier.trials.differences.pairs import PAIR, actions_of
from verifier.trials.differences.relations import EXACT, Relation, close, simple, varies
from verifier.trials.differences.scene import MANY, Scene

VISITS = {"N": "at the last visit", "N_h": "at the last visit at that step"}
"""Quantities that say how often a pair was visited, with what they change at."""
TRANSPOSED = "{} at row a·S + s for s·A + a"
"""A table that is read, or written, by its columns."""


class Elsewhere(Scene):
    """Scene with the relations of a part to itself at other places."""

    def _moved(self, needed: Array, told: BoolArray, has: Array, whole: bool = False) -> Iterator[Relation]:
        """The part, or the whole formula, at the plan before, at another step, and at all steps together."""
        x = needed[told]
        # zeros are found at another step by chance, and so is any one number; data that are off say more
        odd = 2.0 * (not varies(x) and x.any()) + 0.35 * (not x.any())
        for name, when in VISITS.items():
            stale = self._of_last_visit(name, needed, has)
            inside = told & np.isfinite(stale)
            if inside.sum() >= 2 and close(stale[inside], x[inside[told]]) and not close(stale[inside], has[inside]):
                yield Relation(f"{{}} as it was {when}", stale, EXACT + 0.2 + odd)
        for number, axis in enumerate(self._scope.axes):
            if has.shape[number] < 2:
                continue
            near, far = dict[str, Array](), dict[str, Array]()
            if axis in TIMES and number == 0:
                near = {f"{{}} of the {axis} before": shifted(has, number, -1)}
                far = {f"{{}} of the first {axis}": _of_end(has, number, 0)}
            elif axis in STEPS:
                near = {"{} of step h + 1": shifted(has, number, 1), "{} of step h − 1": shifted(has, number, -1)}
                far = {f"{{}} of the {which} step": _of_end(has, number, end) for which, end in (("first", 0), ("last", -1))}
            yield from self._turned(number, axis, x, told, has, odd)
            yield from self._pooled(number, axis, x, told, has, odd + 0.3 * whole)
            # at a fixed first state many things are those of the first step
            for rank, others in ((0.2, near), (0.4, far)):
                for said, other in others.items():
                    inside = told & np.isfinite(other)
                    if inside.sum() >= 2 and close(other[inside], x[inside[told]]) and not close(other[inside], has[inside]):
                        yield Relation(said, other, EXACT + rank + odd)

    def _turned(self, number: int, axis: str, x: Array, told: BoolArray, has: Array, odd: float) -> Iterator[Relation]:
        """The part with the entries of an axis in another order: the last first, or each in the place of its neighbour."""
        if axis in TIMES or len(x) < MANY or not varies(x):
            return
        name = "step" if axis in STEPS else axis
        others = [(f"{{}} with the {_several(name)} in reverse order", np.flip(has, number))]
        if axis not in STEPS and has.shape[number] > 2:
            others += [(f"{{}} of the {name} {when}", np.roll(has, by, number)) for when, by in (("before", 1), ("after", -1))]
        if axis == PAIR and (A := actions_of(self._scope.view)) and has.shape[number] % A == 0:
            read = np.arange(has.shape[number]).reshape(-1, A).T.ravel()  # of a table with rows s A + a, by a S + s
            others += [(TRANSPOSED, np.take(has, order, number)) for order in (read, np.argsort(read))]
        for said, other in others:
            if close(other[told], x) and not close(other[told], has[told]):
                yield Relation(said, other, EXACT + 0.55 + odd)  # data that are off say more, and of two entries both are true

    def _pooled(self, number: int, axis: str, x: Array, told: BoolArray, has: Array, odd: float) -> Iterator[Relation]:
        """The part with one number for all entries of an axis, their mean say, or with two axes exchanged."""
        if axis in TIMES or len(x) < MANY or (not varies(x) and (simple(float(x[0])) or x[0] in self._own.values())):
            return  # one number that people write down is that number
        others = list(_of_axis(has, number, "step" if axis in STEPS else axis))
        others += [
            (f"{{}} with {axis} and {second} exchanged", np.swapaxes(has, number, place))
            for place, second in enumerate(self._scope.axes)
            if place > number and has.shape[place] == has.shape[number] and second not in TIMES
        ]
        for said, other in others:
            if close(other[told], x) and not close(other[told], has[told]):
                # a mean of many numbers is no number that is there by chance
                found = odd - 1.5 * (not varies(x) and said.startswith(("the mean", "the sum")))
                yield Relation(said, other, EXACT + 0.6 + found)

    def _of_last_visit(self, name: str, needed: Array, has: Array) -> Array:
        """The part as it was when the visits of its pair, a quantity of this name, changed last; NaN where nobody knows them.

        Where that was before the first comparison that is here, it is what is needed there: it stays so until the next visit.
        """
        if name not in self._known or not self._scope.axes or self._scope.axes[0] not in TIMES or len(has) < 2:
            return np.full(has.shape, np.nan)
        full, rows = self._all.full(self._known[name]), np.arange(len(has)).reshape(-1, *(1,) * (has.ndim - 1))
        changed = np.concatenate([np.zeros((1, *full.shape[1:]), dtype=bool), full[1:] != full[:-1]])
        last = np.maximum.accumulate(np.where(changed, rows, -1), axis=0)
        return np.where(last >= 0, np.take_along_axis(has, np.maximum(last, 0), axis=0), needed[:1])


def _several(name: str) -> str:
    """Plural of the name of an axis; a letter has none."""
    return f"{name}s" if len(name) > 1 else name


def _of_axis(has: Array, number: int, name: str) -> Iterator[tuple[str, Array]]:
    """Numbers in the place of all entries of an axis, or of their neighbours in a circle, with what is said of them."""
    if np.array_equal(has, _of_end(has, number, 0)):
        return
    for said, of in (("mean", np.mean), ("sum", np.sum), ("largest", np.max), ("least", np.min)):
        yield f"the {said} of {{}} over all {_several(name)}", np.broadcast_to(of(has, axis=number, keepdims=True), has.shape)
    if name == "step":
        yield "{} of step h − 1, the last for the first", np.roll(has, 1, number)
        yield "{} of step h + 1, the first for the last", np.roll(has, -1, number)
    else:
        yield f"{{}} of the first {name}", _of_end(has, number, 0)
        yield f"{{}} of the last {name}", _of_end(has, number, -1)


def _of_end(values: Array, axis: int, end: int) -> Array:
    """An array with the entry of one end of an axis at all its places."""
    return np.broadcast_to(np.take(values, [end], axis), values.shape)
