"""Statements: properties that are a formula, an equality or a bound, of quantities by their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, TypedDict, Unpack, overload

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier.base.errors import ContractError
from verifier.formulas.expression import (
    Defined,
    Expression,
    Given,
    Name,
    Number,
    evaluate,
    names_in,
    nodes,
    outermost,
    replaced,
    tree_of,
)  # fmt: skip
from verifier.formulas.quantity import Quantity, fields_of, quantities, reports
from verifier.formulas.ranges import range_of
from verifier.formulas.rounding import rounding_of
from verifier.formulas.scope import Scope
from verifier.formulas.tested import at_an_end, bits_inside, bits_tested, tried, untested
from verifier.formulas.typeset import difference, mathml, symbol, text
from verifier.model.blocks import distance_and_size
from verifier.model.inequality import Inequality
from verifier.model.property import Property, topic_of
from verifier.model.property import Scope as Kind

Formula: TypeAlias = Callable[..., Any] | str
"""A function of quantities by their names, or the text of an expression, ``"abs(P_hat - P)"``."""

CHEAP = 16 * EPS
"""Share of both sides that two evaluations of one formula may differ by when nothing is known of it. A comparison within it is
passed without asking more; only where one is not, the rounding of the formula is propagated from that of its quantities."""


@dataclass(frozen=True, eq=False)
class Statement:
    """A formula as a function of views: what `Property.function` is.

    Parameters
    ----------
    left, right : Expression
        The side that the implementation reports, or that is bounded; and the formula, or the bound.
    equal : bool
        Whether they are equal, or the left is at most the right.
    where : Expression, optional
        Where the statement is made.
    cap : Expression, optional
        A left side that is as large may stand for any larger one.
    on : type, optional
        The class of views that it is about.
    local : mapping of str to Quantity
        Quantities that it brings along.
    reports : mapping of str to str
        Fields of plans that report what a symbol is short for, by that symbol.
    of : callable, optional
        Maps what the property receives to the view that has the quantities.
    saturated : Expression, optional
        Where comparisons are about a value function that is the same in all states, see `Inequality`.
    made_of : mapping of str to Expression
        Formulas that quantities in it are a multiple of, by name; explanations look inside them.
    ceiling : Expression, optional
        The most that the right side can be, see `Inequality`.
    by_factor : bool
        Whether the implementation evaluates these formulas itself, and is given a factor for them: then they are in it whatever
        width it is given, such as the error of the run.
    """

    left: Expression
    right: Expression
    equal: bool
    where: Expression | None = None
    cap: Expression | None = None
    on: type | None = None
    local: Mapping[str, Quantity] = field(default_factory=dict)
    reports: Mapping[str, str] = field(default_factory=dict)
    of: Callable[[Any], Any] | None = None
    saturated: Expression | None = None
    made_of: Mapping[str, Expression] = field(default_factory=dict)
    ceiling: Expression | None = None
    by_factor: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Names in it, those of the left side first."""
        trees = (self.left, self.right, self.where, self.cap, self.saturated, self.ceiling)
        return tuple(dict.fromkeys(name for tree in trees if tree is not None for name in names_in(tree)))

    def text(self, symbols: Mapping[str, str] | None = None) -> str:
        """The statement as it is evaluated, in a line."""
        known = symbols or {
            name: item.symbol for name, item in {**(quantities(self.on) if self.on else {}), **self.local}.items()
        }
        line = f"{text(self.left, known)} {'=' if self.equal else '≤'} {text(self.right, known)}"
        return line if self.where is None else f"{line}, where {text(self.where, known)}"

    @property
    def symbols(self) -> dict[str, str]:
        """Symbols of the quantities in it."""
        return {name: item.symbol for name, item in {**(quantities(self.on) if self.on else {}), **self.local}.items()}

    def mathml(self, premise: bool = False) -> str:
        """The statement as MathML, with its premise if asked for; the symbols that it defines are written out behind it."""
        rows = self.rows()
        if premise and self.where is not None:
            rows.insert(1, f"<mrow><mtext>where\u00a0</mtext>{mathml(self.where, self.symbols)}</mrow>")
        return '<mspace width="1em"/>'.join(rows)

    def rows(self) -> list[str]:
        """The statement and each symbol that it defines as MathML, one by one."""
        left, right = (mathml(tree, self.symbols) for tree in (self.left, self.right))
        rows = [f"{left}<mo>{'=' if self.equal else '≤'}</mo>{right}"]
        for name, tree in self.definitions.items():
            rows.append(f"{mathml(Name(name), self.symbols)}<mo>=</mo>{mathml(tree, self.symbols)}")
        return [f"<mrow>{row}</mrow>" for row in rows]

    @property
    def definitions(self) -> dict[str, Expression]:
        """Formulas that symbols in its two sides are short for, by name."""
        sides = (*nodes(self.left), *nodes(self.right))
        return {node.name: node.parts[0] for _, node in sides if isinstance(node, Defined)}

    def written(self) -> str:
        """The statement and its definitions in a line of text."""
        symbols = self.symbols
        defined = (f"{symbol(name, symbols)} = {text(tree, symbols)}" for name, tree in self.definitions.items())
        return "; ".join([self.text(), *defined])

    def inside(self, scope: Scope) -> dict[str, Array]:
        """Values of what stands in the right side, by symbol; what is short for a formula has a value, too. Empty for a copy."""
        tree = self.right
        while isinstance(tree, Defined):
            tree = tree.parts[0]
        known = self.symbols
        return {symbol(node.name, known): evaluate(node, scope.values) for part in tree.parts for node in outermost(part)}

    def tested(self, scope: Scope, inequality: Inequality, known: int) -> int:
        """Bits of all that the comparisons of an equality that holds depend on, see `verifier.formulas.tested`.

        They are those of the nodes of the right side, and after them those of its quantities that are inside of their ranges.
        """
        assert inequality.sides is not None
        if known == self._every_bit:
            return known
        left, size = inequality.sides[0], distance_and_size(*inequality.sides)[1]
        # The inequality may have the cheap tolerance, since it holds; one that fails is given that of the formula's rounding.
        tolerance = self._tolerance(scope, np.full_like(size, np.inf), size, np.asarray(True), scope.roundings)

        def shows(right: Array) -> bool:
            with np.errstate(invalid="ignore"):
                near = np.abs(left - self._capped(scope, left, right)) <= tolerance
            return bool((inequality.premise & ~near).any())  # what is no number is told, too

        parts = self._parts
        seen = bits_inside(self.right, scope.values, scope.range, np.asarray(inequality.premise), known >> parts)
        return bits_tested(self.right, scope.values, shows, known & (1 << parts) - 1) | seen << parts

    def untested(self, known: int) -> tuple[str, ...]:
        """Parts of an equality that are not among those, in words."""
        if not self.equal or not known & (1 << self._parts) - 1:
            return ()
        parts = [self._placed(part, whole) for part, whole in untested(self.right, known)]
        ends = [symbol(name.name, self.symbols) for name in at_an_end(self.right, known >> self._parts)]
        return (*parts, *(f"the inside of {each}" for each in ends if each not in parts))

    def _placed(self, part: Expression, whole: Expression) -> str:
        """Text of a part; of a number or a symbol, which may stand at several places, with the operation around it."""
        said = text(part, self.symbols)
        return said if part.parts else f"{said} in {text(whole, self.symbols)}"

    @cached_property
    def _parts(self) -> int:
        """Number of nodes of the right side."""
        return sum(1 for _ in nodes(self.right))

    @cached_property
    def _every_bit(self) -> int:
        """The answer of `tested` where nothing is left to be found."""
        return sum(1 << number for number, _ in tried(self.right)) | (1 << len(names_in(self.right))) - 1 << self._parts

    def _capped(self, scope: Scope, left: Array, right: Array) -> Array:
        if self.cap is None:
            return right
        cap = evaluate(self.cap, scope.values)
        return np.where(left == cap, np.minimum(right, cap), right)

    def scope(self, view: Any) -> Scope:
        """The quantities on a view."""
        return Scope(view if self.of is None else self.of(view), self.names, self.local)

    def __call__(self, view: Any) -> Inequality:
        """Evaluate it."""
        scope = self.scope(view)
        shape = np.broadcast_shapes(*(value.shape for value in scope.values.values()), (1,) * len(scope.axes))
        left, right = (np.broadcast_to(evaluate(tree, scope.values), shape).astype(float) for tree in (self.left, self.right))
        right = self._capped(scope, left, right)
        premise = np.asarray(True) if self.where is None else np.asarray(evaluate(self.where, scope.values), dtype=bool)
        found = self._equality(scope, left, right, premise) if self.equal else self._bound(scope, left, right, premise)
        if self.saturated is not None:
            found = replace(found, saturated=evaluate(self.saturated, scope.values))
        return found if self.ceiling is None else replace(found, ceiling=float(np.max(evaluate(self.ceiling, scope.values))))

    def _equality(self, scope: Scope, left: Array, right: Array, premise: Array) -> Inequality:
        value, size = distance_and_size(left, right)
        tolerance = self._tolerance(scope, value, size, premise, scope.roundings)
        careful = None if scope.careful is None else self._tolerance(scope, value, size, premise, scope.careful)
        return Inequality(
            value, 0.0, scope.axes,
            trivial=self._largest(scope, size),
            tolerance=tolerance, careful=careful, premise=premise, labels=scope.labels, identity=True,
            sides=(left, right), stated=(self, scope), repaired=self._repaired(scope),
        )  # fmt: skip

    def _largest(self, scope: Scope, size: Array) -> Array | float:
        """The trivial bound: the size of both sides, and 0 where that is rounding alone."""
        if not names_in(self.right):
            return np.inf  # what is compared with a number can be anything, 0 by luck
        if self._exact(scope.roundings):
            return size
        # The tolerance may be the cheap one, within which noise agrees, too; what rounding may be is what the derived one says.
        return np.where(size <= rounding_of(difference(self.left, self.right), scope.values, scope.roundings), 0.0, size)

    def _exact(self, roundings: Mapping[str, Array]) -> bool:
        """Whether a copy, or a count, is compared, which nothing rounds."""
        sides = (*names_in(self.left), *names_in(self.right))
        return self.equal and isinstance(self.right, Name) and not any(roundings[each].any() for each in sides)

    def _repaired(self, scope: Scope) -> Callable[[], Array] | None:
        """The formula made of what plans report of the lines before; None where they report none of it, or not all.

        NaN where the statement is not made for what they report: where a plan's N is 0, it is that line which is wrong.
        """
        tree, given = self.right, self._reported(scope)
        # What a symbol is made of, other symbols perhaps, is not asked for where plans report the symbol.
        while (
            at := next((at for at, node in nodes(tree) if isinstance(node, Defined) and node.name in given), None)
        ) is not None:
            tree = replaced(tree, at, Number(0.0))
        known = [scope.quantities[name] for name in names_in(tree) if name in scope.quantities]
        lacking = [item.name for item in known if item.reported and item.name not in scope.by_plans]
        if lacking or not (scope.by_plans or given):
            return None

        def right() -> Array:
            values = {**scope.values, **scope.by_plans}
            made = np.asarray(True) if self.where is None else np.asarray(evaluate(self.where, values), dtype=bool)
            found = evaluate(self._of_reports(scope), values)
            left, own = evaluate(self.left, scope.values), evaluate(self.left, values)
            if self.cap is not None:
                found = np.where(own == (cap := evaluate(self.cap, values)), np.minimum(found, cap), found)
            # it is compared with the left side as it is: what that is off when it is made of reports, too, is moved over
            with np.errstate(invalid="ignore"):
                return np.where(made, np.where(own == left, found, found + (left - own)), np.nan)

        return right

    def _reported(self, scope: Scope) -> list[str]:
        return [name for name, given in self.reports.items() if reports(scope.view, given)]

    def _of_reports(self, scope: Scope) -> Expression:
        tree = self.right
        for name in self._reported(scope):
            axes = fields_of(scope.kind)[self.reports[name]]
            value = Given(scope.aligned(scope.view.reported(self.reports[name]), axes))
            for at in [at for at, node in nodes(tree) if isinstance(node, Defined) and node.name == name]:
                tree = replaced(tree, at, value)
        return tree

    def _bound(self, scope: Scope, left: Array, right: Array, premise: Array) -> Inequality:
        size = np.abs(left) + np.abs(right)
        with np.errstate(invalid="ignore"):  # both may be infinite where the premise is not true
            excess = left - right
        least, largest = range_of(self.right, scope.ranges)
        return Inequality(
            left, right, scope.axes, trivial=range_of(self.left, scope.ranges)[1],
            # a left side is cut at the end of a quantity; that of a constant, or of a theorem's formula, is no end of it
            cut=np.where(least < largest, least, -np.inf) if isinstance(self.right, Name) else -np.inf,
            tolerance=self._tolerance(scope, excess, size, premise, scope.roundings), premise=premise, labels=scope.labels,
            stated=(self, scope),
        )  # fmt: skip

    def _tolerance(self, scope: Scope, excess: Array, size: Array, premise: Array, roundings: Mapping[str, Array]) -> Array:
        if self._exact(roundings):
            return np.asarray(0.0)
        cheap = CHEAP * np.where(np.isfinite(size), size, 0.0)  # nothing is near an infinite value
        if not (premise & (excess > cheap)).any():
            return cheap
        return np.maximum(cheap, rounding_of(difference(self.left, self.right), scope.values, roundings))


