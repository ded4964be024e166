"""Validation: what a plugin declares is checked when it is loaded, one algorithm at a time."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any, get_args

from verifier.base.errors import ContractError, UsageError, nearest
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim, Kind
from verifier.model.clause import Clause
from verifier.model.erratum import Erratum
from verifier.model.figure import Figure
from verifier.model.guarantees import Guarantees
from verifier.model.mutant import Mutant, Shown
from verifier.model.oracle import Oracle
from verifier.model.precision import UNITS
from verifier.model.regime import Regime, Source
from verifier.model.scaling import ScalingClaim

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

SIZE = re.compile(r"[A-Za-z]\w*(\*[A-Za-z]\w*)*(\+\d+)?")
"""Form of the sizes of extra fields: one of the problem, or a product of some, and perhaps a number more."""

_OF_ALGORITHM: Mapping[str, tuple[type[Any], type]] = {
    "libraries": (tuple, str),
    "groups": (tuple, str),
    "regimes": (tuple, str),
    "width_names": (tuple, str),
    "instances": (tuple, str),
    "handles": (frozenset, str),
    "yields": (frozenset, str),
    "hidden": (frozenset, str),
}

_OF_GUARANTEES: Mapping[str, tuple[type[Any], type]] = {
    "claims": (tuple, Claim),
    "clauses": (tuple, Clause),
    "scaling": (tuple, ScalingClaim),
    "mutants": (tuple, Mutant),
    "shown": (tuple, Shown),
    "errata": (tuple, Erratum),
    "figures": (tuple, Figure),
}


def validate(guarantees: Guarantees) -> None:
    """Check an algorithm and what is declared of it, but for what claims follow from, which concerns single claims.

    Raises
    ------
    ContractError
        At the first thing wrong, naming the class of the algorithm, what was found and what was expected.
    """
    if isinstance(guarantees, type):
        name = guarantees.__name__
        raise ContractError(
            f"verifier_algorithms() returned the class {name} itself; wrap it with what it promises: "
            f"verifier.Guarantees({name}, claims=...)"
        )
    if not isinstance(guarantees, Guarantees):
        raise ContractError(f"verifier_algorithms() returned {guarantees!r}, expected verifier.Guarantees(ALGORITHM, claims=...)")
    algorithm = guarantees.algorithm
    who = f"{getattr(algorithm, '__module__', '?')}.{getattr(algorithm, '__qualname__', repr(algorithm))}"
    _validate_algorithm(algorithm, who)
    _validate_collections(guarantees, f"{who}: Guarantees", _OF_GUARANTEES)
    _validate_claims(guarantees, who)
    _validate_clauses(guarantees, who)
    _validate_mutants(guarantees, who)
    _validate_shown(guarantees, who)
    _validate_oracles(guarantees, who)
    _validate_theorem(guarantees, who)
    _validate_names("erratum", (erratum.name for erratum in guarantees.errata), who)
    _validate_names("figure", (figure.key for figure in guarantees.figures), who)


def _validate_algorithm(algorithm: type[Algorithm], who: str) -> None:
    if not (isinstance(algorithm, type) and issubclass(algorithm, Algorithm)):
        raise ContractError(f"{who} is not a subclass of verifier.Algorithm; declare Guarantees of such a class")
    for attribute in ("name", "title", "paper", "setting"):
        if not isinstance(getattr(algorithm, attribute, None), str):
            raise ContractError(f"{who}: class attribute `{attribute}` is missing or not a string; set it")
    if not _NAME.fullmatch(algorithm.name) or algorithm.name == "all":
        raise ContractError(
            f"{who}: name {algorithm.name!r} is not of the form 'lower-case-words-with-dashes' other than 'all'; rename it, "
            "names are typed by hand"
        )
    if algorithm.precision not in UNITS:
        expected = " or ".join(map(repr, UNITS))
        raise ContractError(f"{who}: class attribute `precision` is {algorithm.precision!r}, expected {expected}")
    _validate_collections(algorithm, f"{who}: class", _OF_ALGORITHM)
    _validate_extra(algorithm, who)
    _validate_signatures(algorithm, who)
    for regime in algorithm.regimes:
        _validate_regime(regime, f"{who}: `regimes`")


def _validate_extra(algorithm: type[Algorithm], who: str) -> None:
    extra: Any = algorithm.extra
    form = '{"name": ("H", "S", "A"), ...}, each entry a number or a size such as "S*A" or "H+1"'
    if not isinstance(extra, Mapping):
        raise ContractError(f"{who}: class attribute `extra` is {extra!r}, expected {form}")
    for name, shape in extra.items():
        if not isinstance(name, str) or not name.isidentifier() or not isinstance(shape, tuple):
            raise ContractError(f"{who}: class attribute `extra` has {name!r}: {shape!r}, expected {form}")
        for size in shape:
            if not (isinstance(size, int) and size > 0 if not isinstance(size, str) else SIZE.fullmatch(size)):
                raise ContractError(f"{who}: class attribute `extra` has the size {size!r} in {name!r}, expected {form}")
    if both := sorted(extra.keys() & algorithm.yields):
        raise ContractError(
            f"{who}: {', '.join(both)} is in `yields` and in `extra`; a field of the setting's plan is none of its own"
        )


def _validate_signatures(algorithm: type[Algorithm], who: str) -> None:
    if inspect.isabstract(algorithm):
        raise ContractError(f"{who}: does not implement {', '.join(sorted(algorithm.__abstractmethods__))}; write it")
    for method, form in (("run", "run(self, env)"), ("published_width", "published_width(cls, public, of)")):
        try:
            inspect.signature(getattr(algorithm, method)).bind("first", "second")  # the class is bound already
        except TypeError as error:
            raise ContractError(f"{who}: wrong signature of `{method}` ({error}); expected {form}") from None
    if not inspect.isgeneratorfunction(algorithm.run):
        raise ContractError(f"{who}: `run` is not a generator; yield a Plan each time the algorithm plans")


def _validate_collections(owner: object, whose: str, expected: Mapping[str, tuple[type[Any], type]]) -> None:
    """Collections hold what they should; a lone string, easily written instead of a tuple of one, is none."""
    for attribute, (collection, kind) in expected.items():
        value: Any = getattr(owner, attribute)
        if not isinstance(value, collection):
            wanted = f"{collection.__name__} of {kind.__name__}"
            raise ContractError(f"{whose} attribute `{attribute}` is {value!r}, expected a {wanted}")
        for item in value:
            if not isinstance(item, kind):
                raise ContractError(f"{whose} attribute `{attribute}` holds {type(item).__name__}, expected {kind.__name__}")


def _validate_names(what: str, names: Iterable[str], who: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ContractError(f"{who}: {what} '{name}' is declared twice; rename one of them")
        seen.add(name)


def _validate_claims(guarantees: Guarantees, who: str) -> None:
    yields = guarantees.algorithm.yields | guarantees.algorithm.extra.keys()
    assumptions = {claim.name for claim in guarantees.claims if claim.kind is Kind.ASSUMPTION}
    _validate_names("claim id", (f"{guarantees.name}/{claim.name}" for claim in guarantees.every_claim), who)
    for claim in guarantees.every_claim:
        if claim.wrong:
            continue  # an error already, and of no other claim
        for regime in {*claim.regimes} - {"*", "scaled"}:
            _validate_regime(regime, f"{who}: claim '{claim.name}'")
        _validate_property(claim, who)
        missing = claim.property.needs - yields
        if missing:
            raise ContractError(
                f"{who}: claim '{claim.name}' needs {', '.join(sorted(missing))} in every plan, which the class of the algorithm "
                f"does not promise (its `yields` and `extra`: {', '.join(sorted(yields)) or 'nothing'}); add that there and give "
                "it in the plans that `run` yields, or drop the claim if the algorithm computes nothing of the kind"
            )
        for name in claim.assumes:
            if name not in assumptions:
                raise ContractError(
                    f"{who}: claim '{claim.name}' assumes '{name}', which is no assumption claim of this algorithm. "
                    + nearest(name, assumptions)
                )


def _validate_mutants(guarantees: Guarantees, who: str) -> None:
    _validate_names("mutant", (mutant.name for mutant in guarantees.mutants), who)
    claims = {claim.name for claim in guarantees.claims}
    for mutant in guarantees.mutants:
        which = f"{who}: mutant {mutant.name!r}"
        if not isinstance(mutant.name, str) or not _NAME.fullmatch(mutant.name):
            raise ContractError(f"{which} has a name that is not of the form 'lower-case-words-with-dashes'; rename it")
        if not (isinstance(mutant.algorithm, type) and issubclass(mutant.algorithm, guarantees.algorithm)):
            raise ContractError(
                f"{which} is {mutant.algorithm!r}, which is no subclass of {guarantees.algorithm.__qualname__}; a planted bug is "
                "the algorithm with something changed"
            )
        _validate_collections(mutant, which, {"caught_by": (tuple, str), "differs_in": (tuple, str)})
        for source in mutant.differs_in:
            if source not in get_args(Source):
                raise ContractError(
                    f"{which} differs in '{source}', which is no source of a regime: {', '.join(get_args(Source))}"
                )
        for name in mutant.caught_by:
            if name not in claims:
                raise ContractError(f"{which} should be caught by '{name}', which is no claim. {nearest(name, claims)}")


def _validate_shown(guarantees: Guarantees, who: str) -> None:
    claims = {claim.name for claim in guarantees.claims}
    for shown in guarantees.shown:
        which = f"{who}: `shown` of {shown.agent!r}"
        _validate_regime(shown.regime, which)
        if not isinstance(shown.trials, int) or shown.trials < 1:
            raise ContractError(f"{which} has {shown.trials!r} trials, expected a whole number from 1 on")
        for name in shown.claims:
            if name not in claims:
                raise ContractError(f"{which} names '{name}', which is no claim. {nearest(name, claims)}")


def _validate_oracles(guarantees: Guarantees, who: str) -> None:
    asked = guarantees.algorithm.width_names
    for of, oracle in guarantees.oracles.items():
        if of not in asked:
            raise ContractError(f"{who}: an oracle is supplied for '{of}', which is no width it asks for. {nearest(of, asked)}")
        if not (isinstance(oracle, type) and issubclass(oracle, Oracle)) or inspect.isabstract(oracle):
            raise ContractError(f"{who}: the oracle of '{of}' is {oracle!r}, expected a class that derives from verifier.Oracle")


def _validate_regime(text: str, where: str) -> None:
    try:
        Regime.parse(text)
    except UsageError as error:
        raise ContractError(f"{where}: {error}") from None


def _validate_property(claim: Claim, who: str) -> None:
    function: Any = claim.property.function
    if type(function) is FunctionType and function.__code__.co_argcount == 1 and not function.__code__.co_kwonlyargcount:
        return  # nearly all are; a signature takes ten times as long
    try:
        inspect.signature(function).bind("view")
    except TypeError as error:
        what = f"claim '{claim.name}': its property does not take what it is given ({error})"
        raise ContractError(f"{who}: {what}; expected a function of one argument, the {claim.property.scope}") from None
    except ValueError:
        pass  # the signature of a function written in C is not known


def _validate_clauses(guarantees: Guarantees, who: str) -> None:
    keys = {clause.key for clause in guarantees.clauses}
    for claim in guarantees.every_claim:
        if claim.clause and claim.clause not in keys:
            raise ContractError(f"{who}: claim '{claim.name}' covers clause '{claim.clause}'. {nearest(claim.clause, keys)}")
    covered = {claim.clause for claim in guarantees.claims}
    for clause in guarantees.clauses:
        if clause.key not in covered and not clause.unchecked:
            raise ContractError(f"{who}: clause {clause.key} has neither a claim nor a reason in `unchecked`; add one")


def _validate_theorem(guarantees: Guarantees, who: str) -> None:
    """The name of a theorem is a text; one that names nothing is told in reports, where its proof would be."""
    if not isinstance(guarantees.theorem, str):
        raise ContractError(
            f"{who}: Guarantees attribute `theorem` is {guarantees.theorem!r}, expected the name of a claim or of a clause"
        )
