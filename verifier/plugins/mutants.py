"""The mutants of an algorithm, asked for with the care that code of plugins needs."""

from __future__ import annotations

from verifier.base.errors import ContractError, UsageError, nearest
from verifier.model.algorithm import Algorithm
from verifier.model.mutant import SEPARATOR, Mutant
from verifier.plugins.guard import guarded


def declared(algorithm: type[Algorithm]) -> tuple[Mutant, ...]:
    """The mutants of an algorithm.

    Raises
    ------
    GuardedError
        If the plugin's code for that fails, returns something else, or uses a name twice.
    """
    with guarded(f"mutants of {algorithm.name}"):
        mutants = tuple(algorithm.mutants())
        for mutant in mutants:
            if not isinstance(mutant, Mutant):
                raise ContractError(f"mutants() returned a {type(mutant).__name__}, expected verifier.Mutant")
        names = [mutant.name for mutant in mutants]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ContractError(f"mutants() has {', '.join(sorted(twice))} twice; rename one of them")
    return mutants


def mutated(original: type[Algorithm], name: str) -> type[Algorithm]:
    """The class of a mutant under its full name ``ALGORITHM~MUTANT``.

    Raises
    ------
    UsageError
        If the algorithm has no such mutant.
    GuardedError
        As `declared`.
    """
    mutants = {mutant.name: mutant for mutant in declared(original)}
    if name not in mutants:
        raise UsageError(f"{original.name} has no mutant {name!r}. {nearest(name, mutants)}")
    full = f"{original.name}{SEPARATOR}{name}"
    return type(mutants[name].algorithm.__name__, (mutants[name].algorithm,), {"name": full, "groups": ()})