class Options(TypedDict, total=False):
    """Further arguments of `identity` and `at_most`.

    Attributes
    ----------
    on : type
        Class of views whose quantities these are. Fields of plans that are named become what the property needs.
    of : callable
        Maps what the property receives to such a view, where that is made from it.
    where : callable or str
        Where the statement is made, a formula that is true or false.
    saturated : callable or str
        Where comparisons are about a value function that is the same in all states: nothing random is estimated there.
    cap : callable or str
        Of an equality: a reported value that is as large stands for any larger one.
    ceiling : callable or str
        Of a bound of a mean that is itself random: the most that the right side can be, known before the run, as one number.
    define : mapping of str to callable or str
        Symbols that are short for formulas: ``{"L": lambda S, A, T, delta: np.log(5 * S * A * T / delta)}``.
    local : sequence of Quantity
        Quantities that only this property has.
    reported : mapping of str to str
        Fields of plans that report what symbols of `define` are short for.
    made_of : mapping of str to callable or str
        Formulas of the sizes of the problem of which quantities are a multiple, as a width handed out is: ``{"w": "7 * H * L"}``.
        Nothing is compared with them. Where the statement fails, it is asked whether another constant, size or logarithm in them
        explains it.
    name, description, topic : str
        As of `Property`; by default the name and docstring of the formula, and ``TOPIC`` of its module.
    scope : {"phase", "run"}
        What it receives.
    needs : tuple of str
        Fields of plans that are read beside those that it names.
    recomputed : tuple of str
        Those of them that only serve to say how it fails, see `Property`.
    replaceable : tuple of str
        Those that its quantities have something else for where no plan reports them, see `Property`.
    any_length : bool
        As of `Property`.
    """

    on: type
    of: Callable[[Any], Any]
    where: Formula
    saturated: Formula
    cap: Formula
    ceiling: Formula
    define: Mapping[str, Formula]
    local: Sequence[Quantity]
    reported: Mapping[str, str]
    made_of: Mapping[str, Formula]
    name: str
    description: str
    topic: str
    scope: Kind
    needs: tuple[str, ...]
    recomputed: tuple[str, ...]
    replaceable: tuple[str, ...]
    any_length: bool


