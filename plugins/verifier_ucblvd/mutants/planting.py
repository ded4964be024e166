"""How bugs are planted: a bug is a class that comes before the algorithm among the bases of its mutant."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from verifier import Algorithm
from verifier.arrays import Array
from verifier.mutant import Mutant
from verifier.width import Width

T = TypeVar("T")


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


def asked(width: Width, about: Callable[[Array], Array]) -> Width:
    """A width that passes `about(target)` to the harness for every target it is given."""
    return Width(
        lambda of, h, target: width(h, about(target), of),
        lambda of, h, target: width.error(h, about(target), of),
    )
