"""Expressions: the trees that formulas build when they are called with symbols in place of arrays.

A formula is a Python function of quantities by their names, `lambda width, N: width / np.sqrt(N)`. It is called once, with
symbols; NumPy's functions and Python's operators build the tree, which is evaluated, printed, bounded and solved from then on.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError

Path: TypeAlias = tuple[int, ...]
"""Place of a node in a tree: which part to take, from the root on."""

_UFUNCS = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "div",
    np.power: "pow",
    np.float_power: "pow",
    np.negative: "neg",
    np.sqrt: "sqrt",
    np.square: "square",
    np.log: "log",
    np.exp: "exp",
    np.absolute: "abs",
    np.minimum: "min",
    np.maximum: "max",
    np.greater: "gt",
    np.greater_equal: "ge",
    np.less: "lt",
    np.less_equal: "le",
    np.equal: "eq",
    np.logical_and: "and",
    np.logical_or: "or",
    np.logical_not: "not",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.invert: "not",
}
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    **{name: function for function, name in reversed(_UFUNCS.items())},
    "where": np.where,
}
"""The operations by name, each a function of arrays."""

CONDITIONS = frozenset({"gt", "ge", "lt", "le", "eq", "and", "or", "not"})
"""Operations whose value is true or false."""


class Expression:
    """A node of a tree; `parts` are the nodes below it."""

    parts: tuple[Expression, ...] = ()
    __array_priority__ = 1000  # a NumPy number on the left leaves the operation to the expression

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Expression:
        if method != "__call__" or ufunc not in _UFUNCS or options:
            raise ContractError(f"a formula uses numpy.{ufunc.__name__}{_known()}")
        return operation(_UFUNCS[ufunc], *inputs)

    def __array_function__(self, function: Callable[..., Any], types: Any, given: tuple[Any, ...], options: Any) -> Expression:
        if function is not np.where or options or len(given) != 3:
            raise ContractError(f"a formula uses numpy.{function.__name__}{_known()}")
        return operation("where", *given)

    def __bool__(self) -> bool:
        raise ContractError("a formula asks whether a quantity is true; it is one tree for all comparisons, so use `where`")

    def __add__(self, other: Any) -> Expression:
        return operation("add", self, other)

    def __radd__(self, other: Any) -> Expression:
        return operation("add", other, self)

    def __sub__(self, other: Any) -> Expression:
        return operation("sub", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return operation("sub", other, self)

    def __mul__(self, other: Any) -> Expression:
        return operation("mul", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return operation("mul", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return operation("div", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return operation("div", other, self)

    def __pow__(self, other: Any) -> Expression:
        return operation("pow", self, other)

    def __rpow__(self, other: Any) -> Expression:
        return operation("pow", other, self)

    def __neg__(self) -> Expression:
        return operation("neg", self)

    def __abs__(self) -> Expression:
        return operation("abs", self)

    def __gt__(self, other: Any) -> Expression:
        return operation("gt", self, other)

    def __ge__(self, other: Any) -> Expression:
        return operation("ge", self, other)

    def __lt__(self, other: Any) -> Expression:
        return operation("lt", self, other)

    def __le__(self, other: Any) -> Expression:
        return operation("le", self, other)

    def __eq__(self, other: Any) -> Expression:  # type: ignore[override]  # a comparison of quantities, as of arrays
        return operation("eq", self, other)

    def __ne__(self, other: Any) -> Expression:  # type: ignore[override]  # the same
        return operation("not", operation("eq", self, other))

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> Expression:
        return operation("and", self, other)

    def __or__(self, other: Any) -> Expression:
        return operation("or", self, other)

    def __invert__(self) -> Expression:
        return operation("not", self)


def _known() -> str:
    return f", which has no tree; known are {', '.join(FUNCTIONS)}. What needs more is computed in a quantity of the view"


@dataclass(frozen=True, eq=False)
class Number(Expression):
    """A constant of the formula."""

    value: float


@dataclass(frozen=True, eq=False)
class Share(Number):
    """A multiple that the harness has given a width, and no constant of the formula: nobody forgets it."""


@dataclass(frozen=True, eq=False)
class Name(Expression):
    """A quantity."""

    name: str


@dataclass(frozen=True, eq=False)
class Defined(Expression):
    """A symbol that is short for a formula, such as L for log(5SAT/delta); `parts` has that formula alone."""

    name: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Operation(Expression):
    """An operation of `FUNCTIONS` on its parts."""

    name: str
    parts: tuple[Expression, ...]


def operation(name: str, *parts: Any) -> Expression:
    """The node of an operation; numbers among its parts are constants."""
    return Operation(name, tuple(map(_expression, parts)))


def _expression(part: Any) -> Expression:
    if isinstance(part, Expression):
        return part
    if isinstance(part, (bool, int, float, np.floating, np.integer)):
        return Number(float(part))
    raise ContractError(f"a formula uses {part!r}, expected quantities and numbers; an array is a quantity of the view")


def cut(x: Any, most: Any) -> Any:
    """min(x, most), elementwise."""
    return np.minimum(x, most)


def tree_of(formula: Callable[..., Any] | str, given: Mapping[str, Callable[..., Any] | str] | None = None) -> Expression:
    """Expression of a formula.

    Parameters
    ----------
    formula : callable or str
        Function of quantities by their names; or the text of such an expression, ``"abs(P_hat - P)"``.
    given : mapping of str to callable or str, optional
        Formulas of symbols that are short for something, by name; they may use each other.

    Raises
    ------
    ContractError
        If the function has arguments that name nothing, or does what no tree can be made of.
    """
    function = _read(formula) if isinstance(formula, str) else formula
    defined = {name: _read(each) if isinstance(each, str) else each for name, each in (given or {}).items()}
    return _tree(function, defined, ())


def _read(text: str) -> Callable[..., Any]:
    """Function of the names in the text of an expression."""
    code = compile(text, "<formula>", "eval")
    known = {**FUNCTIONS, "cut": cut}
    own = [name for name in code.co_names if name not in known]
    function: Callable[..., Any] = eval(f"lambda {', '.join(own)}: {text}", known)  # the text of a declaration
    return function


def _tree(function: Callable[..., Any], given: Mapping[str, Callable[..., Any]], within: tuple[str, ...]) -> Expression:
    parameters = inspect.signature(function).parameters
    odd = [str(each) for each in parameters.values() if each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    if odd:
        raise ContractError(f"a formula takes {', '.join(odd)}; expected quantities by their names")
    symbols: dict[str, Expression] = {}
    for name in parameters:
        if name in within:
            raise ContractError(f"the formula of {name} uses {name} itself, through {' and '.join(within)}")
        symbols[name] = Defined(name, (_tree(given[name], given, (*within, name)),)) if name in given else Name(name)
    return _expression(function(**symbols))


def nodes(tree: Expression, at: Path = ()) -> Iterator[tuple[Path, Expression]]:
    """Every node of a tree with its place, the root first."""
    yield at, tree
    for number, part in enumerate(tree.parts):
        yield from nodes(part, (*at, number))


def outermost(tree: Expression) -> Iterator[Name | Defined]:
    """Quantities and symbols that are short for formulas, as a tree is written: what these are short for is not taken apart."""
    if isinstance(tree, (Name, Defined)):
        yield tree
        return
    for part in tree.parts:
        yield from outermost(part)


def names_in(tree: Expression) -> tuple[str, ...]:
    """Names of the quantities of a tree, each once, in the order in which they stand."""
    return tuple(dict.fromkeys(node.name for _, node in nodes(tree) if isinstance(node, Name)))


def replaced(tree: Expression, at: Path, other: Expression) -> Expression:
    """The tree with another node at a place."""
    if not at:
        return other
    assert isinstance(tree, (Operation, Defined))
    parts = tuple(replaced(part, at[1:], other) if number == at[0] else part for number, part in enumerate(tree.parts))
    return type(tree)(tree.name, parts)


@dataclass(frozen=True, eq=False)
class Given(Expression):
    """An array in the place of a node, as where a quantity is replaced by another one."""

    value: Array


def evaluate(tree: Expression, values: Mapping[str, Array]) -> Array:
    """Value of a tree where quantities have these values, which broadcast against each other."""
    with np.errstate(all="ignore"):  # infinite where nothing was seen, say; a premise or `where` leaves that out
        return _value(tree, values, {})


def evaluations(tree: Expression, values: Mapping[str, Array]) -> dict[Path, Array]:
    """Value of every node of a tree, by place."""
    found: dict[int, Array] = {}
    with np.errstate(all="ignore"):
        _value(tree, values, found)
    return {at: found[id(node)] for at, node in nodes(tree)}


def _value(node: Expression, values: Mapping[str, Array], found: dict[int, Array]) -> Array:
    match node:
        case Number(value=value):
            answer = np.asarray(value)
        case Name(name=name):
            answer = values[name]
        case Given(value=value):
            answer = np.asarray(value)
        case Defined(parts=(part,)):
            answer = _value(part, values, found)
        case Operation(name=name, parts=parts):
            answer = np.asarray(FUNCTIONS[name](*(_value(part, values, found) for part in parts)))
        case _:
            raise AssertionError(f"no node of a formula: {node!r}")
    found[id(node)] = answer
    return answer