@overload
def identity(left: Formula, formula: None = None, **options: Unpack[Options]) -> Callable[[Formula], Property]: ...


@overload
def identity(left: Formula, formula: Formula, **options: Unpack[Options]) -> Property: ...


def identity(left: Formula, formula: Formula | None = None, **options: Unpack[Options]) -> Any:
    """Property that what an implementation reports equals a formula, up to rounding; or the decorator that makes one.

    Parameters
    ----------
    left : callable or str
        What is reported: the name of a field or quantity, or a formula of some.
    formula : callable or str, optional
        Function of quantities by their names, or the text of one. Without it, a decorator of such a function is returned.
    **options
        See `Options`.
    """
    return _made(True, left, formula, options)


@overload
def at_most(left: Formula, formula: None = None, **options: Unpack[Options]) -> Callable[[Formula], Property]: ...


@overload
def at_most(left: Formula, formula: Formula, **options: Unpack[Options]) -> Property: ...


def at_most(left: Formula, formula: Formula | None = None, **options: Unpack[Options]) -> Any:
    """Property that one formula is at most another; arguments as of `identity`.

    The trivial bound is the largest value that the left side can have in the ranges of its quantities. Where the right side is a
    quantity, a comparison whose left side is at the least of its range has no power either.
    """
    return _made(False, left, formula, options)


