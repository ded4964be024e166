"""Errata: statements that are false (or not implied) as printed, each with a counterexample anyone can run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from verifier.base.errors import ContractError


class Grade(StrEnum):
    """Grade of an erratum: how much is wrong with what is printed.

    Examples
    --------
    >>> from verifier import Grade
    >>> [grade.value for grade in Grade]
    ['false as printed', 'proof step false', 'not implied']
    """

    FALSE = "false as printed"
    """A theorem, lemma, definition or line of the pseudo-code that the counterexample contradicts."""
    STEP = "proof step false"
    """A step of a proof that the counterexample contradicts; what is proved by it may be true all the same."""
    NOT_IMPLIED = "not implied"
    """A conclusion that does not follow from what is given for it; where it is used it may be true for other reasons."""


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
    hypotheses : mapping of str to bool
        What the printed statement is under, by name, and whether the counterexample meets it; computed, like the truth values.
        Without one of them it refutes nothing.
    unconditional : str
        Why there are no hypotheses, where what is printed has none.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from verifier import Refutation
    >>> x = Fraction(1, 2)
    >>> found = Refutation("x ≤ x²", x <= x**2, "x² ≤ x", x**2 <= x, "x = 1/2", {"0 ≤ x ≤ 1": 0 <= x <= 1})
    >>> found.printed_holds, found.corrected_holds, found.unmet
    (False, True, ())
    """

    printed: str
    printed_holds: bool
    corrected: str
    corrected_holds: bool
    instance: str
    hypotheses: Mapping[str, bool] = field(default_factory=dict)
    unconditional: str = ""

    @property
    def unmet(self) -> tuple[str, ...]:
        """The hypotheses that the counterexample does not meet."""
        return tuple(name for name, met in self.hypotheses.items() if not met)

    def __post_init__(self) -> None:
        _require_texts(self, "printed", "corrected", "instance", "unconditional")
        if not isinstance(self.hypotheses, Mapping):
            raise ContractError(
                f"`hypotheses` of Refutation is {self.hypotheses!r}, expected a dictionary of names, and whether each is met"
            )


ROUNDING = 1e-12
"""Bound on the rounding of a sum of a few thousand numbers below 1; fractions have none."""


def are_laws(rows: Sequence[Sequence[Any]]) -> bool:
    """Whether each row is a probability law, a hypothesis of most statements; entries are fractions or floats."""
    return all(min(row) >= 0 and abs(sum(row) - 1) <= ROUNDING for row in rows)


def in_all(cases: Sequence[Mapping[str, bool]]) -> dict[str, bool]:
    """Hypotheses of a counterexample of several cases: each is met if it is met in all of them."""
    return {name: all(case[name] for case in cases) for name in cases[0]}


def are_within(values: Sequence[Any], low: Any, high: Any) -> bool:
    """Whether all values lie in a closed interval, up to the rounding of floats."""
    return bool(low - ROUNDING <= min(values) and max(values) <= high + ROUNDING)


@dataclass(frozen=True)
class Erratum:
    """Statement of a paper that is false, or not implied, as printed.

    Parameters
    ----------
    name : str
        In lower case, unique in the paper.
    source : str
        Where it stands.
    grade : Grade
        How much is wrong with it.
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

    Examples
    --------
    >>> from verifier import Erratum, Grade, Refutation
    >>> def half():
    ...     return Refutation("x ≤ x²", 0.5 <= 0.25, "x² ≤ x", 0.25 <= 0.5, "x = 1/2", {"0 ≤ x ≤ 1": True})
    >>> erratum = Erratum("square", "Lemma 2", Grade.FALSE, "x ≤ x²", "squares below 1 are smaller", "x² ≤ x", (), half)
    >>> erratum.grade.value, erratum.counterexample().printed_holds
    ('false as printed', False)
    """

    name: str
    source: str
    grade: Grade
    statement: str
    why: str
    corrected: str
    claims: tuple[str, ...]
    counterexample: Callable[[], Refutation]

    def __post_init__(self) -> None:
        _require_texts(self, "name", "source", "statement", "why", "corrected")
        if not isinstance(self.grade, Grade):
            raise ContractError(f"erratum {self.name!r}: `grade` is {self.grade!r}, expected a verifier.Grade")
        if not isinstance(self.claims, tuple) or not all(isinstance(claim, str) for claim in self.claims):
            raise ContractError(f"erratum {self.name!r}: `claims` is {self.claims!r}, expected a tuple of claim ids")
        if not callable(self.counterexample):
            raise ContractError(f"erratum {self.name!r}: `counterexample` is {self.counterexample!r}, expected a function")


def _require_texts(item: object, *names: str) -> None:
    for name in names:
        if not isinstance(value := getattr(item, name), str):
            raise ContractError(f"`{name}` of {type(item).__name__} is {value!r}, expected text")
