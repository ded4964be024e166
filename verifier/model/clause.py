"""Clauses: what a paper asserts, whether a claim covers it or not."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Clause:
    """Clause of a paper: an assertion that could be checked.

    Parameters
    ----------
    key : str
        Short key, unique in the paper.
    source : str
        Where it stands.
    statement : str
        What it says, in one line.
    unchecked : str
        The reason why no claim covers it; empty when one does.

    Examples
    --------
    >>> from verifier import Clause
    >>> clause = Clause("lower-bound", "Theorem 3", "none has less regret", unchecked="about all algorithms, and not this one")
    >>> bool(clause.unchecked)
    True
    """

    key: str
    source: str
    statement: str
    unchecked: str = ""
