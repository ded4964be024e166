"""Mutants: an algorithm with one realistic bug planted in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from verifier.base.errors import ContractError, nearest
from verifier.model.algorithm import Algorithm

T = TypeVar("T")

SEPARATOR = "~"
"""Between the name of an algorithm and that of its mutant: ``ucblvd~half-bonus``."""


@dataclass(frozen=True)
class Mutant:
    """Planted bug.

    Parameters
    ----------
    name : str
        In lower case, unique among the mutants of the algorithm.
    description : str
        The bug in one line.
    algorithm : type
        A small subclass of the algorithm.
    caught_by : tuple of str
        Names of the claims expected to catch it, that of the line it breaks first.
    equivalent : str
        Why no check can tell it from the original, when that is so; such a mutant may survive.
    garbage : bool
        Whether it is no realistic bug but an agent that learns nothing, which the setting plants in every algorithm
        (`Setting.garbage`).
    differs : str
        What the sentence about the difference has to say of the claim of that line, ``"0.500 times"``; empty where none can.
    differs_in : tuple of str
        Sources of the regimes in which it does anything else than the original (`Regime.source`); empty for all. One that gets a
        published formula wrong does not where widths come from the truth.
    shown_on : tuple of str
        Instances on which several trials show what it breaks in a part of all runs, or in the mean, or which alone show it;
        `verifier power --by-claim` begins there, and a profile without them says nothing of the bug.

    Examples
    --------
    >>> from verifier import Mutant
    >>> from verifier_ucblvd.ucblvd.algorithm import UCBlvd
    >>> class Silent(UCBlvd):
    ...     bonus_factor = 0.0
    >>> Mutant("silent", "the bonus is forgotten", Silent, caught_by=("optimism",)).line
    'optimism'
    """

    name: str
    description: str
    algorithm: type[Algorithm]
    caught_by: tuple[str, ...] = ()
    equivalent: str = ""
    garbage: bool = False
    differs: str = ""
    differs_in: tuple[str, ...] = ()
    shown_on: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The claim of the line it breaks; empty if none is declared, as of garbage agents, which break them all."""
        return self.caught_by[0] if self.caught_by and not self.garbage else ""


@dataclass(frozen=True)
class Shown:
    """A place where an agent violates claims that no other one does, or only in many more trials.

    Parameters
    ----------
    agent : str
        Name of a planted bug of the algorithm, or of a garbage agent of its setting.
    instance : str
    claims : tuple of str
    regime : str
    trials : int
        So many show it; `verifier power --by-claim` makes them first, whatever the profile plans there.
    """

    agent: str
    instance: str
    claims: tuple[str, ...]
    regime: str = "published"
    trials: int = 1


def telling(mutants: Iterable[Mutant], differs: Mapping[str, str]) -> tuple[Mutant, ...]:
    """Mutants with what the sentences about them have to say, by their names.

    Raises
    ------
    ContractError
        If there is none of some name.
    """
    mutants = tuple(mutants)
    known = {mutant.name for mutant in mutants}
    for name in differs.keys() - known:
        raise ContractError(f"something is said of mutant {name!r}, which is none of these. {nearest(name, known)}")
    return tuple(replace(mutant, differs=differs[mutant.name]) if mutant.name in differs else mutant for mutant in mutants)


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
    *,
    differs: str = "",
    differs_in: tuple[str, ...] = (),
    shown_on: tuple[str, ...] = (),
    **attributes: Any,
) -> Mutant:
    """The mutant of an algorithm that has a bug; the parameters are those of `Mutant` and `planted`."""
    return Mutant(
        name, description, planted(bug, original, **attributes), caught_by, equivalent, differs=differs, differs_in=differs_in,
        shown_on=shown_on,
    )  # fmt: skip
