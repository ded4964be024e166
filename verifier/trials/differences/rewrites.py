"""Formulas whose tree is written in another way: a bracket that is moved, a function that ends too early, operands exchanged.

Nothing in it is about any one formula. Every place of a tree is rewritten by every rule that fits there, one at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from verifier.formulas.expression import Expression, Name, Number, Operation, Path, Share, names_in, nodes, replaced
from verifier.formulas.typeset import text
from verifier.trials.differences.structure import definition, node_at, within_condition

LIKE_PRODUCTS = frozenset({"sqrt", "square", "pow"})
"""Functions of which that of a product is the product of theirs."""
FUNCTIONS = LIKE_PRODUCTS | {"log", "exp"}
_PRODUCT, _SUM = ("mul", "div"), ("add", "sub")
CUT, MOVED, EXCHANGED = 1.2, 1.3, 1.7
"""Ranks: behind what is left out or has a simple relation to what should be there, before what has only a number."""

_MOST_TERMS = 5
"""Terms of a sum of which all choices are cut."""
_TURNED = 0.4
"""Rank that a quotient turned round loses: that 1/α stands for α says as much of a symbol, and less of what it is short for."""


class Rewritten(NamedTuple):
    """A formula that is written in another way.

    Parameters
    ----------
    at : Path
        Place of the part that is.
    part : Expression
        What stands there.
    rank : float
    cut : pair of Expression, optional
        What is cut, and where.
    """

    at: Path
    part: Expression
    rank: float
    cut: tuple[Expression, Expression] | None = None

    def of(self, tree: Expression) -> Expression:
        """The whole formula."""
        return replaced(tree, self.at, self.part)

    def said(self, tree: Expression, symbols: Mapping[str, str]) -> str:
        """Text of it: ``2 · ln(T) for ln(2T)``."""
        inside = definition(tree, self.at, symbols)
        if self.cut is not None:
            some, end = self.cut
            return f"{text(some, symbols)} cut at {text(end, symbols)}{inside}"
        return f"{text(self.part, symbols)} for {text(node_at(tree, self.at), symbols)}{inside}"


def rewritten(tree: Expression) -> Iterator[Rewritten]:
    """The formulas that a tree is, written in another way at one place."""
    for at, node in nodes(tree):
        if within_condition(tree, at):
            continue
        if isinstance(node, Operation):
            inner = bool(at) and _is(node_at(tree, at[:-1]), *_PRODUCT)
            exchanged = EXCHANGED + _TURNED * (node.name == "div")
            for rank, rules in ((MOVED, _moved(node, inner)), (exchanged, _exchanged(node))):
                yield from (Rewritten(at, part, rank) for part in rules)
        if not (at and _is(node_at(tree, at[:-1]), *_PRODUCT)):
            yield from _cut_off(at, node, "H" in names_in(tree))


def _is(node: Expression, *names: str) -> bool:
    return isinstance(node, Operation) and node.name in names


def _moved(node: Operation, inner: bool) -> Iterator[Expression]:
    """Brackets that end too early or too late. Of a product in a product, which is `inner`, all is said of the whole."""
    if node.name in FUNCTIONS:
        yield from _out_of_function(node)
    elif node.name in _PRODUCT:
        yield from _distributed(node)
        if not inner:
            yield from _into_function(node)
    elif node.name in _SUM:
        yield from _gathered(node)
        yield from _into_cut(node)


def _cut_off(at: Path, node: Expression, by_horizon: bool) -> Iterator[Rewritten]:
    """A part, or some terms of a sum, cut where nothing is: at 0 from below, at 1 from above, and at H where that is known."""
    ends = [("max", Number(0.0)), ("min", Number(1.0)), *([("min", Name("H"))] if by_horizon else [])]
    if not names_in(node) or _is(node, "min", "max"):
        return
    for some, rest in _split(node):
        for name, end in ends:
            cut = Operation(name, (some, end))
            yield Rewritten(at, Operation("add", (rest, cut)) if rest is not None else cut, CUT, (some, end))


def _split(node: Expression) -> Iterator[tuple[Expression, Expression | None]]:
    """A part as it is, and a sum of few terms split in two: some of its terms, at least two of them, and the others."""
    yield node, None
    terms = _terms(node)
    for size in range(2, len(terms)) if len(terms) <= _MOST_TERMS else ():
        for chosen in itertools.combinations(range(len(terms)), size):
            others = [term for number, term in enumerate(terms) if number not in chosen]
            yield _sum([terms[number] for number in chosen]), _sum(others)


def _terms(node: Expression) -> list[Expression]:
    """Terms of a sum."""
    return [term for part in node.parts for term in _terms(part)] if _is(node, "add") else [node]


def _sum(terms: list[Expression]) -> Expression:
    whole, *others = terms
    for term in others:
        whole = Operation("add", (whole, term))
    return whole


def _applied(function: Operation, argument: Expression) -> Operation:
    """A function of something else, with its exponent if it has one."""
    return Operation(function.name, (argument, *function.parts[1:]))


def _out_of_function(node: Operation) -> Iterator[Expression]:
    """Factors, divisors and terms of an argument beside the function of the rest: ``2 ln T`` for ``ln 2T``.

    Factors under a root are treated in `structure`, all subsets of them.
    """
    argument = node.parts[0]
    for kept, name, out in _without_one(argument):
        if node.name != "sqrt" and not _is_one(kept):
            whole = _applied(node, kept)
            yield _taken(name, whole, out)
    if isinstance(argument, Operation) and argument.name in _SUM:
        a, b = argument.parts
        yield Operation(argument.name, (_applied(node, a), b))
        yield Operation(argument.name, (a, _applied(node, b)))
        yield Operation(argument.name, (_applied(node, a), _applied(node, b)))


def _times(factor: Expression, other: Expression) -> Expression:
    """A product, without a factor of 1: 1/n times b is b/n."""
    if isinstance(other, Operation) and other.name == "div" and _is_one(other.parts[0]):
        return Operation("div", (factor, other.parts[1]))
    if isinstance(factor, Operation) and factor.name == "div" and _is_one(factor.parts[0]):
        return Operation("div", (other, factor.parts[1]))
    return factor if _is_one(other) else other if _is_one(factor) else Operation("mul", (factor, other))


def _taken(name: str, whole: Expression, out: Expression) -> Expression:
    """A function times a factor that was taken out of it, or over it."""
    return _times(out, whole) if name == "mul" else Operation("div", (whole, out))


def _is_one(node: Expression) -> bool:
    return isinstance(node, Number) and node.value == 1.0


def _without_one(node: Expression) -> Iterator[tuple[Expression, str, Expression]]:
    """A product without one of its factors or divisors, how that is taken in, and that factor; those of products in it, too."""
    if not (isinstance(node, Operation) and node.name in _PRODUCT):
        return
    a, b = node.parts
    if not isinstance(a, Share):
        yield b if node.name == "mul" else Operation("div", (Number(1.0), b)), "mul", a
    yield a, node.name, b
    other = {"mul": "div", "div": "mul"}
    for kept, name, out in _without_one(a):
        yield _times(kept, b) if node.name == "mul" else Operation("div", (kept, b)), name, out
    for kept, name, out in _without_one(b):
        rest = _times(a, kept) if node.name == "mul" else a if _is_one(kept) else Operation("div", (a, kept))
        yield rest, name if node.name == "mul" else other[name], out


def _into_function(node: Operation) -> Iterator[Expression]:
    """A factor or a divisor within a function that it stands beside: ``√(2H/n)`` for ``H √(2/n)``."""
    for rest, name, function in _without_one(node):
        if name != "mul" or not isinstance(function, Operation) or function.name not in FUNCTIONS:
            continue
        argument = function.parts[0]
        if isinstance(argument, Operation) and argument.name in _SUM and not _is_one(rest):  # c f(a) + f(b) for c f(a + b)
            a, b = (_applied(function, part) for part in argument.parts)
            yield Operation(argument.name, (_times(rest, a), b))
            yield Operation(argument.name, (a, _times(rest, b)))
        if not _is_one(rest):
            yield _applied(function, _times(argument, rest))
        for kept, how, inside in _without_one(rest):
            taken = _applied(function, Operation(how, (argument, inside)))
            yield _times(taken, kept)


def _distributed(node: Operation) -> Iterator[Expression]:
    """A factor or a divisor at one term of a sum that it stands at the whole of: ``a + b/c`` for ``(a + b)/c``."""
    for total, name, factor in _without_one(node):
        if isinstance(total, Operation) and total.name in _SUM:
            a, b = total.parts
            yield Operation(total.name, (a, Operation(name, (b, factor))))
            yield Operation(total.name, (Operation(name, (a, factor)), b))
        if _is(factor, *_SUM) and name == "div" and isinstance(factor, Operation):
            a, b = factor.parts
            yield Operation(factor.name, (Operation("div", (total, a)), b))
        if isinstance(total, Operation) and total.name in ("min", "max"):
            a, b = total.parts
            yield Operation(total.name, (Operation(name, (a, factor)), b))
            yield Operation(total.name, (a, Operation(name, (b, factor))))


def _gathered(node: Operation) -> Iterator[Expression]:
    """A factor or a divisor of one term at the whole of a sum, and one function of a sum: ``(a + b)/c`` for ``a + b/c``."""
    a, b = node.parts
    for first, term in ((True, a), (False, b)):
        for kept, name, factor in _without_one(term):
            if not isinstance(factor, Share):
                total = Operation(node.name, (kept, b) if first else (a, kept))
                yield _taken(name, total, factor)
        if isinstance(term, Operation) and term.name in FUNCTIONS:
            inside = (term.parts[0], b) if first else (a, term.parts[0])
            yield _applied(term, Operation(node.name, inside))
    if _is(b, "div") and isinstance(b, Operation) and node.name == "add":
        yield Operation("div", (b.parts[0], Operation("add", (b.parts[1], a))))
    for one in (a, b):
        other = b if one is a else a
        if isinstance(one, Operation) and isinstance(other, Operation) and one.name == other.name in ("sqrt", "log", "square"):
            yield _applied(one, Operation(node.name, (a.parts[0], b.parts[0])))
            break
    # of three terms two that are apart
    if isinstance(a, Operation) and a.name == "add" == node.name and isinstance(b, Operation) and b.name == "sqrt":
        for kept, one in (a.parts, a.parts[::-1]):
            if isinstance(one, Operation) and one.name == "sqrt":
                yield Operation("add", (kept, _applied(one, Operation("add", (one.parts[0], b.parts[0])))))


def _into_cut(node: Operation) -> Iterator[Expression]:
    """A term within a cut that it is added to: ``min(a + b, H)`` for ``min(a, H) + b``."""
    a, b = node.parts
    if isinstance(a, Operation) and a.name in ("min", "max"):
        yield Operation(a.name, (Operation(node.name, (a.parts[0], b)), a.parts[1]))
    if isinstance(b, Operation) and b.name in ("min", "max") and node.name == "add":
        yield Operation(b.name, (Operation("add", (a, b.parts[0])), b.parts[1]))


def _exchanged(node: Operation) -> Iterator[Expression]:
    """Operands in the other order, another operation, and a function that is forgotten."""
    a, b = node.parts[-2:] if len(node.parts) > 1 else (node.parts[0], node.parts[0])
    match node.name:
        case "sub" | "div":
            yield Operation(node.name, (b, a))
        case "mul":
            yield Operation("add", (a, b))
        case "add":
            yield Operation("mul", (a, b))
            yield Operation("max", (a, b))
        case "max" | "min":
            yield Operation("add", (a, b))
        case "where":
            yield Operation("where", (node.parts[0], b, a))
        case "log":
            yield a
            yield Operation("log", (Operation("add", (Number(1.0), a)),))
        case "exp" | "abs":
            yield a
