"""The base class of every algorithm under test."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from verifier.base.errors import ContractError, UsageError, nearest
from verifier.model.claim import Claim, Kind
from verifier.model.regime import Regime
from verifier.model.width import Width

if TYPE_CHECKING:
    from verifier.model.erratum import Erratum
    from verifier.model.mutant import Mutant
    from verifier.model.scaling import ScalingClaim


@dataclass(frozen=True)
class Clause:
    """One clause of the paper: something it asserts that could be checked.

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
    """

    key: str
    source: str
    statement: str
    unchecked: str = ""


class Algorithm(ABC):
    """An algorithm with its guarantees.

    Subclasses set the class attributes and write `run`, a generator that reads like the paper's pseudo-code and yields the
    setting's Plan each time it plans. While it is paused the harness looks; the algorithm is never asked to judge itself.

    Parameters
    ----------
    public : object
        What the agent may know of the instance (the setting's ``Public``).
    width : Width
        The confidence width to use wherever the pseudo-code says beta.
    **options : str
        Choices named by a regime, e.g. ``minimiser="farthest"``.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    paper: ClassVar[str]
    setting: ClassVar[str]
    groups: ClassVar[tuple[str, ...]] = ()
    regimes: ClassVar[tuple[str, ...]] = ("published", "oracle")
    instances: ClassVar[tuple[str, ...]] = ("*",)
    yields: ClassVar[frozenset[str]] = frozenset()
    hidden: ClassVar[frozenset[str]] = frozenset()
    libraries: ClassVar[tuple[str, ...]] = ()
    """Import names of packages whose code is what is checked, for adapters: stored results are of their present source."""
    claims: ClassVar[tuple[Claim, ...]] = ()
    clauses: ClassVar[tuple[Clause, ...]] = ()
    scaling: ClassVar[tuple[ScalingClaim, ...]] = ()

    def __init__(self, public: Any, width: Width, **options: str) -> None:
        if options:
            raise ContractError(f"{self.name} knows no option {', '.join(options)}; remove it from `regimes` or accept it")
        self.public = public
        self.width = width

    @abstractmethod
    def run(self, env: Any) -> Iterator[Any]:
        """Play the whole run in the metered environment, yielding a Plan each time the algorithm plans."""

    @classmethod
    @abstractmethod
    def published_width(cls, public: Any, of: str) -> float:
        """The paper's confidence width for these public quantities, constants included."""

    @classmethod
    def mutants(cls) -> tuple[Mutant, ...]:
        """Realistic bugs planted in this algorithm, for `verifier power`."""
        return ()

    @classmethod
    def errata(cls) -> tuple[Erratum, ...]:
        """Statements of the paper that are false as printed, for `verifier errata`."""
        return ()

    @classmethod
    def claim(cls, name: str) -> Claim:
        """The claim of this name.

        Raises
        ------
        KeyError
            If there is none.
        """
        for claim in (*cls.claims, *cls.scaling):
            if claim.name == name:
                return claim
        raise KeyError(name)


def validate(algorithm: type[Algorithm]) -> None:
    """Check what an algorithm class declares.

    Raises
    ------
    ContractError
        At the first thing wrong, naming the class, what was found and what was expected.
    """
    who = f"{getattr(algorithm, '__module__', '?')}.{getattr(algorithm, '__qualname__', repr(algorithm))}"
    if not (isinstance(algorithm, type) and issubclass(algorithm, Algorithm)):
        raise ContractError(f"{who} is not a subclass of verifier.Algorithm; return classes from verifier_algorithms()")
    for attribute in ("name", "title", "paper", "setting"):
        if not isinstance(getattr(algorithm, attribute, None), str):
            raise ContractError(f"{who}: class attribute `{attribute}` is missing or not a string; set it")
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", algorithm.name) or algorithm.name == "all":
        raise ContractError(
            f"{who}: name {algorithm.name!r} is not of the form 'lower-case-words-with-dashes' other than 'all'; rename it, "
            "names are typed by hand"
        )
    _validate_collections(algorithm, who)
    _validate_signatures(algorithm, who)
    for regime in algorithm.regimes:
        _validate_regime(regime, f"{who}: `regimes`")
    seen: set[str] = set()
    keys = {clause.key for clause in algorithm.clauses}
    assumptions = {claim.name for claim in algorithm.claims if claim.kind is Kind.ASSUMPTION}
    for claim in (*algorithm.claims, *algorithm.scaling):
        if claim.name in seen:
            raise ContractError(f"{who}: claim id '{algorithm.name}/{claim.name}' is declared twice; rename one of them")
        seen.add(claim.name)
        for regime in {*claim.regimes} - {"*", "scaled"}:
            _validate_regime(regime, f"{who}: claim '{claim.name}'")
        _validate_property(claim, who)
        missing = claim.property.needs - algorithm.yields
        if missing:
            raise ContractError(
                f"{who}: claim '{claim.name}' needs the plan field(s) {', '.join(sorted(missing))}, which the algorithm does "
                f"not declare in `yields` ({', '.join(sorted(algorithm.yields)) or 'empty'}); yield them or drop the claim"
            )
        for name in claim.assumes:
            if name not in assumptions:
                raise ContractError(
                    f"{who}: claim '{claim.name}' assumes '{name}', which is no assumption claim of this algorithm. "
                    + nearest(name, assumptions)
                )
        if claim.clause and claim.clause not in keys:
            raise ContractError(f"{who}: claim '{claim.name}' covers clause '{claim.clause}'. {nearest(claim.clause, keys)}")
    covered = {claim.clause for claim in algorithm.claims}
    for clause in algorithm.clauses:
        if clause.key not in covered and not clause.unchecked:
            raise ContractError(f"{who}: clause {clause.key} has neither a claim nor a reason in `unchecked`; add one")


def _validate_collections(algorithm: type[Algorithm], who: str) -> None:
    """Sequences hold what they should; a lone string, easily written instead of a tuple of one, is none."""
    from verifier.model.scaling import ScalingClaim

    holds = {
        "libraries": str, "groups": str, "regimes": str, "instances": str, "claims": Claim, "clauses": Clause,
        "scaling": ScalingClaim, "yields": str, "hidden": str,
    }  # fmt: skip
    for attribute, kind in holds.items():
        value = getattr(algorithm, attribute)
        expected = frozenset if attribute in ("yields", "hidden") else tuple
        if not isinstance(value, expected):
            wanted = f"{expected.__name__} of {kind.__name__}"
            raise ContractError(f"{who}: class attribute `{attribute}` is {value!r}, expected a {wanted}")
        for item in value:
            if not isinstance(item, kind):
                raise ContractError(f"{who}: `{attribute}` holds {type(item).__name__}, expected {kind.__name__}")


def _validate_property(claim: Claim, who: str) -> None:
    import inspect

    try:
        inspect.signature(claim.property.function).bind("view")
    except TypeError as error:
        what = f"claim '{claim.name}': its property does not take what it is given ({error})"
        raise ContractError(f"{who}: {what}; expected a function of one argument, the {claim.property.scope}") from None
    except ValueError:
        pass  # of a function written in C nobody knows


def _validate_regime(text: str, where: str) -> None:
    try:
        Regime.parse(text)
    except UsageError as error:
        raise ContractError(f"{where}: {error}") from None


def _validate_signatures(algorithm: type[Algorithm], who: str) -> None:
    import inspect

    if inspect.isabstract(algorithm):
        raise ContractError(f"{who}: does not implement {', '.join(sorted(algorithm.__abstractmethods__))}; write it")
    for method, form in (("run", "run(self, env)"), ("published_width", "published_width(cls, public, of)")):
        try:
            inspect.signature(getattr(algorithm, method)).bind("first", "second")  # the class is bound already
        except TypeError as error:
            raise ContractError(f"{who}: wrong signature of `{method}` ({error}); expected {form}") from None
    if not inspect.isgeneratorfunction(algorithm.run):
        raise ContractError(f"{who}: `run` is not a generator; yield a Plan each time the algorithm plans")
