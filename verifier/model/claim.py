"""Claims: a property bound to the sentence of a paper it makes checkable."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fnmatch import fnmatchcase

from verifier.base.errors import ContractError
from verifier.model.horizon import Horizon
from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier.model.regime import Regime

PSEUDO_CODE = "pseudo-code"
"""Premise of the lines of the algorithm: the text itself."""


LEAST_SHARE = 0.01
"""A pass by one comparison of 50,000 that could have failed is none."""


class Kind(StrEnum):
    """Sort of truth that a claim states, and so how it is decided.

    Examples
    --------
    >>> from verifier import Kind
    >>> Kind("probability").statistical, Kind.ALWAYS.statistical
    (True, False)
    """

    ASSUMPTION = "assumption"
    """Property of the instance; where it fails, the claims that assume it are not applicable."""
    IDENTITY = "identity"
    """Two routes to the same quantity agree up to rounding."""
    ALWAYS = "always"
    """Holds on every run."""
    GIVEN = "given"
    """Holds wherever an event holds that the harness evaluates itself."""
    PROBABILITY = "probability"
    """Fails in a run with probability at most `failure_probability` times delta, or at most `chance`."""
    EXPECTATION = "expectation"
    """The value's mean over runs is at most the bound's; a single run cannot break it."""
    LAW = "law"
    """Law of something random; the property returns an e-value of each run, whose mean is then at most 1, and what it
    would be under another one, the `wrong_law`."""
    SCALING = "scaling"
    """Rate at which a quantity depends on the size of the instance."""

    @property
    def statistical(self) -> bool:
        """Whether such a claim is decided over many runs, with a probability of error."""
        return self in (Kind.PROBABILITY, Kind.EXPECTATION, Kind.LAW)

    @property
    def least_share(self) -> float:
        """The least share of comparisons with power in a pass on an instance; 0 where any is enough.

        Of identities, what has no power is zero on both sides; means and laws have one comparison in a run.
        """
        return LEAST_SHARE if self in (Kind.ALWAYS, Kind.GIVEN, Kind.PROBABILITY) else 0.0


class Status(StrEnum):
    """Author of a claim's statement.

    Examples
    --------
    >>> from verifier import Status
    >>> [status.value for status in Status]
    ['as printed', 'corrected', 'ours']
    """

    PRINTED = "as printed"
    CORRECTED = "corrected"
    OURS = "ours"
    """Not in the paper, or not with these constants."""


_NOTHING = Property("none", "run", lambda view: Inequality(0.0, 0.0, trivial=0.0), frozenset(), "")
"""Property of a claim that was declared with none; it is never evaluated."""

_TEXTS = ("name", "source", "theorem", "statement", "clause", "given", "why", "unbreakable", "any_width", "wrong_law")


@dataclass(frozen=True)
class Claim:
    """Checkable clause of a theorem.

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
        Key of the clause of the paper it covers (see `Guarantees.clauses`).
    assumes : tuple of str
        Names of assumption claims that must hold on the instance.
    given : str
        The event it is conditional on, in words; the property carries it as its premise.
    failure_probability : float
        For `Kind.PROBABILITY`: the multiple of the paper's delta with which it may fail (1 or 2).
    chance : float
        For `Kind.PROBABILITY`, instead: the probability with which it may fail, where the paper's delta has no part in it.
    follows : tuple of str, or str
        Names of the claims whose truth its proof uses, and ``"pseudo-code"`` for a line of the algorithm: what it says is then
        what the pseudo-code says, in terms of the other lines it names. One name may stand alone: ``follows=PSEUDO_CODE`` is a
        line that uses no other. The assumptions it names in `assumes` are premises too. Where claims are violated, those are
        reported first that have no violated premise. All claims have it but assumptions, and what no implementation can violate,
        which may.
    resolution : float
        For `Kind.EXPECTATION`: it conforms when the mean is at most (1 + resolution) times the bound's. What holds with
        equality in expectation is never certified at 0.
    regimes : tuple of str
        Names of regimes it is evaluated in; ``"*"`` stands for all of the algorithm's.
    any_width : str
        For `Kind.PROBABILITY` with a `failure_probability`: why it fails with that probability whatever width is used. Without
        it the theorem promises the probability at the published width, and in the regime ``calibrated`` the rate is observed:
        it is reported with its interval, and is neither for nor against the claim.
    horizon : Horizon, optional
        From which size on the claim is not vacuous at the published constants.
    why : str
        For corrected claims: what is wrong with the printed form. For others, what a reader of its failure should know.
    whys : mapping of str to str
        The same where the instance cited has another cause, by patterns of its name (``"gamble"``, ``"*-lottery"``); the first
        that fits is told in place of `why`.
    wrong_law : str
        For `Kind.LAW`: a wrong law, in words, for which the property says how much evidence a run would give. The claim conforms
        when that one would have been found.
    unbreakable : str
        The proof that no implementation can violate it, however wrong: a fact about all plans, or about the instance and the
        harness alone. Agents are meant that see what their environment offers and no more, as in blind mode: one that reads the
        numbers that the next state is drawn with can break what is likely for every other. Such a claim is evaluated, because its
        failure would show a mistake in the harness, and reported as vacuous with the proof as the reason; it never conforms. A
        claim without one needs a planted bug that violates it.

    Attributes
    ----------
    wrong : str
        What is wrong with the declaration, and the file and line where it stands; empty if nothing is. Nothing is raised, because
        that would end the import of the plugin: the claim alone is an error (`verifier.model.proof.faults`).

    Examples
    --------
    >>> import numpy as np
    >>> from verifier import PSEUDO_CODE, Claim, Kind
    >>> from verifier.model.statement import identity
    >>> from verifier_settings.episodic import Phases
    >>> bonus = identity("bonus", lambda c, H, K, N: c * H * np.sqrt(np.log(K) / N), on=Phases, define={"c": lambda: 2.0})
    >>> claim = Claim("bonus", bonus, "Algorithm 1", "", "b = 2H √(ln K / N)", Kind.ALWAYS, follows=PSEUDO_CODE)
    >>> claim.name, claim.kind.statistical
    ('bonus', False)
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
    chance: float = field(default=0.0, kw_only=True)
    resolution: float = field(default=0.0, kw_only=True)
    unbreakable: str = field(default="", kw_only=True)
    any_width: str = field(default="", kw_only=True)
    wrong_law: str = field(default="", kw_only=True)
    follows: tuple[str, ...] | str = field(default=(), kw_only=True)
    whys: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    wrong: str = field(default="", init=False, repr=False, compare=False)

    def why_on(self, instance: str) -> str:
        """`why`, as it is told of an instance."""
        return next((words for pattern, words in self.whys.items() if fnmatchcase(instance, pattern)), self.why)

    def __post_init__(self) -> None:
        if isinstance(self.follows, str):
            object.__setattr__(self, "follows", (self.follows,))
        try:
            self._check()
        except (ContractError, TypeError, AttributeError, ValueError) as error:  # fields may be of any type
            message = str(error) if isinstance(error, ContractError) else f"claim {self.name!r}: {type(error).__name__}: {error}"
            object.__setattr__(self, "wrong", f"{message} ({_declared_at()})")
            # Lists and the record show the claim all the same, so what they use has the right type; its proof is not looked at.
            for name in _TEXTS:
                object.__setattr__(self, name, str(getattr(self, name)))
            harmless = {"property": (Property, _NOTHING), "kind": (Kind, Kind.ALWAYS), "status": (Status, Status.OURS)}
            for name, (type_, value) in harmless.items():
                if not isinstance(getattr(self, name), type_):
                    object.__setattr__(self, name, value)
            for name in ("follows", "assumes"):
                object.__setattr__(self, name, ())

    def _check(self) -> None:
        """Check the declaration by itself; what it has to do with others is checked with them.

        Raises
        ------
        ContractError
            At the first thing wrong.
        """
        for name in _TEXTS:
            if not isinstance(value := getattr(self, name), str):
                raise ContractError(f"claim {self.name!r}: {name} is {value!r}, expected text")
        for name, type_ in (("kind", Kind), ("status", Status)):
            if not isinstance(value := getattr(self, name), type_):
                known = ", ".join(f"{type_.__name__}.{item.name}" for item in type_)
                raise ContractError(f"claim {self.name!r}: {name} is {value!r}, expected one of {known}")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", self.name):
            raise ContractError(
                f"claim name {self.name!r} is not of the form 'lower-case-words-with-dashes'; rename it, ids are typed by hand"
            )
        if self.name == PSEUDO_CODE:
            raise ContractError(f"claim name {self.name!r} stands for the text of the algorithm; rename it")
        if not (isinstance(self.follows, tuple) and all(isinstance(name, str) and name for name in self.follows)):
            raise ContractError(
                f"claim {self.name!r}: follows is {self.follows!r}, expected a tuple of names of claims, or one name; name the "
                f"claims that its proof uses, or PSEUDO_CODE ({PSEUDO_CODE!r}) for a line of the algorithm"
            )
        if not isinstance(self.property, Property):
            raise ContractError(
                f"claim {self.name!r}: property is {type(self.property).__name__}, expected a Property; decorate the function "
                "with @phase_property, @run_property or @instance_property"
            )
        self._check_law()
        self._check_chance()
        self._check_expectation()
        self._check_unbreakable()
        if self.kind is Kind.SCALING and not hasattr(self, "rate"):
            raise ContractError(
                f"claim {self.name!r} is of kind 'scaling' but names no rate; make it a ScalingClaim and put it in `scaling`"
            )
        if self.kind is Kind.GIVEN and not self.given:
            raise ContractError(f"claim {self.name!r} is of kind 'given' but names no event; say in `given` what it is given")
        if (self.kind is Kind.ASSUMPTION) != (self.property.scope == "instance"):
            raise ContractError(
                f"claim {self.name!r}: kind {self.kind.value!r} with a property of scope {self.property.scope!r}; "
                "assumptions, and only assumptions, are properties of the instance"
            )

    def _check_chance(self) -> None:
        given = (self.failure_probability, self.chance)
        if sorted(map(bool, given)) != [False, self.kind is Kind.PROBABILITY] or not (min(given) >= 0 and self.chance < 1):
            raise ContractError(
                f"claim {self.name!r} of kind {self.kind.value!r}: failure_probability is {self.failure_probability}, chance is "
                f"{self.chance}; a claim of kind 'probability' needs exactly one of them (a positive multiple of delta, or a "
                "probability below 1), any other kind needs 0 for both"
            )
        if self.any_width and not self.failure_probability:
            raise ContractError(
                f"claim {self.name!r} of kind {self.kind.value!r}: any_width is {self.any_width!r}, which is said of a claim "
                "that may fail with a multiple of delta; leave it out"
            )

    def _check_expectation(self) -> None:
        mean = self.kind is Kind.EXPECTATION
        if (mean or self.kind is Kind.LAW) and self.property.scope != "run":
            raise ContractError(
                f"claim {self.name!r} of kind {self.kind.value!r} has a property of scope {self.property.scope!r}; a mean is "
                "taken over runs, so give it a @run_property with one comparison"
            )
        if not 0 <= self.resolution < math.inf or (self.resolution and not mean):
            raise ContractError(
                f"claim {self.name!r} of kind {self.kind.value!r}: resolution is {self.resolution}; a claim of kind "
                "'expectation' may have a finite one that is not negative, any other kind needs 0"
            )

    def _check_law(self) -> None:
        if bool(self.wrong_law) != (self.kind is Kind.LAW and not self.unbreakable):
            raise ContractError(
                f"claim {self.name!r} of kind {self.kind.value!r}: wrong_law is {self.wrong_law!r}; a law that can be violated "
                "names in words a wrong one that would be found, and no other claim does"
            )

    def _check_unbreakable(self) -> None:
        proof = self.unbreakable
        if not isinstance(proof, str) or proof.isspace():
            raise ContractError(
                f"claim {self.name!r}: unbreakable is {proof!r}, expected the proof that no implementation can break it"
            )
        if proof and self.kind in (Kind.ASSUMPTION, Kind.SCALING):
            raise ContractError(
                f"claim {self.name!r} of kind {self.kind.value!r} is declared unbreakable, which is said of what algorithms do; "
                "an assumption is of the instance, and a rate has its known wrong algorithm (`alternative`)"
            )

    def promised(self, regime: Regime) -> bool:
        """Whether a theorem promises the claim in a regime.

        A calibrated width is read off reference runs, so that no theorem says how often an error exceeds it. A `chance` has no
        part of the paper's delta, and so of the width.
        """
        return regime.source != "calibrated" or not self.failure_probability or bool(self.any_width)

    @property
    def allowed(self) -> str:
        """The probability with which it may fail, in symbols: ``delta``, ``2 delta``, ``0.1``; empty if it may not."""
        if self.chance:
            return f"{self.chance:g}"
        return f"{self.failure_probability:g} delta".removeprefix("1 ") if self.failure_probability else ""


def _declared_at() -> str:
    """File and line of the code that makes the claim: above the constructors, and above `dataclasses.replace`."""
    frame = sys._getframe(2)
    while frame.f_back and (frame.f_code.co_name == "__init__" or frame.f_globals.get("__name__") == "dataclasses"):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"


def unread(claims: Iterable[Claim], why: str) -> tuple[Claim, ...]:
    """Claims about a paper whose text was not read: none is said to be as printed; `why` is for those without a reason."""
    return tuple(replace(c, status=Status.OURS, why=c.why or why) if c.status is Status.PRINTED else c for c in claims)
