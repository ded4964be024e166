"""Errata counted by grade, as every report says it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

_PLURALS = {
    "false as printed": "false as printed",
    "proof step false": "proof steps false",
    "not implied": "not implied",
    "": "not graded",
}


def counted(grades: Iterable[str]) -> str:
    """Numbers of errata of each grade, e.g. ``"7 false as printed, 3 proof steps false, 1 not implied"``.

    Parameters
    ----------
    grades : iterable of str
        Values of `verifier.Grade`; empty in older records.
    """
    found = Counter(grades)
    words = {grade: plural if found[grade] > 1 else grade or plural for grade, plural in _PLURALS.items()}
    return ", ".join(f"{found[grade]} {word}" for grade, word in words.items() if found[grade])
