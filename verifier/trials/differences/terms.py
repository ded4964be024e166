"""Explanations in which several terms of a sum have other factors: constants exchanged, or those of another bound."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.expression import Expression, Number, Operation, Path, Share, evaluate, nodes, replaced
from verifier.formulas.inversion import implied
from verifier.formulas.typeset import number, text
from verifier.trials.differences.relations import CLOSE, FITTED
from verifier.trials.differences.scene import Candidate, Scene
from verifier.trials.differences.structure import definition, within_condition

_RANK = FITTED + 0.5
"""Behind one fitted number, and before that nothing is known but which symbol is another one."""

_PER_FACTOR = 4
"""Different comparisons for each factor: so many numbers are found by so many factors by no chance."""

_LEAST = 1e-6
"""Smallest singular value of the terms, each divided by its norm: below it one is nearly a sum of the others. What is solved for
is off by some 1e-15 over it, which is well within `CLOSE`."""

_DIGITS = 6
"""Decimals to which a factor is one that somebody has written down; it is solved for with some 1e-9."""


class Terms(Scene):
    """Scene with the candidates that change the factors of several terms of a sum."""

    def _of_terms(self) -> Iterator[Candidate]:
        """The formula with other factors at two terms or more of a sum, which must be few for the comparisons that fail."""
        for at, node in nodes(self._tree):
            terms = list(_terms(node))
            inner = bool(at) and len(list(_terms(_above(self._tree, at)))) > 1
            if len(terms) < 2 or inner or within_condition(self._tree, at):
                continue
            factors = self._factors(at, terms)
            if factors is not None and sum(factor != 1.0 for factor in factors) > 1:
                changed = [(term, factor) for term, factor in zip(terms, factors, strict=True) if factor != 1.0]
                said = " and ".join(self._said(term, factor) for term, factor in changed)
                whole = replaced(self._tree, at, _weighted(terms, factors))
                yield Candidate(said + definition(self._tree, at, self._symbols), _RANK, evaluate(whole, self._values))

    def _factors(self, at: Path, terms: list[Expression]) -> list[float] | None:
        """Factors of the terms of a sum with which the formula is what was reported; None where none are, or several."""
        needed = implied(self._tree, at, self._nodes, self._all.reported)
        columns = [self._all.full(evaluate(term, self._values)) for term in terms]
        told = self._at & np.isfinite(needed) & np.all([np.isfinite(column) for column in columns], axis=0)
        table, wanted = np.stack([column[told] for column in columns], axis=-1), needed[told]
        if not (table != 0).any(axis=0).all() or len(_distinct(table)) < _PER_FACTOR * len(terms):
            return None
        sizes = np.abs(table).sum(axis=1)  # what is solved for has the rounding of the largest term
        rows = table[sizes > 0] / sizes[sizes > 0, None]
        norms = np.linalg.norm(rows, axis=0)
        if np.linalg.svd(rows / norms, compute_uv=False)[-1] < _LEAST:
            return None
        factors = np.linalg.lstsq(rows / norms, wanted[sizes > 0] / sizes[sizes > 0], rcond=None)[0] / norms
        if np.abs(table @ factors - wanted).max() > CLOSE * sizes.max():
            return None
        return [1.0 if abs(factor - 1.0) <= CLOSE else float(factor) for factor in factors]

    def _said(self, term: Expression, factor: float) -> str:
        """A term with another factor: its constant, where it has one, and that which stands for it."""
        for node in _factors_of(term):
            if isinstance(node, Number) and not isinstance(node, Share):
                return f"{_rounded(factor * node.value)} for {number(node.value)}"
        return f"{_rounded(factor)} times {text(term, self._symbols)}"


def _above(tree: Expression, at: Path) -> Expression:
    for step in at[:-1]:
        tree = tree.parts[step]
    return tree


def _terms(node: Expression) -> Iterator[Expression]:
    """Terms of a sum in which something is named; of anything else itself."""
    if isinstance(node, Operation) and node.name == "add":
        for part in node.parts:
            yield from _terms(part)
    else:
        yield node


def _factors_of(node: Expression) -> Iterator[Expression]:
    """Factors and dividends of a product; of anything else itself."""
    if isinstance(node, Operation) and node.name in ("mul", "div"):
        yield from _factors_of(node.parts[0])
        if node.name == "mul":
            yield from _factors_of(node.parts[1])
    else:
        yield node


def _weighted(terms: list[Expression], factors: list[float]) -> Expression:
    whole: Expression | None = None
    for term, factor in zip(terms, factors, strict=True):
        each = term if factor == 1.0 else Operation("mul", (Number(factor), term))
        whole = each if whole is None else Operation("add", (whole, each))
    assert whole is not None
    return whole


def _distinct(table: Array) -> Array:
    """Rows that differ."""
    return np.unique(np.round(table / np.abs(table).max(initial=1e-300, axis=0), 9), axis=0)


def _rounded(value: float) -> str:
    return number(round(value, _DIGITS))
