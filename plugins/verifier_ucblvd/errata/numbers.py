"""Exact ranks for the counterexamples."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


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
