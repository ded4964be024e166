"""Errata: statements that are false (or not implied) as printed, each with a counterexample anyone can run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Refutation:
    """The numbers of a counterexample.

    Parameters
    ----------
    printed : str
        The printed statement with its numbers, e.g. ``"1 <= 0"``.
    printed_holds : bool
        Whether it holds there; False for a counterexample.
    corrected : str
        The corrected statement with its numbers.
    corrected_holds : bool
        Whether that holds; True.
    instance : str
        The counterexample, as tables small enough to check by hand.
    """

    printed: str
    printed_holds: bool
    corrected: str
    corrected_holds: bool
    instance: str


@dataclass(frozen=True)
class Erratum:
    """One statement of a paper that is false, or not implied, as printed.

    Parameters
    ----------
    name : str
        In lower case, unique in the paper.
    source : str
        Where it stands.
    statement : str
        What is printed.
    why : str
        Why it is false.
    corrected : str
        What is true instead.
    claims : tuple of str
        Ids of the claims that check the corrected form.
    counterexample : callable
        Computes the numbers, in seconds and without randomness.
    """

    name: str
    source: str
    statement: str
    why: str
    corrected: str
    claims: tuple[str, ...]
    counterexample: Callable[[], Refutation]
