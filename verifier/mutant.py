"""Mutants: an algorithm with one realistic bug planted in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from verifier.algorithm import Algorithm

T = TypeVar("T")

SEPARATOR = "~"
"""Between the name of an algorithm and that of its mutant: ``ucblvd~half-bonus``."""


@dataclass(frozen=True)
class Mutant:
    """One planted bug.

    Parameters
    ----------
    name : str
        In lower case, unique among the mutants of the algorithm.
    description : str
        The bug in one line.
    algorithm : type
        A small subclass of the algorithm.
    caught_by : tuple of str
        Names of the claims expected to catch it.
    equivalent : str
        Why no check can tell it from the original, when that is so; such a mutant may survive.
    """

    name: str
    description: str
    algorithm: type[Algorithm]
    caught_by: tuple[str, ...] = ()
    equivalent: str = ""


def planted(bug: type[Any], original: type[T], **attributes: Any) -> type[T]:
    """A class with a bug in it.

    Parameters
    ----------
    bug : type
        Overrides some methods of a class that `original` derives from.
    original : type
        An algorithm, or the data it keeps.
    **attributes
        Class attributes the bug asks for.
    """
    return type(bug.__name__, (bug, original), attributes)


def plant(
    original: type[Algorithm],
    name: str,
    description: str,
    bug: type[Any],
    caught_by: tuple[str, ...],
    equivalent: str = "",
    **attributes: Any,
) -> Mutant:
    """The mutant of an algorithm that has a bug; the parameters are those of `Mutant` and `planted`."""
    return Mutant(name, description, planted(bug, original, **attributes), caught_by, equivalent)


def declared(algorithm: type[Algorithm]) -> tuple[Mutant, ...]:
    """The mutants of an algorithm.

    Raises
    ------
    GuardedError
        If the plugin's code for that fails, returns something else, or uses a name twice.
    """
    from verifier.errors import ContractError
    from verifier.guard import guarded

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
    from verifier.errors import UsageError, nearest

    mutants = {mutant.name: mutant for mutant in declared(original)}
    if name not in mutants:
        raise UsageError(f"{original.name} has no mutant {name!r}. {nearest(name, mutants)}")
    full = f"{original.name}{SEPARATOR}{name}"
    return type(mutants[name].algorithm.__name__, (mutants[name].algorithm,), {"name": full, "groups": ()})
