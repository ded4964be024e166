"""Claims: a property bound to the sentence of a paper it makes checkable."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from verifier.errors import ContractError
from verifier.property import Property


class Kind(StrEnum):
    """What sort of truth a claim states, and so how it is decided."""

    ASSUMPTION = "assumption"
    """Of the instance; where it fails, the claims that assume it are not applicable."""
    IDENTITY = "identity"
    """Two routes to the same quantity agree up to rounding."""
    ALWAYS = "always"
    """Holds on every run."""
    GIVEN = "given"
    """Holds wherever an event holds that the harness evaluates itself."""
    PROBABILITY = "probability"
    """Fails in a run with probability at most `failure_probability`."""
    EXPECTATION = "expectation"
    """Holds for the mean over runs."""
    SCALING = "scaling"
    """A rate of growth."""


class Status(StrEnum):
    """Whose statement it is."""

    PRINTED = "as printed"
    CORRECTED = "corrected"
    OURS = "ours"


@dataclass(frozen=True)
class Horizon:
    """How a bound and the trivial bound grow, to tell from which size a vacuous claim would mean something.

    Parameters
    ----------
    bound, trivial : callable
        Map (instance, regime scale c, size K) to the explicit bound and to what anything meets at that size.
    unit : str
        The symbol of the size, e.g. ``"K"``.
    """

    bound: Callable[[Any, float, float], float]
    trivial: Callable[[Any, float, float], float]
    unit: str = "K"


@dataclass(frozen=True)
class Claim:
    """One checkable clause of a theorem.

    Parameters
    ----------
    name : str
        Readable name in lower case, unique within the algorithm; the id is ``algorithm/name``.
    property : Property
        What is evaluated.
    source : str
        Where it stands, e.g. ``"Lemma 7"``.
    theorem : str
        The result it belongs to; reports group by it.
    statement : str
        One line of mathematics.
    kind : Kind
        How it is decided.
    status : Status
        As printed, corrected or ours.
    clause : str
        Key of the clause of the paper it covers (see `Algorithm.clauses`).
    assumes : tuple of str
        Names of assumption claims that must hold on the instance.
    given : str
        The event it is conditional on, in words; the property carries it as its premise.
    failure_probability : float
        For `Kind.PROBABILITY`: the multiple of delta with which it may fail (1 or 2).
    regimes : tuple of str
        Names of regimes it is evaluated in; ``"*"`` stands for all of the algorithm's.
    horizon : Horizon, optional
        From which size on the claim says something at the published constants.
    why : str
        For corrected claims: what is wrong with the printed form.
    """

    name: str
    property: Property
    source: str
    theorem: str
    statement: str
    kind: Kind
    status: Status = Status.PRINTED
    clause: str = ""
    assumes: tuple[str, ...] = ()
    given: str = ""
    failure_probability: float = 0.0
    regimes: tuple[str, ...] = ("*",)
    horizon: Horizon | None = None
    why: str = ""

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ContractError(
                f"claim name {self.name!r} is not of the form 'lower-case-words-with-dashes'; rename it, ids are typed by hand"
            )
        if not isinstance(self.property, Property):
            raise ContractError(
                f"claim {self.name!r}: property is {type(self.property).__name__}, expected a Property; decorate the function "
                "with @phase_property, @run_property or @instance_property"
            )
        if (self.kind is Kind.PROBABILITY) != (self.failure_probability > 0):
            raise ContractError(
                f"claim {self.name!r}: failure_probability is {self.failure_probability}; a claim of kind 'probability' needs "
                "a positive multiple of delta, any other kind needs 0"
            )
        if self.kind is Kind.GIVEN and not self.given:
            raise ContractError(f"claim {self.name!r} is of kind 'given' but names no event; say in `given` what it is given")
        if (self.kind is Kind.ASSUMPTION) != (self.property.scope == "instance"):
            raise ContractError(
                f"claim {self.name!r}: kind {self.kind.value!r} with a property of scope {self.property.scope!r}; "
                f"assumptions, and "
                "only assumptions, are properties of the instance"
            )
