"""Guarantees: everything that is declared of an algorithm, bound to it in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeVar

from verifier.base.errors import ContractError, UsageError, nearest
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim
from verifier.model.clause import Clause
from verifier.model.erratum import Erratum
from verifier.model.figure import Figure
from verifier.model.mutant import SEPARATOR, Mutant, Shown
from verifier.model.oracle import Oracle
from verifier.model.proof import Fault, faults
from verifier.model.scaling import ScalingClaim

NamedT = TypeVar("NamedT", Claim, Mutant)


@dataclass(frozen=True, eq=False)  # what is declared is looked up by name and never compared
class Guarantees:
    """An algorithm and what is declared of it; the hook `verifier_algorithms` returns these.

    Nothing is checked when it is made: `verifier.model.validation.validate` is called when a plugin is loaded, so that a bad
    declaration of one algorithm leaves the others of its plugin usable. A claim that is declared wrong leaves all other claims
    usable (`faults`).

    Parameters
    ----------
    algorithm : type
        The algorithm.
    claims : tuple of Claim
        What `verifier check` evaluates.
    clauses : tuple of Clause
        What the paper asserts, covered by a claim or not.
    scaling : tuple of ScalingClaim
        Claimed rates, for `verifier scale`.
    mutants : tuple of Mutant
        Realistic bugs planted in the algorithm, for `verifier power`.
    shown : tuple of Shown
        Where agents violate claims that are hard to violate, garbage agents of the setting included.
    errata : tuple of Erratum
        Statements of the paper that are false, or not implied, as printed, for `verifier errata`.
    oracles : mapping of str to type of Oracle
        By name of a width, what the oracle regime puts in its place; widths that are not named are the setting's.
    theorem : str
        The main theorem of the paper: the name of the claim that states it, or the key of a clause that no claim covers. Reports
        say how much of its proof was checked. Empty where the algorithm is of no paper.
    figures : tuple of Figure
        Figures of the paper that its scaling claims draw again, for `verifier scale --figure`.
    decisive : tuple of str
        Of an agent that is held against another algorithm: the claims that compare the two. Where no comparison of theirs could
        have failed, the check is unfinished.

    Examples
    --------
    >>> import verifier
    >>> from verifier import Guarantees
    >>> from verifier_ucblvd import verifier_algorithms
    >>> (given,) = (each for each in verifier_algorithms() if each.name == "ucblvd")
    >>> mine = Guarantees(type("Mine", (given.algorithm,), {"name": "mine"}), claims=given.claims, clauses=given.clauses)
    >>> mine.name, mine.claim("optimism").kind.value
    ('mine', 'given')
    """

    algorithm: type[Algorithm]
    claims: tuple[Claim, ...] = ()
    clauses: tuple[Clause, ...] = ()
    scaling: tuple[ScalingClaim, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    shown: tuple[Shown, ...] = ()
    errata: tuple[Erratum, ...] = ()
    oracles: Mapping[str, type[Oracle]] = field(default_factory=dict)
    theorem: str = ""
    figures: tuple[Figure, ...] = ()
    decisive: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the algorithm.

        Raises
        ------
        ContractError
            If its class has none.
        """
        name: object = getattr(self.algorithm, "name", None)
        if not isinstance(name, str):
            kind = self.algorithm.__qualname__
            raise ContractError(f"the class {kind} has no name that could be printed; give it one, say name = {kind.lower()!r}")
        return name

    @property
    def every_claim(self) -> tuple[Claim, ...]:
        """The claims, scaling claims included."""
        return (*self.claims, *self.scaling)

    @cached_property
    def faults(self) -> tuple[Fault, ...]:
        """Faults in the proofs that the claims declare; claims with a fault are not checked, and are errors."""
        return faults(self.every_claim, self.name)

    @cached_property
    def faulty(self) -> Mapping[str, str]:
        """Faults by the names of the claims that they are about."""
        return {name: fault.message for fault in reversed(self.faults) for name in fault.claims}

    def claim(self, name: str) -> Claim:
        """The claim, or scaling claim, of this name.

        Raises
        ------
        UsageError
            If there is none.
        """
        return self._named(name, "claim", self.every_claim)

    def mutant(self, name: str) -> Mutant:
        """The mutant of this name.

        Raises
        ------
        UsageError
            If there is none.
        """
        return self._named(name, "planted bug", self.mutants)

    def mutated(self, name: str) -> Guarantees:
        """Guarantees of a mutant: these, under its full name ``ALGORITHM~MUTANT``.

        Raises
        ------
        UsageError
            If the algorithm has no such mutant.
        """
        bug = self.mutant(name).algorithm
        full = f"{self.name}{SEPARATOR}{name}"
        return replace(self, algorithm=type(bug.__name__, (bug,), {"name": full, "groups": ()}), mutants=(), errata=())

    def _named(self, name: str, what: str, among: Iterable[NamedT]) -> NamedT:
        known = {item.name: item for item in among}
        if name not in known:
            raise UsageError(f"{self.name} has no {what} {name!r}. {nearest(name, known)}")
        return known[name]
