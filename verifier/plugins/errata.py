"""The errata of an algorithm, asked for with the care that code of plugins needs."""

from __future__ import annotations

from verifier.base.errors import ContractError
from verifier.model.algorithm import Algorithm
from verifier.model.erratum import Erratum
from verifier.plugins.guard import guarded


def errata_of(algorithm: type[Algorithm]) -> tuple[Erratum, ...]:
    """The errata an algorithm declares.

    Raises
    ------
    GuardedError
        If the plugin's code for that fails, or returns something else.
    """
    with guarded(f"errata of {algorithm.name}"):
        errata = tuple(algorithm.errata())
        for erratum in errata:
            if not isinstance(erratum, Erratum):
                raise ContractError(f"errata() returned a {type(erratum).__name__}, expected verifier.model.erratum.Erratum")
    return errata
