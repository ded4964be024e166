"""Small instances that the search draws, shrinks, keeps and prints."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

InstanceT = TypeVar("InstanceT")


class Recipe(ABC, Generic[InstanceT]):
    """A small instance written down in a few numbers: what the search draws, shrinks, keeps and prints.

    Subclasses are frozen dataclasses of numbers, words and tuples of them, hence hashable. What `build` gives follows from these
    alone.

    Attributes
    ----------
    legend : str
        How to read the tables, e.g. ``"s, a counted from 0; h from 1"``; may be empty.
    """

    legend: ClassVar[str] = ""

    @classmethod
    @abstractmethod
    def strategy(cls, handles: frozenset[str] = frozenset(), sizes: Mapping[str, int] | None = None) -> SearchStrategy[Self]:
        """The hypothesis strategy to draw from, the simplest recipe first.

        It should draw nothing but booleans and integers below 100, see `verifier_settings.drawing`.

        Parameters
        ----------
        handles : frozenset of str
            What the algorithm handles beyond plain problems (`Algorithm.handles`).
        sizes : mapping of str to int
            Sizes that are fixed, among those of `size_limits`.

        Raises
        ------
        UsageError
            If no instance has all of these sizes.
        """

    @classmethod
    def size_limits(cls, handles: frozenset[str]) -> Mapping[str, int]:
        """Sizes that may be fixed, each with the largest it may be; none unless a subclass has some."""
        return {}

    @classmethod
    def runs(cls, handles: frozenset[str]) -> tuple[str, ...]:
        """Names of those of them that are lengths of runs; none unless a subclass has some."""
        return ()

    @property
    @abstractmethod
    def size(self) -> int:
        """Amount to check by hand; of two witnesses the search keeps the smaller one."""

    @abstractmethod
    def smaller(self) -> Iterator[Self]:
        """Simplifications of this recipe, the boldest first; no chain of them is infinite."""

    @abstractmethod
    def build(self) -> InstanceT:
        """The instance."""

    def to_json(self) -> dict[str, Any]:
        """Plain data: what `json` gives back unchanged."""
        return {item.name: _nested(getattr(self, item.name), list) for item in fields(self)}  # type: ignore[arg-type]  # a dataclass

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_json`."""
        return cls(**{name: _nested(value, tuple) for name, value in data.items()})

    @abstractmethod
    def tables(self) -> str:
        """The instance as small tables, to be checked by hand; lines of at most 96 characters."""

    @abstractmethod
    def transcript(self, run: Any) -> str:
        """Events of a run on this instance, from the setting's view on a whole run; lines as in `tables`."""


def _nested(value: Any, kind: type) -> Any:
    """Nested tuples as nested lists, or the other way round; anything else as it is."""
    return kind(_nested(item, kind) for item in value) if isinstance(value, (list, tuple)) else value
