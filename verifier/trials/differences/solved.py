"""Explanations of an equality that fails, solved for in its formula: no sentence is prepared for any mistake.

Of every part of the formula it is asked which value would make the formula equal to what was reported, at every comparison
that fails. If these values are a simple function of the true ones, or those of another quantity in scope, the formula is
evaluated with it in place of the part. What then agrees to rounding is an explanation. So are parts that are left out, quantities
at another step or plan, and data that are off: the transcript without its last step, say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray
from verifier.base.difference import Told
from verifier.formulas.expression import (
    CONDITIONS,
    Defined,
    Expression,
    Given,
    Name,
    Number,
    Operation,
    Path,
    evaluate,
    evaluations,
    names_in,
    nodes,
    replaced,
)  # fmt: skip
from verifier.formulas.inversion import implied
from verifier.formulas.scope import Scope
from verifier.formulas.typeset import symbol, text
from verifier.model.statement import Statement
from verifier.trials.differences.comparisons import STEPS, TIMES
from verifier.trials.differences.how import shifted
from verifier.trials.differences.relations import EXACT, NAMED, Relation, close, relations, unlikely, varies

_MOST = 20_000
"""Comparisons that are looked at; of more, those of some consecutive plans."""
_SLACK = 256 * EPS
"""Share of the sides that a candidate may be off, beside the rounding of the comparison: it is one more evaluation."""
_SMALL = 10
"""Largest whole number that is likely to stand for another one in a formula: 18 for 2 under a root is rather a factor of 3."""
_HALVINGS = 60
"""Bisections of an interval of 12 decades: what is left of it is below the rounding of a number."""
_SLOPPY = 1e-6
"""Relative distance of two first entries beyond which arrays are not compared."""
_FORMULA = "the formula"


@dataclass(frozen=True, eq=False)
class Failing:
    """Comparisons of a formula of which some fail, all arrays of the same shape.

    Parameters
    ----------
    statement : Statement
    scope : Scope
    failing, compared : bool array
    reported, expected, tolerance : array
    rows : slice
        Of the first axis: which of the scope these are.
    """

    statement: Statement
    scope: Scope
    failing: BoolArray
    compared: BoolArray
    reported: Array
    expected: Array
    tolerance: Array
    rows: slice

    @classmethod
    def of(cls, stated: tuple[Statement, Scope], failing: BoolArray, compared: BoolArray, *sides: Array) -> Failing:
        """The comparisons, or some of them where they are very many."""
        rows = _rows(failing)
        failing, compared, *parts = (array[rows] if failing.ndim else array for array in (failing, compared, *sides))
        reported, expected, tolerance = parts
        return cls(*stated, failing, compared, reported, expected, tolerance, rows)

    def cut(self, array: Array) -> Array:
        """The rows of an array that broadcasts to all comparisons of the scope."""
        return array[self.rows] if array.ndim and array.shape[0] > 1 else array

    def full(self, array: Array) -> Array:
        """An array over all comparisons."""
        return np.broadcast_to(array, self.failing.shape)


def _rows(failing: BoolArray) -> slice:
    """Rows of the first axis around the first that fails, so many that there are enough comparisons."""
    if failing.size <= _MOST or not failing.ndim:
        return slice(None)
    most = max(2, _MOST * failing.shape[0] // failing.size)
    first = int(np.argmax(failing.any(axis=tuple(range(1, failing.ndim)))))
    return slice(max(0, first - 1), max(0, first - 1) + most)


def explanations(failing: Failing) -> list[Told]:
    """Explanations of the comparisons that fail, each text once, with how many of them it explains."""
    solver = _Solver(failing)
    found: dict[str, Told] = {}
    for said, rank, right in solver.candidates():
        told = solver.judged(said, rank, right)
        if told is not None and (said not in found or found[said].rank > rank):
            found[said] = told
    return sorted(found.values(), key=lambda told: (told.rank, len(told.text)))


class _Solver:
    def __init__(self, failing: Failing) -> None:
        self._all = failing
        scope = failing.scope
        self._scope, self._tree = scope, failing.statement.right
        self._values = {name: failing.cut(value) for name, value in scope.values.items()}
        self._nodes = {at: failing.full(value) for at, value in evaluations(self._tree, self._values).items()}
        self._symbols = scope.symbols
        # 0 and 1 are told as numbers: a ridge of 1 stands for no horizon.
        known = {name: value for name, value in scope.sizes.items() if np.isfinite(value) and value not in (0, 1)}
        # Of sizes that are equal by chance, one of the formula is told; else the horizon, which is what is forgotten most.
        first = [name for name in (*scope.names, "H") if name in known]
        self._sizes = {name: known[name] for name in dict.fromkeys((*first, *known))}
        self._at = failing.failing
        self._own = {symbol(name, self._symbols): value for name, value in self._sizes.items()}
        self._reported = set(names_in(failing.statement.left)) - set(names_in(self._tree))
        # Symbols that the formula defines may stand elsewhere in it, too.
        self._known = {node.name: self._nodes[at] for at, node in nodes(self._tree) if isinstance(node, Defined)}
        self._known |= dict(self._quantities())

    def judged(self, said: str, rank: float, right: Array) -> Told | None:
        """The explanation, if a right side agrees with what was reported at nearly all comparisons that fail."""
        found = self._all
        left, formula = found.reported[self._at], found.expected[self._at]
        other = found.full(right)[self._at]
        allowed = found.tolerance[self._at] + _SLACK * (np.abs(left) + np.abs(other))
        agrees = np.abs(left - other) <= allowed
        differs = np.abs(formula - other) > allowed  # one that is the formula itself would compare a side with itself
        fits = int(np.count_nonzero(agrees & differs))
        total = int(left.size)
        return Told(said, rank, fits, total) if fits >= 0.9 * total else None

    def candidates(self) -> Iterator[tuple[str, float, Array]]:
        """Texts, ranks and right sides."""
        yield from self._structure()
        for at, node in nodes(self._tree):
            if self._within_condition(at):
                continue
            needed = implied(self._tree, at, self._nodes, self._all.reported)
            has = self._nodes[at]
            told = self._at & np.isfinite(needed) & np.isfinite(has)
            if int(np.count_nonzero(told)) < min(2, int(np.count_nonzero(self._at))):
                continue
            for relation in self._relations(at, node, needed, has, told):
                named = _said(relation, self._named(at, node))
                right = self._evaluated(at, relation.value)
                yield f"{named}{self._inside(at)}", relation.rank + 0.01 * len(at), right
        yield from self._together()
        yield from self._altered()

    def _together(self) -> Iterator[tuple[str, float, Array]]:
        """The formula with another value of a quantity in all the places where it stands, if these are several."""
        places = Counter(node.name for _, node in nodes(self._tree) if isinstance(node, Name))
        for name in (name for name, count in places.items() if count > 1):
            has = self._all.full(self._values[name])
            for other, value in self._known.items():
                if other != name:
                    said = f"{symbol(other, self._symbols)} for {symbol(name, self._symbols)}"
                    odd = unlikely(float(value), float(self._values[name].flat[0])) if value.ndim == 0 else 0.0
                    yield said, EXACT + odd, self._evaluated_with(name, value)
            needed = self._needed_together(name)
            told = self._at & np.isfinite(needed) & np.isfinite(has)
            if int(np.count_nonzero(told)) >= min(2, int(np.count_nonzero(self._at))) and told.any():
                for relation in (*self._moved(needed[told], told, has), *relations(needed[told], has[told], has, self._own)):
                    said = _said(relation, symbol(name, self._symbols))
                    yield said, relation.rank, self._evaluated_with(name, relation.value)

    def _needed_together(self, name: str) -> Array:
        """Value of a positive quantity at which the formula is what was reported, found by bisection of its logarithm.

        It is tried between a millionth and a million times what it is; NaN where the formula is on one side at both ends.
        """
        reported, has = self._all.reported, self._all.full(self._values[name])
        low, high = has * 1e-6, has * 1e6

        def excess(value: Array) -> Array:
            return self._all.full(self._evaluated_with(name, value)) - reported

        with np.errstate(all="ignore"):
            start = excess(low)
            inside = (has > 0) & (start * excess(high) <= 0)
            for _ in range(_HALVINGS):
                middle = np.sqrt(low * high)
                same = excess(middle) * start > 0
                low, high = np.where(same, middle, low), np.where(same, high, middle)
        return np.where(inside, np.sqrt(low * high), np.nan)

    def _evaluated_with(self, name: str, value: Array) -> Array:
        return evaluate(self._tree, {**self._values, name: value})

    def _relations(self, at: Path, node: Expression, needed: Array, has: Array, told: BoolArray) -> Iterator[Relation]:
        x, y = needed[told], has[told]
        own = node.name if isinstance(node, (Name, Defined)) else ""
        if not isinstance(node, Number):
            for name, value in self._known.items():
                # a quantity that does not vary is a number by chance
                if name != own and (value.size == 1 or varies(x)):
                    full = self._all.full(value)
                    if close(x, full[told]) and not close(y, full[told]):
                        # seldom is a number mistaken for what varies, or another quantity for a whole formula
                        odd = 0.5 * (value.size == 1 and varies(y)) + 0.3 * (not at)
                        odd += 0.5 * (value.size == 1 and bool(value.item() < 1) != bool(y[0] < 1))  # nor a size for a chance
                        odd += 2.5 * (varies(x) and not varies(self._all.reported[told]))  # x − y is 0 at y = x
                        yield Relation(f"{symbol(name, self._symbols)} for {{}}", full, EXACT + odd)
            yield from self._moved(x, told, has)
            yield from self._combined(own, x, told, has)
        if not isinstance(node, Number):
            for relation in relations(x, y, has, self._own):
                # of the formula as a whole, what a part of it explains as well is told of the part
                yield relation if at or relation.rank != EXACT else replace(relation, rank=EXACT + 0.3)
        elif not varies(x) and (number := round(float(x[0]), 6)).is_integer() and not close(x, y):
            # another whole number; what is no whole number is rather a factor of something
            yield Relation(f"{number:.0f} for {{}}", np.full_like(has, number), NAMED + (-0.1 if number <= _SMALL else 0.5))

    def _combined(self, own: str, x: Array, told: BoolArray, has: Array) -> Iterator[Relation]:
        """The part multiplied or divided by another quantity that varies, and one over such a quantity."""
        if not varies(x):
            return
        for name, value in self._known.items():
            if name == own or value.size == 1:
                continue
            said, full = symbol(name, self._symbols), self._all.full(value)
            if not varies(full[told]):  # as the policy that is uniform over two actions: 1/2 is a number and no policy
                continue
            with np.errstate(all="ignore"):
                others = {f"1/{said}": 1 / full, f"{said} · {{}}": full * has, f"{{}} / {said}": has / full}
            for text_, other in others.items():
                there = other[told]
                if abs(there[0] - x[0]) <= _SLOPPY * abs(x[0]) and close(x, there) and not close(has[told], there):
                    yield Relation(f"{text_} for {{}}", other, NAMED)

    def _moved(self, x: Array, told: BoolArray, has: Array) -> Iterator[Relation]:
        """The part at the plan before, at another step, and at all steps together."""
        odd = 0.0 if x.any() else 0.35  # zeros are found at another step by chance; data that are off say more
        for number, axis in enumerate(self._scope.axes):
            if has.shape[number] < 2:
                continue
            if axis in TIMES and number == 0:
                moves = [(f"{{}} of the {axis} before", -1)]
            elif axis in STEPS:
                moves = [("{} of step h + 1", 1), ("{} of step h − 1", -1)]
            else:
                continue
            for said, by in moves:
                moved = shifted(has, number, by)
                inside = told & np.isfinite(moved)
                if inside.sum() >= 2 and close(moved[inside], x[inside[told]]) and not close(moved[inside], has[inside]):
                    yield Relation(said, moved, EXACT + 0.2 + odd)

    def _structure(self) -> Iterator[tuple[str, float, Array]]:
        """The formula without a term, a factor, a cut or a case."""
        yield from self._uncut()
        for at, node in nodes(self._tree):
            if not isinstance(node, Operation) or self._within_condition(at):
                continue
            a, b = node.parts[max(0, len(node.parts) - 2)], node.parts[-1]  # of one part both, of three those behind `where`
            inside = self._inside(at)
            match node.name:
                case "add":
                    yield f"without {self._text(a)}{inside}", 0.5, self._with(at, b)
                    yield f"without {self._text(b)}{inside}", 0.5, self._with(at, a)
                    yield f"− {self._text(b)} for + {self._text(b)}{inside}", 0.6, self._with(at, Operation("sub", (a, b)))
                case "sub":
                    yield f"without {self._text(b)}{inside}", 0.5, self._with(at, a)
                    yield f"+ {self._text(b)} for − {self._text(b)}{inside}", 0.6, self._with(at, Operation("add", (a, b)))
                case "mul":
                    yield f"without the factor {self._text(a)}{inside}", 0.5, self._with(at, b)
                    yield f"without the factor {self._text(b)}{inside}", 0.5, self._with(at, a)
                case "div":
                    yield f"without the divisor {self._text(b)}{inside}", 0.5, self._with(at, a)
                case "min" | "max":
                    other = "max" if node.name == "min" else "min"
                    yield f"without the cut at {self._text(b)}{inside}", 0.4, self._with(at, a)
                    yield f"{self._text(b)} for {self._text(node)}{inside}", 0.6, self._with(at, b)
                    yield f"{other} for {node.name}{inside}", 0.6, self._with(at, Operation(other, node.parts))
                case "where":
                    condition = self._text(node.parts[0])
                    yield f"{self._text(a)} also where not {condition}{inside}", 0.5, self._with(at, a)
                    yield f"{self._text(b)} also where {condition}{inside}", 0.5, self._with(at, b)
                    zero = Operation("where", (node.parts[0], a, Number(0.0)))
                    yield f"0 for {self._text(b)} where not {condition}{inside}", 0.6, self._with(at, zero)
                case "sqrt":
                    yield f"{self._text(a)} without its root{inside}", 0.6, self._with(at, a)
                case "square":
                    yield f"{self._text(a)} without its square{inside}", 0.6, self._with(at, a)
                case "pow":  # an exponent is forgotten sooner than a factor
                    base = node.parts[0]
                    yield f"{self._text(base)} for {self._text(node)}{inside}", 0.45, self._with(at, base)

    def _uncut(self) -> Iterator[tuple[str, float, Array]]:
        """The formula without all of its cuts, where there are several."""
        tree, cuts = self._tree, list[str]()
        while (at := next((at for at, node in nodes(tree) if _cuts(node)), None)) is not None:
            kept, cut = _node(tree, at).parts
            tree = replaced(tree, at, kept)
            cuts.append(self._text(cut))
        if len(cuts) > 1:
            yield f"without the cuts at {' and '.join(cuts)}", 0.7, evaluate(tree, self._values)

    def _altered(self) -> Iterator[tuple[str, float, Array]]:
        """The formula with quantities of data that are off: all that depend on these together, and one after the other."""
        others: Mapping[str, Any] = getattr(self._scope.view, "altered", {})
        for said, make in others.items():
            scope = Scope(make(), self._scope.names, self._scope.local)
            values = {name: self._all.cut(scope.value(name)) for name in names_in(self._tree)}
            changed = [name for name, value in values.items() if not np.array_equal(value, self._values[name], equal_nan=True)]
            if changed:  # of one quantity, too: on other instances several may change
                yield f"{_FORMULA} {said}", EXACT + 0.5, evaluate(self._tree, {**self._values, **values})
            for name in changed:
                one = {**self._values, name: values[name]}
                yield f"{symbol(name, self._symbols)} {said}", EXACT + 0.4, evaluate(self._tree, one)

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
        """The step, and the number of steps left, which constants may be mistaken for."""
        H = self._sizes.get("H")
        for axis in STEPS & set(self._scope.axes):
            length = self._all.failing.shape[self._scope.axes.index(axis)]  # there may be no transition after the last step
            h = self._scope.aligned(np.asarray(self._scope.labels[axis][:length], dtype=float), (axis,))
            yield axis, h
            if H is not None:
                yield f"H − {axis}", H - h
                yield f"H − {axis} + 1", H - h + 1

    def _evaluated(self, at: Path, value: Array) -> Array:
        return evaluate(replaced(self._tree, at, Given(value)), self._values)

    def _with(self, at: Path, node: Expression) -> Array:
        return evaluate(replaced(self._tree, at, node), self._values)

    def _within_condition(self, at: Path) -> bool:
        """Whether a place is in a condition, whose values cannot be solved for."""
        node = self._tree
        for number in at:
            if isinstance(node, Operation) and (node.name in CONDITIONS or (node.name == "where" and number == 0)):
                return True
            node = node.parts[number]
        return isinstance(node, Operation) and node.name in CONDITIONS

    def _named(self, at: Path, node: Expression) -> str:
        return _FORMULA if not at else self._text(node)

    def _inside(self, at: Path) -> str:
        """Name of the definition that a place is in, `` in L``; empty if it is in none."""
        node, found = self._tree, ""
        for number in at:
            if isinstance(node, Defined):
                found = f" in {symbol(node.name, self._symbols)}"
            node = node.parts[number]
        return found

    def _text(self, node: Expression) -> str:
        return text(node, self._symbols)


def _cuts(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name in ("min", "max")


def _node(tree: Expression, at: Path) -> Expression:
    """Node at a place."""
    for number in at:
        tree = tree.parts[number]
    return tree


def _said(relation: Relation, name: str) -> str:
    """Text of a relation; that something is in the place of the formula goes without saying."""
    text = relation.text.removesuffix(" for {}") if name == _FORMULA else relation.text
    return text.replace("{}", name)
