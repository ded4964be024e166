"""Differences of a failing claim: where, and by what; statements about all comparisons that fail, in words that can be compared.

A statement is a short text, ``only at h = H`` or ``0.500 times the formula``. What several batches, trials or instances have in
common are the statements that hold in all of them, so that differences are merged by intersection and never grow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

TRIED = (
    "reports say where, and how the two sides differ in all trials: tried are a factor, a constant, a cut, the step "
    "before or after, the plan before, single precision, rounding to decimals, and what the property itself suspects"
)
"""Statement on an identity before it fails."""

EVERYWHERE = "everywhere"
"""Statement that in the trials that fail all comparisons that could fail did."""


@dataclass(frozen=True)
class Comparison:
    """The two sides of one comparison.

    Parameters
    ----------
    place : mapping
        Labels of the axes, e.g. ``{"plan": 17, "h": 2, "s": 3, "a": 1}``.
    left, right : float
        What the implementation has, with its sign, and the formula or the bound.
    quantities : mapping of str to float
        Quantities that stand in the formula there, by name, as far as the property names them; of the worst comparison only.
    """

    place: Mapping[str, int] = field(default_factory=dict)
    left: float = float("nan")
    right: float = float("nan")
    quantities: Mapping[str, float] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Difference:
    """Statements that are true of every comparison that fails.

    Parameters
    ----------
    where : mapping of str to tuple of str
        For an axis, or a part of the places that has a name, statements about it, the most telling first; none where there is no
        pattern.
    how : tuple of str
        Explanations that hold at all comparisons that fail, the simplest first; empty if none does.
    tendency : str
        ``below`` or ``above`` if one side is so at all of them; empty if neither.
    looked : bool
        Whether both sides are known, so that explanations were tried.
    first, worst : Comparison
        The first failure of the first trial that has one, and the largest of all.
    own : bool
        Whether it fails for what the algorithm reports of the lines before, too: mistakes in these do not explain it.
    raised : str
        What trying to explain raised; nothing else is known then.
    """

    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    how: tuple[str, ...] = ()
    tendency: str = ""
    looked: bool = False
    first: Comparison = field(default_factory=Comparison)
    worst: Comparison = field(default_factory=Comparison)
    raised: str = ""
    own: bool = False

    def merge(self, other: Difference, *, worst: Comparison | None = None) -> Difference:
        """Statements common to both; the first failure is that of `self`, and so is the worst one unless it is given."""
        return replace(
            self,
            where={part: found for part, said in self.where.items() if (found := common(said, other.where.get(part, ())))},
            how=common(self.how, other.how),
            tendency=self.tendency if self.tendency == other.tendency else "",
            looked=self.looked and other.looked,
            worst=worst or self.worst,
            raised=self.raised or other.raised,
            own=self.own or other.own,
        )


def merged(ours: Difference | None, theirs: Difference | None, worst: Difference | None = None) -> Difference | None:
    """Statements common to two differences, where there are two, with the worst comparison of a third if that is given."""
    if ours is None or theirs is None:
        return ours or theirs
    return ours.merge(theirs, worst=worst.worst if worst else None)


def common(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """The statements in both, in our order."""
    return tuple(item for item in ours if item in theirs)
