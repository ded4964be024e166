"""Explanations of an equality that fails, solved for in its formula: no sentence is prepared for any mistake.

Of every part of the formula it is asked which value would make the formula equal to what was reported, at every comparison
that fails. If these values are a simple function of the true ones, or those of another quantity in scope, the formula is
evaluated with it in place of the part. What then agrees to rounding is an explanation. So are parts that are left out, quantities
at another step or plan, and data that are off: the transcript without its last step, say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.base.difference import ENOUGH, Told
from verifier.formulas.expression import (
    Defined,
    Expression,
    Given,
    Name,
    Number,
    Operation,
    Path,
    Share,
    evaluate,
    names_in,
    nodes,
    replaced,
)  # fmt: skip
from verifier.formulas.inversion import implied
from verifier.formulas.scope import Scope
from verifier.formulas.typeset import symbol, text
from verifier.trials.differences.comparisons import TIMES
from verifier.trials.differences.failing import Failing
from verifier.trials.differences.mended import mended
from verifier.trials.differences.relations import (
    CLOSE,
    EXACT,
    FITTED,
    NAMED,
    SMALL,
    UNCLEAR,
    Relation,
    by_chance,
    close,
    is_written,
    relations,
    simple,
    varies,
)  # fmt: skip
from verifier.trials.differences.rewrites import rewritten
from verifier.trials.differences.scene import EPISODES, MANY, Candidate, whole
from verifier.trials.differences.structure import LOGARITHMIC, changed, definition, within_condition
from verifier.trials.differences.terms import Terms
from verifier.trials.differences.together import Together

_FORMULA = "the formula"
_CUT = ", at which the formula is cut"
_SIZES = 1.2
"""Rank that a size in the place of another loses where one is half or twice the other on this instance: others will tell."""
REPEATED = 3.0
"""Rank that other data lose whose right side is a report of the plan before: nothing of them is seen. A fitted number has 4."""


def explanations(failing: Failing, tried: set[str] | None = None) -> list[Told]:
    """Explanations of the comparisons that fail, each text once, with how many of them it explains.

    Texts of all that was tried are added to a set, if one is given.
    """
    solver = _Solver(failing)
    found: dict[str, Told] = {}
    for candidate in solver.candidates():
        if tried is not None:
            tried.add(candidate.said)
        told = solver.judged(candidate)
        if told is not None and (told.text not in found or found[told.text].rank > told.rank):
            found[told.text] = told
    found |= {told.text: told for told in mended(failing)}
    return solver.weighed(found.values())


class _Solver(Together, Terms):
    """Candidates of all kinds."""

    def candidates(self) -> Iterator[Candidate]:
        """Candidates for what stands in place of the formula; none for a number: what is reported says all that they would."""
        if not names_in(self._tree):
            return
        for said, rank, tree, left_out, factor, end in changed(self._tree, self._symbols):
            yield Candidate(said, rank + self._unclear(factor), evaluate(tree, self._values), left_out and not self._at_cut, end)
        if self._at_cut and varies(self._all.reported[self._at]):  # nearly all are the number: that is told, if nothing is better
            yield Candidate(self._number(self._most) + _CUT, EXACT + 1.0, np.asarray(self._most), plain=True, end=True)
        for at, node in nodes(self._tree):
            if within_condition(self._tree, at):
                continue
            needed = implied(self._tree, at, self._nodes, self._all.reported)
            has = self._nodes[at]
            told = self._at & np.isfinite(needed) & np.isfinite(has)
            if int(np.count_nonzero(told)) < min(2, self._total):
                continue
            for relation in self._relations(at, node, needed, has, told):
                said = _said(relation, self._named(at, node, relation)) + definition(self._tree, at, self._symbols)
                said += _CUT if not at and relation.plain and self._at_cut else ""
                # many values that are needed, and found, are more than one number, whatever they come to
                plain = not at if relation.plain else varies(needed[told])
                right = self._evaluated(at, relation.value)
                yield Candidate(said, relation.rank + 0.01 * len(at), right, plain, said.endswith(_CUT))
        yield from self._rewritten()
        yield from self._of_terms()
        yield from self._localised()
        yield from self._together()
        yield from self._altered()
        yield from self._computed_otherwise()

    def _rewritten(self) -> Iterator[Candidate]:
        """The formula, written in another way; evaluated at a few comparisons first, since there are many ways."""
        few = {name: self.sampled(self._all.full(value)) for name, value in self._values.items()}
        nothing = np.asarray(np.nan)
        for other in rewritten(self._tree):
            tree = other.of(self._tree)
            likely = self.is_likely(evaluate(tree, few))
            right = evaluate(tree, self._values) if likely else nothing
            rank = other.rank + self._vague(right) if likely else other.rank
            yield Candidate(other.said(self._tree, self._symbols), rank, right)

    def _localised(self) -> Iterator[Candidate]:
        """Another value of the one symbol with which all else in the formula is as it should be; nothing more is known of it.

        Told only of a symbol with fewer axes than what is compared, each value of which is needed at several places, and where no
        other symbol, but those within it, could be another one as well.
        """
        found = dict[Path, Candidate]()
        for at, node in nodes(self._tree):
            if at and isinstance(node, (Name, Defined)) and not any(at[: len(outer)] == outer for outer in found):
                right = self._evaluated(at, self._needed_alike(at)) if not within_condition(self._tree, at) else None
                said = f"another {symbol(node.name, self._symbols)}, all else as in the formula"
                if right is not None and self.judged(candidate := Candidate(said, FITTED + 1.0, right)) is not None:
                    found[at] = candidate
        if len(found) == 1:
            yield from found.values()

    def _needed_alike(self, at: Path) -> Array:
        """Means of the values that a part would need, over the axes along which it is the same; NaN where nothing is shared."""
        has, nothing = self._nodes[at], np.asarray(np.nan)
        alike = [np.array_equal(has, np.broadcast_to(has.take([0], axis), has.shape), True) for axis in range(has.ndim)]
        shared = tuple(axis for axis, same in enumerate(alike) if same and has.shape[axis] > 1)
        needed = np.where(self._at, implied(self._tree, at, self._nodes, self._all.reported), np.nan)
        known = np.isfinite(needed).sum(axis=shared, keepdims=True)
        several = (known > 1).sum() >= MANY and (known[known > 0] > 1).mean() >= ENOUGH
        if not (shared and several and varies(has[self._at])):
            return nothing
        return np.where(known > 1, np.nansum(needed, axis=shared, keepdims=True) / np.maximum(known, 1), has)

    def _vague(self, right: Array) -> float:
        """Rank that a right side loses that is a simple multiple of the formula: the number is known then, and no more."""
        with np.errstate(all="ignore"):
            ratio = (self._all.full(right) / self._all.expected)[self._at]
        ratio = ratio[np.isfinite(ratio)]
        return UNCLEAR if ratio.size and not varies(ratio) and (simple(float(ratio[0])) or is_written(float(ratio[0]))) else 0.0

    def _relations(self, at: Path, node: Expression, needed: Array, has: Array, told: BoolArray) -> Iterator[Relation]:
        x, y = needed[told], has[told]
        own = node.name if isinstance(node, (Name, Defined)) else ""
        # of a size in the place of another less is known than the factor between them, if that is one that people write down
        vague = _SIZES if not isinstance(node, Number) and not varies(y) and self._is_multiplied(at) else 0.0
        if not isinstance(node, Number):
            for name, value in self._known.items():
                # a quantity that does not vary is a number by chance
                if name != own and (value.size == 1 or varies(x)):
                    full = self._all.full(value)
                    if close(x, full[told]) and not close(y, full[told]):
                        # seldom is a number mistaken for what varies, or another quantity for a whole formula
                        odd = 0.5 * (value.size == 1 and varies(y)) + 0.3 * (not at)
                        odd += 0.6 * (name in EPISODES and varies(y))  # "n + 1 for n" says more of the rounds of a bandit
                        odd += by_chance(float(value.flat[0]), y) if value.size == 1 and at else 0.0
                        odd += 1.5 * (not varies(y) and close(y, np.ones(1)))  # in place of a factor of 1 anything multiplies
                        odd += 2.0 * (not at and value.size == 1 and varies(y) and whole(y))  # counts are small, as sizes are
                        odd += 1.0 * (not at and value.size == 1 and not varies(y))  # likewise
                        odd += 2.5 * (varies(x) and not varies(self._all.reported[told]))  # x − y is 0 at y = x
                        odd += vague * (value.size == 1)
                        odd -= 0.05 * (own in self._sizes)  # H − h + 1 is taken for H rather than for a report that is H
                        yield Relation(f"{symbol(name, self._symbols)} for {{}}", full, EXACT + odd, value.size == 1)
            yield from self._inverted(node, x, y)
            yield from self._moved(needed, told, has, not isinstance(node, Name))
            yield from self._combined((own,) if own else names_in(node), x, told, has)
            yield from self._searched(needed, told, has)
        if not isinstance(node, Number):
            for relation in relations(x, y, has, self._own, self._within):
                # of the formula as a whole, what a part of it explains as well is told of the part
                odd = 0.3 * (not at and relation.rank == EXACT) + vague * relation.plain
                # of two numbers many things are one; a number is that number
                odd += 1.0 * (not at and relation.plain and relation.rank < NAMED and not varies(y))
                yield replace(relation, rank=relation.rank + odd)
        elif not isinstance(node, Share) and not varies(x) and (number := round(float(x[0]), 6)).is_integer() and not close(x, y):
            # another whole number; what is no whole number is rather a factor of something, and so is 8 for 2 under a root
            odd = 0.5 if number > SMALL or self._is_multiplied(at) else -0.1
            # 10 for 2 is 5 times too much, where S is 5: of a size beside the number more is known
            odd += 0.3 * any(abs(number - size * y[0]) <= CLOSE * number for size in self._sizes.values() if size > 2)
            yield Relation(f"{number:.0f} for {{}}", np.full_like(has, number), NAMED + odd)

    def _inverted(self, node: Expression, x: Array, y: Array) -> Iterator[Relation]:
        """One over a number that stands in the part, as where 1/δ is left of 2SAH/δ.

        Before any size of the same value, which is there by chance: it does not stand in the part.
        """
        for name in names_in(node) if not varies(x) and not isinstance(node, Name) else ():
            value = self._values[name]
            if (
                value.size == 1
                and 0 < float(value.flat[0]) < 1
                and close(x, 1 / value.ravel())
                and not close(y, 1 / value.ravel())
            ):
                yield Relation(f"1/{symbol(name, self._symbols)} for {{}}", self._all.full(1 / value), EXACT - 0.1, plain=True)

    def _is_multiplied(self, at: Path) -> bool:
        """Whether what a number stands in is a simple multiple of what it should be: less is known then than which number it is.

        Not within a logarithm, in which no factor of the whole stands.
        """
        node = self._tree
        for depth, number in enumerate(at):
            if isinstance(node, Operation) and node.name in LOGARITHMIC:
                return False
            needed, has = (
                implied(self._tree, at[:depth], self._nodes, self._all.reported)[self._at],
                self._nodes[at[:depth]][self._at],
            )
            told = np.isfinite(needed) & np.isfinite(has) & (has != 0)
            if told.any() and not varies(ratio := needed[told] / has[told]) and simple(float(np.median(ratio))):
                return True
            node = node.parts[number]
        return False

    def _altered(self) -> Iterator[Candidate]:
        """The formula with quantities of data that are off: all that depend on these together, and one after the other.

        Other data are one of few things that the view has, and found by no search, so that one number that is reported in the
        place of many is enough. One number in the place of one other is not, nor is a value that the plan before reported.
        """
        others: Mapping[str, Any] = getattr(self._scope.view, "altered", {})
        many = not self._at_cut and varies(self._all.expected[self._at])
        several = many or varies(self._all.reported[self._at])
        for said, make in others.items():
            scope = Scope(make(), self._scope.names, self._scope.local)
            values = {name: self._all.cut(scope.value(name)) for name in names_in(self._tree)}
            changed = [name for name, value in values.items() if not np.array_equal(value, self._values[name], equal_nan=True)]
            # a quantity that is one number where the formula fails fits by chance, as values at their cap do
            odd = {name: 2.0 * (not varies(self._all.full(values[name])[self._at])) for name in changed}
            # and one that is reported as it is was not taken from other data
            odd = {name: rank + 2.0 * (self._is_reported(name) and not self._agrees(name, scope)) for name, rank in odd.items()}
            if changed:  # of one quantity, too: on other instances several may change
                # two terms that are 0 at once, as where values are not there yet, are 0 by no chance
                gone = len(changed) > 1 and not any(np.any(values[name]) for name in changed)
                rank = EXACT + 0.5 + (0.5 if gone else min(odd.values()))
                right = evaluate(self._tree, {**self._values, **values})
                yield Candidate(f"{_FORMULA} {said}", rank + self._repeated(values, right), right, several)
            for name in changed:
                other = {name: values[name]}
                rank, right = EXACT + 0.4 + odd[name], evaluate(self._tree, {**self._values, **other})
                rank += self._repeated(other, right)
                yield Candidate(f"{symbol(name, self._symbols)} {said}", rank, right, several)

    def _computed_otherwise(self) -> Iterator[Candidate]:
        """The statement with what may be computed in the place of a quantity, on either side.

        Where that is the left side of an equation that what is reported solves, the right side is moved as far as the left.
        """
        left = names_in(self._all.statement.left)
        values = {name: self._all.cut(self._scope.value(name)) for name in left}
        for name in dict.fromkeys((*left, *names_in(self._tree))):
            item = self._scope.quantities.get(name)
            for said, make in (item.others if item is not None else {}).items():
                assert item is not None
                other = {name: self._all.cut(self._scope.aligned(np.asarray(make(self._scope.view)), item.axes))}
                right = self._all.full(evaluate(self._tree, {**self._values, **other}))
                if name in left:
                    with np.errstate(all="ignore"):
                        moved = self._all.full(evaluate(self._all.statement.left, {**values, **other}))
                        right = self._all.reported + right - moved
                yield Candidate(f"{said} for {symbol(name, self._symbols)}", EXACT + 0.4, right)

    def _is_reported(self, name: str) -> bool:
        """Whether plans report a quantity, and as it is."""
        value = self._scope.by_plans.get(name)
        return value is not None and close(self._all.cut(value), self._values[name])

    def _agrees(self, name: str, other: Scope) -> bool:
        """Whether what plans report is in accordance with other data: a backup of the law that they report, with other values."""
        value = other.by_plans.get(name)
        return value is not None and close(self._all.cut(value), self._all.cut(other.value(name)))

    def _repeated(self, values: Mapping[str, Array], right: Array) -> float:
        """Rank that other values lose where the formula with them is, at nearly all places, a report of the plan before.

        Such an agreement shows that what is reported did not change, and nothing about these values.
        """
        known = {**self._values, **values}
        before = {name: value + 1.0 for name, value in known.items() if self._is_report_before(value)}
        if not before:
            return 0.0
        decided = self._all.full(evaluate(self._tree, {**known, **before})) != self._all.full(right)
        return REPEATED if float(np.mean(decided[self._at])) >= ENOUGH else 0.0

    def _is_report_before(self, value: Array) -> bool:
        """Whether a quantity is what is compared, as it was reported at the plan before."""
        on_time = bool(self._scope.axes) and self._scope.axes[0] in TIMES and value.ndim > 0 and len(value) > 1
        return on_time and np.array_equal(self._all.full(value)[1:], self._all.reported[:-1])

    def _evaluated(self, at: Path, value: Array) -> Array:
        return evaluate(replaced(self._tree, at, Given(value)), self._values)

    def _named(self, at: Path, node: Expression, relation: Relation) -> str:
        """Name of the place that something stands in: a part, or the quantity of which a copy is reported, ``P̂ for P̂_h``."""
        copied = isinstance(node, Name) and not relation.plain and relation.text.endswith(" for {}")
        return text(node, self._symbols) if at or copied else _FORMULA


def _said(relation: Relation, name: str) -> str:
    """Text of a relation; that something is in the place of the formula goes without saying."""
    return relation.of(name) if name != _FORMULA else replace(relation, text=relation.text.removesuffix(" for {}")).of(name)
