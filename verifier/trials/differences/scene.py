"""Data of a formula that fails, and other quantities that may stand in the place of a part of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.base.difference import ENOUGH, Told
from verifier.formulas.expression import (
    Defined,
    Expression,
    Operation,
    Path,
    evaluate,
    evaluations,
    names_in,
    nodes,
)  # fmt: skip
from verifier.formulas.typeset import symbol
from verifier.trials.differences.comparisons import STEPS, TIMES
from verifier.trials.differences.failing import Failing
from verifier.trials.differences.opened import opened
from verifier.trials.differences.relations import NAMED, UNCLEAR, Relation, close, is_written, varies
from verifier.trials.differences.searched import Table, different
from verifier.trials.differences.structure import node_at

SLACK = 256 * EPS
"""Share of the sides that a candidate may be off, beside the rounding of the comparison: it is one more evaluation."""
EPISODES = ("k", "k − 1")
"""The episodes so far, which stand in the place of a number, as K: where something varies there are counts of its own."""
MANY = 6
"""Comparisons from which on an array is looked for among those with the same entries in another order."""
_AT_END = 2.0
"""Rank that an explanation loses where what is reported is the other end of a cut: all that makes this end larger explains it."""
_SEARCHED = {1: 0.1, 2: 0.5}
"""Rank that functions of one quantity, and of two, lose to relations that have a name."""
_FIRST = 12
"""Comparisons at which a candidate is tried before it is tried at all."""
_SLOPPY = 1e-6
"""Relative distance of two first entries beyond which arrays are not compared."""
_ONE_NUMBER = 3.0
"""Rank that an explanation loses where all that is reported is one number: it has been seen to fit at one value only, and of the
many ways to get 0 the one that is told would be a guess."""
_ELSEWHERE = 1.0
"""Rank that an explanation loses by the share of the comparisons that hold at which it would fail: what is wrong at few places is
explained by what is wrong there alone, if there is such a thing."""
_NOT_ALL = 1.9
"""Rank that an explanation of nearly all comparisons loses to one of all of them: without a cut, a formula is the larger of
its two ends wherever these are far apart."""

_PAIRS = ("d", "X")
"""Numbers of features and of rows, which are the number of pairs where the problem is a table."""


class Candidate(NamedTuple):
    """Candidate for what stands in place of the formula.

    Parameters
    ----------
    said : str
    rank : float
    right : array
    plain : bool
        Whether it rests on more than one number, or says no more than what is seen: a number or a size in place of the formula,
        or a part that is left out.
    end : bool
        Whether it says which end of a cut is taken.
    """

    said: str
    rank: float
    right: Array
    plain: bool = False
    end: bool = False


class Scene:
    """Comparisons of which some fail, with the values of all parts of the formula and of what else is known.

    Parameters
    ----------
    failing : Failing
    """

    def __init__(self, failing: Failing) -> None:
        self._all = failing
        scope = failing.scope
        self._scope = scope
        self._tree, self._values = opened(failing)
        self._nodes = {at: failing.full(value) for at, value in evaluations(self._tree, self._values).items()}
        self._symbols = scope.symbols
        # 0 and 1 are told as numbers: a ridge of 1 stands for no horizon.
        known = {name: value for name, value in scope.sizes.items() if np.isfinite(value) and value not in (0, 1)}
        # Of tables d and X are S·A under another name, which the code and the paper of a tabular algorithm need not have.
        pairs = known.get("S", 0) * known.get("A", 0)
        known = {name: value for name, value in known.items() if name in scope.names or name not in _PAIRS or value != pairs}
        # Of sizes that are equal by chance, one of the formula is told; else the horizon, which is what is forgotten most.
        first = [name for name in (*scope.names, "H") if name in known]
        self._sizes = {name: known[name] for name in dict.fromkeys((*first, *known))}
        self._at, self._holds = failing.failing, failing.compared & ~failing.failing
        self._total = int(np.count_nonzero(self._at))
        places = np.flatnonzero(self._at)
        self._some = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), _FIRST)).astype(int))]
        self._most_there = self._largest_told()
        self._few_most = np.broadcast_to(self._most_there, self._at.shape).reshape(-1)[self._some]
        self._sides = [array.reshape(-1)[self._some] for array in (failing.reported, failing.tolerance)]
        reported = failing.reported[self._at]
        # of a number that should be another one, 0 and 1 are those which most mistakes give
        self._most = _most_common(reported)
        told_apart = varies(failing.expected[self._at]) or self._total == 1  # of one place nothing is known but one number
        self._one_number = self._most is not None and (told_apart or self._most in (0.0, 1.0))
        self._at_cut = self._one_number and self._most is not None and self._is_cut_at(self._most)
        self._agreed: dict[str, tuple[bool, float]] = {}
        self._own = {symbol(name, self._symbols): value for name, value in self._sizes.items()}
        self._varies_elsewhere = bool(self._holds.any()) and varies(failing.reported[self._holds])
        # What is printed of a quantity may name sizes, too: (1/m)Σ CB.
        printed = (symbol(name, self._symbols) for name in (*scope.names, *names_in(self._tree)))
        self._within = frozenset(word for text_ in printed for word in (text_, *re.findall(r"\w+", text_)))
        self._reported = set(names_in(failing.statement.left)) - set(names_in(self._tree))
        # Symbols that the formula defines may stand elsewhere in it, too.
        self._known = {node.name: self._nodes[at] for at, node in nodes(self._tree) if isinstance(node, Defined)}
        self._known |= dict(self._quantities())
        # One that is printed like a quantity of the formula would be told as that: P̂ of all visits for P̂ of some of them.
        taken = {symbol(name, self._symbols): name for name in names_in(self._tree)}
        self._known = {name: value for name, value in self._known.items() if taken.get(symbol(name, self._symbols), name) == name}

    def _is_cut_at(self, number: float) -> bool:
        """Whether the reported number is where the formula would be cut if it were larger, or smaller where that is a maximum.

        Then whatever makes the formula large enough gives that number, and explains nothing.
        """
        cuts: list[Path] = [()]
        for at in cuts:  # cuts of the whole: those inside a part are of other numbers
            node = node_at(self._tree, at)
            if isinstance(node, Operation) and node.name in ("min", "max", "where"):
                parts = [(*at, part) for part in range(node.name == "where", len(node.parts))]
                cuts += parts
                value, ends = self._nodes[at][self._at], [self._nodes[part][self._at] for part in parts]
                for end in ends if node.name != "where" else ():
                    beyond = value < end if node.name == "min" else value > end
                    if float(np.mean(beyond & (np.abs(end - number) <= SLACK * abs(number)))) >= ENOUGH:
                        return True
        return False

    def sampled(self, array: Array) -> Array:
        """An array over all comparisons at a few that fail, spread over all of these."""
        return np.asarray(np.broadcast_to(array, self._at.shape).reshape(-1)[self._some] if array.size > 1 else array)

    def is_likely(self, right: Array) -> bool:
        """Whether a right side agrees with what was reported at most of a few comparisons: of the others it is seen at once."""
        with np.errstate(all="ignore"):
            right = np.minimum(right, self._few_most)
            off = np.abs(self._sides[0] - right)
            near = off <= self._sides[1] + SLACK * (np.abs(self._sides[0]) + np.abs(right))
        return 2 * int(np.count_nonzero(near)) >= len(self._some)

    def weighed(self, told: Iterable[Told]) -> list[Told]:
        """Explanations, those of the lowest rank first.

        Where another end of a cut is taken, whatever makes this end larger is one; it says nothing, unless it also explains
        where the other end is not taken.
        """
        ends = [self._agreed[each.text][1] for each in told if self._agreed.get(each.text, (False, 0.0))[0]]
        known = min(ends) if ends else None
        found = list[Told]()
        for each in told:
            end, wrong = self._agreed.get(each.text, (True, 0.0))
            more = known is None or end or wrong < known
            found.append(each if more else replace(each, rank=each.rank + _AT_END))
        return sorted(found, key=lambda each: (each.rank, len(each.text)))

    def _largest_told(self) -> Array:
        """Value that stands for any larger one where the statement has a cap and what is reported is there; else infinite."""
        cap = self._all.statement.cap
        if cap is None:
            return np.asarray(np.inf)
        names = {name: self._all.cut(self._scope.value(name)) for name in names_in(cap)}
        value = self._all.full(evaluate(cap, names))
        return np.where(self._all.reported == value, value, np.inf)

    def judged(self, candidate: Candidate) -> Told | None:
        """The explanation, if a right side agrees with what was reported at nearly all comparisons that fail."""
        if not self.is_likely(self.sampled(np.asarray(candidate.right))):
            return None
        found, right = self._all, np.minimum(self._all.full(candidate.right), self._most_there)
        with np.errstate(all="ignore"):  # what is no number explains nothing
            allowed = found.tolerance + SLACK * (np.abs(found.reported) + np.abs(right))
            agrees = np.abs(found.reported - right) <= allowed
            differs = np.abs(found.expected - right) > allowed  # one that is the formula would compare a side with itself
        fits = int(np.count_nonzero((agrees & differs)[self._at]))
        if fits < ENOUGH * self._total:
            return None
        wrong = float(np.mean(~agrees[self._holds])) if self._holds.any() else 0.0
        confirmed = candidate.plain or not self._one_number or (self._varies_elsewhere and wrong < 1 - ENOUGH)
        rank = candidate.rank + _ELSEWHERE * wrong + (0.0 if confirmed else _ONE_NUMBER) + _NOT_ALL * (fits < self._total)
        self._agreed[candidate.said] = candidate.end, wrong
        return Told(candidate.said, rank, fits, self._total)

    def _unclear(self, factor: Expression | None) -> float:
        """Rank that an explanation loses in which a factor is left out that is a number as people write them on this instance."""
        if factor is None or not names_in(factor):
            return 0.0
        value = self._all.full(evaluate(factor, self._values))[self._at]
        return 0.0 if varies(value) else UNCLEAR * is_written(float(value[0]))

    def _number(self, value: float | None) -> str:
        """Name of a number: that of a size, if it is one."""
        return next((name for name, size in self._own.items() if size == value), f"{value:g}")

    def _combined(self, within: Collection[str], x: Array, told: BoolArray, has: Array) -> Iterator[Relation]:
        """The part multiplied or divided by a quantity that varies, one over such a quantity, and a mean divided by n ± 1.

        Not by one that stands in the part, given by their names: that is another power of it.
        """
        if not varies(x):
            return
        inside = [self._all.full(self._known[name]) for name in within if name in self._known]
        first = np.unravel_index(int(np.argmax(told)), told.shape)
        counts: dict[str, Array] = {}
        for name, value in self._known.items():
            if value.size == 1 or name in within:
                continue
            said, full = symbol(name, self._symbols), self._all.full(value)
            is_count = whole(full[told])
            # most are seen at one comparison
            here = _multiplied(said, full[first], has[first], {one: each[first] for one, each in counts.items()}, is_count)
            near = [text_ for text_, there in here.items() if abs(there - x[0]) <= _SLOPPY * abs(x[0])]
            if near and self._tells(full[told], [each[told] for each in inside]):
                others = _multiplied(said, full, has, counts, is_count)
                for there in near:
                    if close(x, others[there][told]) and not close(has[told], others[there][told]):
                        yield Relation(f"{there} for {{}}", others[there], NAMED)
            if is_count and varies(full[told]):
                counts[said] = full

    def _tells(self, values: Array, inside: Iterable[Array]) -> bool:
        """Whether values are more than a number and none of those of a part: a policy that is uniform over two actions is 1/2."""
        return varies(values) and not any(close(values, each) for each in inside)

    def _searched(self, needed: Array, told: BoolArray, has: Array) -> Iterator[Relation]:
        """Functions of other quantities that the part should be, ``r̂(1 − r̂)``: the value of each is tried."""
        x = needed[told]
        if len(x) < MANY or not varies(x) or close(x, has[told]):
            return
        if not varies(self._all.reported[told]):  # one number is reported: 1 − x for y is found wherever x + y is 1
            return
        wanted = needed.reshape(-1)[self._some]
        for number, said, other in self._table.found(
            np.where(told.reshape(-1)[self._some], wanted, np.nan), self._full, different(x)
        ):
            if close(other[told], x) and not close(has[told], x) and not (number == 2 and self._is_reported_again(other, has)):
                yield Relation(f"{said} for {{}}", other, NAMED + _SEARCHED[number])

    def _is_reported_again(self, other: Array, has: Array) -> bool:
        """Whether a function of two quantities is the part where the formula holds, too, as Q − r̂ is a bonus, right or wrong."""
        same = self._holds & np.isfinite(other) & np.isfinite(has)
        return bool(same.sum() >= MANY) and varies(has[same]) and close(other[same], has[same])

    @cached_property
    def _table(self) -> Table:
        """Functions of all that is known, at a few comparisons that fail."""
        return Table({said: self.sampled(self._all.full(self._known[name])) for said, name in self._by_symbol.items()})

    @cached_property
    def _by_symbol(self) -> dict[str, str]:
        return {symbol(name, self._symbols): name for name, value in self._known.items() if value.size > 1}

    def _full(self, said: str) -> Array:
        """Values of a quantity, whose symbol is given, at all comparisons."""
        return self._all.full(self._known[self._by_symbol[said]]).astype(float)

    def _quantities(self) -> Iterator[tuple[str, Array]]:
        """Everything that may stand in a place, by name: quantities that the view has, those of the formula, and sizes."""
        for name in (*self._scope.names, *self._scope.others()):
            if name in self._scope.quantities and name not in self._reported:
                try:
                    value = self._all.cut(self._scope.value(name))
                    self._all.full(value)
                except Exception:  # a quantity that this algorithm does not have, or not at as many steps, explains nothing
                    continue
                yield name, value
        yield from ((name, np.asarray(value)) for name, value in self._sizes.items())
        yield from self._coordinates()

    def _coordinates(self) -> Iterator[tuple[str, Array]]:
        """The step, the number of steps left, and the episodes so far, which constants may be mistaken for."""
        H = self._sizes.get("H")
        for axis in TIMES & {*self._scope.axes[:1]} & {*self._scope.labels}:
            k = self._all.cut(self._scope.aligned(np.asarray(self._scope.labels[axis], dtype=float), (axis,)))
            # a view may have labels of more plans than there are comparisons, and only some say which ones are missing
            if len(k) == self._all.failing.shape[0] + 1 and getattr(self._scope.view, "last_untold", False):
                k = k[:-1]
            if len(k) == self._all.failing.shape[0] and "K" in self._sizes and "k" not in self._scope.quantities:
                yield from zip(EPISODES, (k, k - 1), strict=True)
        for axis in STEPS & set(self._scope.axes):
            length = self._all.failing.shape[self._scope.axes.index(axis)]  # there may be no transition after the last step
            h = self._scope.aligned(np.asarray(self._scope.labels[axis][:length], dtype=float), (axis,))
            yield axis, h
            if H is not None:
                yield f"H − {axis}", H - h
                yield f"H − {axis} + 1", H - h + 1


def _multiplied(said: str, full: Array, has: Array, counts: Mapping[str, Array], is_count: bool) -> dict[str, Array]:
    """A part that is multiplied or divided by another quantity, or averaged over another count than its own."""
    with np.errstate(all="ignore"):
        found = {f"1/{said}": 1 / full, f"{said} · {{}}": full * has, f"{{}} / {said}": has / full}
        if is_count:
            found[f"{said}/({said} + 1) · {{}}"] = full / (full + 1) * has
            found[f"{said}/({said} − 1) · {{}}"] = full / np.maximum(full - 1, 1) * has  # nobody divides by 0
            found |= {f"{one}/{said} · {{}}": each / full * has for one, each in counts.items()}
            found |= {f"{said}/{one} · {{}}": full / each * has for one, each in counts.items()}
    return found


def _most_common(values: Array) -> float | None:
    """The number that nearly all values are; None if there is none."""
    middle = float(np.median(values))
    return middle if float(np.mean(np.abs(values - middle) <= SLACK * abs(middle))) >= ENOUGH else None


def whole(values: Array) -> bool:
    """Whether all are whole numbers."""
    return bool((values == np.round(values)).all())