def _made(equal: bool, left: Formula, formula: Formula | None, options: Options) -> Any:
    on, define, reported = options.get("on"), options.get("define"), options.get("reported", {})
    local = {item.name: item for item in options.get("local", ())}

    def make(right: Formula) -> Property:
        given = options.get("where"), options.get("cap"), options.get("saturated"), options.get("ceiling")
        where, cap, saturated, ceiling = (None if each is None else tree_of(each, define) for each in given)
        sides = tree_of(left, define), tree_of(right, define)
        made_of = {name: tree_of(each, define) for name, each in options.get("made_of", {}).items()}
        statement = Statement(*sides, equal, where, cap, on, local, reported, options.get("of"), saturated, made_of, ceiling)
        if not equal:
            _require_range(statement)
        own = getattr(right, "__name__", "formula").strip("_").replace("_", "-")
        told = options.get("description") or getattr(right, "__doc__", "") if callable(right) else options.get("description")
        fields = {each for each in statement.names if on is not None and each in fields_of(on) and each not in quantities(on)}
        return Property(
            options.get("name") or own.replace("<lambda>", "formula"), options.get("scope", "phase"), statement,
            frozenset(fields | set(options.get("needs", ()))), (told or f"{statement.text()}, evaluated by the harness.").strip(),
            topic=options.get("topic") or topic_of(right), recomputed=frozenset(options.get("recomputed", ())),
            replaceable=frozenset(options.get("replaceable", ())), any_length=options.get("any_length", False),
        )  # fmt: skip

    return make if formula is None else make(formula)


def _require_range(statement: Statement) -> None:
    """Check that the left side of a bound has a range: nobody could say else whether the bound could have failed.

    Raises
    ------
    ContractError
        If a quantity of it declares none.
    """
    known = {**(quantities(statement.on) if statement.on else {}), **statement.local}
    lacking = [name for name in names_in(statement.left) if name in known and known[name].low is known[name].high is None]
    if lacking:
        raise ContractError(
            f"the bound {statement.text()} is of {', '.join(lacking)}, of which no range is declared; say in `quantity` what any "
            "implementation attains, low= and high=, infinite where it may be anything"
        )
