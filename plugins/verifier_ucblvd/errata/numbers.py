"""Exact ranks for the counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from verifier.model.erratum import ROUNDING, are_laws, are_within


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    """Rank of a rational matrix by exact elimination."""
    left = [list(row) for row in rows]
    found = 0
    for column in range(len(left[0])):
        pivot = next((i for i in range(found, len(left)) if left[i][column] != 0), None)
        if pivot is None:
            continue
        left[found], left[pivot] = left[pivot], left[found]
        for i in range(found + 1, len(left)):
            factor = left[i][column] / left[found][column]
            left[i] = [x - factor * y for x, y in zip(left[i], left[found], strict=True)]
        found += 1
    return found


def assumption_1(
    phi: Sequence[Sequence[Any]], mu: Sequence[Sequence[Any]], psi: Sequence[Sequence[Any]], eta: Sequence[Any]
) -> dict[str, bool]:
    """Assumption 1 at one step, as it is printed: with a bound of the measure of each state.

    Parameters
    ----------
    phi, psi : sequences of vectors
        Of the pairs of states and actions.
    mu : sequence of vectors
        The d measures, by next state.
    eta : vector
        Rewards are the products with psi.
    """
    by_state = list(zip(*mu, strict=True))
    return {
        "P(·|s,a) are laws": are_laws([[_dot(x, column) for column in by_state] for x in phi]),
        "‖φ‖ ≤ 1": _norms_below(phi, 1),
        "‖μ(s)‖ ≤ √d": _norms_below(by_state, len(mu)),
        "‖ψ‖ ≤ 1": _norms_below(psi, 1),
        "‖η‖ ≤ √d'": _norms_below([eta], len(eta)),
        "0 ≤ r ≤ 1": are_within([_dot(x, eta) for x in psi], 0, 1),
    }


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(left, right, strict=True))


def _norms_below(vectors: Sequence[Sequence[Any]], square: float) -> bool:
    """Whether no squared norm is larger."""
    return all(_dot(x, x) <= square + ROUNDING for x in vectors)
