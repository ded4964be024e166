"""Explanations in which a quantity, or a symbol that is short for a formula, is another one in all the places where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np

from verifier.base.arrays import Array
from verifier.formulas.expression import (
    Defined,
    Expression,
    Given,
    Name,
    Number,
    evaluate,
    evaluations,
    names_in,
    nodes,
    replaced,
)  # fmt: skip
from verifier.formulas.inversion import implied
from verifier.formulas.typeset import symbol, text
from verifier.trials.differences.elsewhere import Elsewhere
from verifier.trials.differences.relations import CLOSE, EXACT, by_chance, relations, varies
from verifier.trials.differences.scene import EPISODES, SLACK, Candidate
from verifier.trials.differences.structure import changed, definition, within_condition

_HALVINGS = 60
"""Bisections of an interval of 12 decades: what is left of it is below the rounding of a number."""
_LOWEST = (1e-4, 1e-2, 0.03, 0.1, 0.3, 0.6)
"""Shares of a quantity at which an interval begins where the formula is no number at its lower end."""
_SHARP = 1e-4 * CLOSE
"""Relative precision to which a value has to be known: a sum that it is taken out of may be a thousand times as large."""
_TOGETHER = 0.1
"""Rank that a factor of a quantity in all its places loses to that of one part of the formula: more than parts lose by depth."""


class Together(Elsewhere):
    """Scene with the candidates that change all places of a quantity, or of a symbol, at once."""

    def _together(self) -> Iterator[Candidate]:
        """The formula with another value of a quantity, or of a symbol, in all places where it stands, if these are several."""
        parts = {node.name: node for _, node in nodes(self._tree) if isinstance(node, (Name, Defined))}
        places = Counter(node.name for _, node in nodes(self._tree) if isinstance(node, (Name, Defined)))
        for name, part in parts.items():
            if isinstance(part, Defined) and (places[name] > 1 or self._carried(name)):
                for said, rank, tree, left_out, factor, end in changed(part, self._symbols):
                    rank += self._unclear(factor)
                    yield Candidate(said, rank, self._evaluated_with(name, tree), left_out and not self._at_cut, end)
            if places[name] > 1:
                needed = self._needed_together(name)
                yield from self._elsewhere(name, needed, self._all.full(self._value(name)))
                # of what follows from itself at other places no value can be solved for alone
                if isinstance(part, Defined) and not self._carried(name):
                    yield from self._inside(part, needed)

    def _elsewhere(self, name: str, needed: Array, has: Array) -> Iterator[Candidate]:
        """The formula with another quantity in all places of one, or with what it would have to be there."""
        for other, value in self._known.items():
            if other != name and not (other in EPISODES and varies(has)):
                said = f"{symbol(other, self._symbols)} for {symbol(name, self._symbols)}"
                odd = by_chance(float(value), self._value(name)) if value.ndim == 0 else 0.0
                yield Candidate(said, EXACT + odd, self._evaluated_with(name, value))
        told = self._at & np.isfinite(needed) & np.isfinite(has)
        if int(np.count_nonzero(told)) >= min(2, self._total) and told.any():
            for relation in (
                *self._moved(needed, told, has),
                *self._combined((name,), needed[told], told, has),
                *self._searched(needed, told, has),
                *relations(needed[told], has[told], has, self._own, self._within),
            ):
                said = relation.of(symbol(name, self._symbols))
                plain = not relation.plain and varies(needed[told])
                # four times N under a root is rather half a bonus, which is told
                rank = relation.rank + _TOGETHER * (relation.rank > EXACT)
                yield Candidate(said, rank, self._evaluated_with(name, relation.value), plain)

    def _inside(self, part: Defined, needed: Array) -> Iterator[Candidate]:
        """The formula with another value of what stands in a definition, in all places of its symbol."""
        values = {at: self._all.full(value) for at, value in evaluations(part, self._values).items()}
        for at, node in nodes(part):
            x, has = implied(part, at, values, needed), values[at]
            told = self._at & np.isfinite(x) & np.isfinite(has)
            if len(at) < 2 or told.sum() < min(2, self._total) or within_condition(part, at):
                continue
            for relation in relations(x[told], has[told], has, self._own, self._within):
                if relation.plain or not isinstance(node, Number):
                    said = relation.of(text(node, self._symbols)) + definition(part, at, self._symbols)
                    # one number in place of all of it is simpler
                    rank = relation.rank + 0.01 * len(at) + 2 * _TOGETHER * relation.plain
                    right = self._evaluated_with(part.name, replaced(part, at, Given(relation.value)))
                    yield Candidate(said, rank, right, varies(x[told]))

    def _carried(self, name: str) -> Mapping[str, Callable[[Array], Array]]:
        """Quantities that follow from a symbol at other places, by name: beta at the update before."""
        carried: Mapping[str, Mapping[str, Callable[[Array], Array]]] = getattr(self._scope.view, "carried", {})
        return carried.get(name, {})

    def _value(self, name: str) -> Array:
        """Value of a quantity, or of a symbol that the formula defines."""
        return self._values[name] if name in self._values else self._known[name]

    def _needed_together(self, name: str) -> Array:
        """Value of a positive quantity at which the formula is what was reported, found by bisection of its logarithm.

        It is tried between a millionth and a million times what it is; NaN where the formula is on one side at both ends, and
        where it hardly depends on the quantity, so that the value is not known to the digits that relations are told by.
        """
        reported, has = self._all.reported, self._all.full(self._value(name))
        low, high = has * 1e-6, has * 1e6

        def excess(value: Array) -> Array:
            return self._all.full(self._evaluated_with(name, value)) - reported

        with np.errstate(all="ignore"):
            start = excess(low)
            for share in _LOWEST:  # the logarithm of a logarithm is none of a small number
                low = np.where(np.isfinite(start), low, has * share)
                start = np.where(np.isfinite(start), start, excess(low)) if not np.isfinite(start).all() else start
            inside = (has > 0) & (start * excess(high) <= 0)
            for _ in range(_HALVINGS):
                middle = np.sqrt(low * high)
                same = excess(middle) * start > 0
                low, high = np.where(same, middle, low), np.where(same, high, middle)
            value = np.sqrt(low * high)
            sharp = np.abs(excess(value * (1 + _SHARP)) - excess(value)) > SLACK * np.abs(reported)
        return np.where(inside & sharp, value, np.nan)

    def _evaluated_with(self, name: str, value: Array | Expression) -> Array:
        """The formula with a value in all places of a quantity, or a value or a formula in those of a symbol."""
        if not isinstance(value, Expression) and name in self._values:
            return evaluate(self._tree, {**self._values, name: value})
        tree, values = self._tree, dict(self._values)
        if isinstance(value, Expression) and (carried := self._carried(name)):
            whole = evaluate(value, {each: self._scope.value(each) for each in names_in(value)})
            axes = self._scope.quantities
            values |= {each: self._all.cut(self._scope.aligned(of(whole), axes[each].axes)) for each, of in carried.items()}
        part = value if isinstance(value, Expression) else Given(value)
        for at in [at for at, node in nodes(tree) if isinstance(node, Defined) and node.name == name]:
            tree = replaced(tree, at, part)
        return evaluate(tree, values)
