"""Formulas with another structure: without a term, a factor, a cut or a case, with another operation in its place."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from verifier.formulas.expression import (
    CONDITIONS,
    Defined,
    Expression,
    Number,
    Operation,
    Path,
    Share,
    names_in,
    nodes,
    replaced,
)
from verifier.formulas.typeset import symbol, text

LOGARITHMIC = frozenset({"log", "exp"})
"""Operations that make no factor of a factor."""
_MOST_FACTORS = 5
"""Number of factors under a root of which all subsets are tried beside it."""


class Changed(NamedTuple):
    """Another formula.

    Parameters
    ----------
    said : str
        ``without the factor H``.
    rank : float
    tree : Expression
    left_out : bool
        Whether a part or an operation is left out, and nothing is put in its place.
    factor : Expression or None
        The part that is left out where that is a factor or a divisor.
    end : bool
        Whether it says of a cut which end of it is taken.
    """

    said: str
    rank: float
    tree: Expression
    left_out: bool = False
    factor: Expression | None = None
    end: bool = False


def changed(tree: Expression, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """The formulas that differ in structure from one."""
    yield from _uncut(tree, symbols)
    for at, node in nodes(tree):
        if isinstance(node, Operation) and not within_condition(tree, at):
            inside = definition(tree, at, symbols)
            for said, rank, other, left_out, factor, end in _others(node, symbols):
                # ln 1 is 0 by chance, whatever is left out of the argument
                alone = left_out and not _within_logarithm(tree, at)
                yield Changed(f"{said}{inside}", rank, replaced(tree, at, other), alone, factor, end)
    yield from _at_all_places(tree, symbols)


def _at_all_places(tree: Expression, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """The formulas with another operation at all places of a part that stands at several, ``S for S − 1``."""
    places: dict[str, tuple[Operation, list[Path]]] = {}
    for at, node in nodes(tree):
        if isinstance(node, Operation) and not within_condition(tree, at):
            places.setdefault(text(node, symbols), (node, []))[1].append(at)
    for part, found in places.values():
        if len(found) == 1:
            continue
        for said, rank, other, left_out, factor, end in _others(part, symbols):
            whole = tree
            for at in found:
                whole = replaced(whole, at, other)
            yield Changed(f"{said}{definition(tree, found[0], symbols)}", rank, whole, left_out, factor, end)


def _others(node: Operation, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """Operations that may stand in place of one."""
    a, b = node.parts[max(0, len(node.parts) - 2)], node.parts[-1]  # of one part both, of three those behind `where`
    of_a, of_b = text(a, symbols), text(b, symbols)
    match node.name:
        case "add":
            for lost, part, kept in ((of_a, a, b), (of_b, b, a)):
                own = f"{text(kept, symbols)} for {text(node, symbols)}"  # nobody looks for "without 1"
                yield Changed(own if isinstance(part, Number) else f"without {lost}", 0.5, kept, left_out=True)
            yield Changed(f"− {of_b} for + {of_b}", 0.6, Operation("sub", (a, b)))
            yield from _at_other_term(node, symbols)
        case "sub":
            own = f"{of_a} for {text(node, symbols)}"  # of 1 − α, "without α" may be of another α in the formula
            yield Changed(own if isinstance(a, Number) or isinstance(b, Number) else f"without {of_b}", 0.5, a, left_out=True)
            yield Changed(f"+ {of_b} for − {of_b}", 0.6, Operation("add", (a, b)))
        case "mul":
            if not isinstance(a, Share):
                yield Changed(f"without the factor {of_a}", 0.5, b, left_out=True, factor=a)
            yield Changed(f"without the factor {of_b}", 0.5, a, left_out=True, factor=b)
        case "div":
            yield Changed(f"without the divisor {of_b}", 0.5, a, left_out=True, factor=b)
        case "min" | "max":
            other = "max" if node.name == "min" else "min"
            yield Changed(f"without the cut at {of_b}", 0.4, a, left_out=True, end=True)
            # of two formulas it is not known which one is off, but which one was taken
            there = f"{of_b} also where {of_a} is {'less' if node.name == 'min' else 'larger'}"
            own = there if isinstance(b, Operation) and names_in(b) else f"{of_b} for {text(node, symbols)}"
            yield Changed(own, 0.6, b, left_out=True, end=True)
            # what is at a cut for other reasons is at the larger of both, too
            yield Changed(f"{other} for {node.name}", 2.2, Operation(other, node.parts), end=True)
            yield from _outside(node, symbols)
        case "where":
            condition = text(node.parts[0], symbols)
            yield Changed(f"{of_a} also where not {condition}", 0.5, a)
            yield Changed(f"{of_b} also where {condition}", 0.5, b)
            yield from _later(node, symbols)
            zero = Operation("where", (node.parts[0], a, Number(0.0)))
            yield Changed(f"0 for {of_b} where not {condition}", 0.6, zero, left_out=True)
        case "sqrt":
            yield Changed(f"{of_a} without its root", 0.6, a, left_out=True)
            yield from _out_of_root(node, symbols)
        case "square":
            yield Changed(f"{of_a} without its square", 0.6, a, left_out=True)
        case "pow":  # an exponent is forgotten sooner than a factor
            base = node.parts[0]
            yield Changed(f"{text(base, symbols)} for {text(node, symbols)}", 0.45, base, left_out=True)
            yield from _exponents(node, symbols)


def _exponents(node: Operation, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """Another whole power: one less, if that is no first power, or one more."""
    base, exponent = node.parts
    if isinstance(exponent, Number) and exponent.value == round(exponent.value) >= 2:
        for value in (exponent.value - 1, exponent.value + 1):
            if value > 1:
                other = Operation("pow", (base, Number(value)))
                yield Changed(f"{text(other, symbols)} for {text(node, symbols)}", 0.7, other)


def _at_other_term(node: Operation, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """A number that multiplies the other term of a sum: ``3 ln t + ln ln t`` for ``ln t + 3 ln ln t``."""
    for place, one in enumerate(node.parts):
        other = node.parts[1 - place]
        if isinstance(one, Operation) and one.name == "mul" and isinstance(one.parts[0], Number):
            number, kept = one.parts
            parts = (kept, Operation("mul", (number, other)))
            moved = Operation("add", parts if place == 0 else parts[::-1])
            yield Changed(f"{text(moved, symbols)} for {text(node, symbols)}", 0.6, moved)


def _out_of_root(node: Operation, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """A root that ends too early, or is taken of less: some factors of what is under it stand beside it."""
    above, below = _factors(node.parts[0])
    inside = [*((part, "mul") for part in above), *((part, "div") for part in below)]
    for kept in itertools.product((True, False), repeat=len(inside) if 1 < len(inside) <= _MOST_FACTORS else 0):
        if any(kept) and not all(kept):
            root = Operation("sqrt", (_product([one for one, stays in zip(inside, kept, strict=True) if stays]),))
            beside = [one for one, stays in zip(inside, kept, strict=True) if not stays]
            factors = sum(name == "mul" for _, name in beside)
            other = _product([*beside[:factors], (root, "mul"), *beside[factors:]])  # √2 H would be read as √(2H)
            yield Changed(f"{text(other, symbols)} for {text(node, symbols)}", 0.7, other)


def _factors(node: Expression) -> tuple[list[Expression], list[Expression]]:
    """Factors and divisors of a product, those of products in it, too."""
    if isinstance(node, Operation) and node.name in ("mul", "div"):
        (above, below), (more, less) = _factors(node.parts[0]), _factors(node.parts[1])
        return (above + more, below + less) if node.name == "mul" else (above + less, below + more)
    return [node], []


def _product(parts: list[tuple[Expression, str]]) -> Expression:
    """A product of factors over divisors, each with the operation that takes it in."""
    whole: Expression = Number(1.0)
    for part, name in parts:
        is_one = name == "mul" and isinstance(whole, Number) and whole.value == 1.0
        whole = part if is_one else Operation(name, (whole, part))
    return whole


def _outside(node: Operation, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """A term that is added after the cut, not before it."""
    added, end = node.parts
    if isinstance(added, Operation) and added.name == "add":
        for kept, term in (added.parts, added.parts[::-1]):
            cut = Operation(node.name, (kept, end))
            yield Changed(f"{text(term, symbols)} outside the cut at {text(end, symbols)}", 0.6, Operation("add", (cut, term)))


def _later(node: Operation, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """A case that begins one count later: ``N > 1`` for ``N > 0``."""
    condition, *cases = node.parts
    if isinstance(condition, Operation) and condition.name == "gt" and isinstance(condition.parts[1], Number):
        later = Operation("gt", (condition.parts[0], Number(condition.parts[1].value + 1)))
        said = f"{text(later, symbols)} for {text(condition, symbols)}"
        yield Changed(said, 0.5, Operation("where", (later, *cases)))


def _uncut(tree: Expression, symbols: Mapping[str, str]) -> Iterator[Changed]:
    """The formula without all of its cuts, where there are several."""
    cuts = list[str]()
    while (at := next((at for at, node in nodes(tree) if _cuts(node)), None)) is not None:
        kept, cut = node_at(tree, at).parts
        tree = replaced(tree, at, kept)
        cuts.append(text(cut, symbols))
    if len(cuts) > 1:
        yield Changed(f"without the cuts at {' and '.join(cuts)}", 0.7, tree, left_out=True, end=True)


def _cuts(node: Expression) -> bool:
    return isinstance(node, Operation) and node.name in ("min", "max")


def node_at(tree: Expression, at: Path) -> Expression:
    """Node at a place."""
    for number in at:
        tree = tree.parts[number]
    return tree


def within_condition(tree: Expression, at: Path) -> bool:
    """Whether a place is in a condition, whose values cannot be solved for."""
    node = tree
    for number in at:
        if isinstance(node, Operation) and (node.name in CONDITIONS or (node.name == "where" and number == 0)):
            return True
        node = node.parts[number]
    return isinstance(node, Operation) and node.name in CONDITIONS


def _within_logarithm(tree: Expression, at: Path) -> bool:
    node = tree
    for number in at:
        if isinstance(node, Operation) and node.name in LOGARITHMIC:
            return True
        node = node.parts[number]
    return False


def definition(tree: Expression, at: Path, symbols: Mapping[str, str]) -> str:
    """Name of the definition that a place is in, `` in L``; empty if it is in none."""
    node, found = tree, ""
    for number in at:
        if isinstance(node, Defined):
            found = f" in {symbol(node.name, symbols)}"
        node = node.parts[number]
    return found
