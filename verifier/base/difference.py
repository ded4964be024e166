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

SOLVED = (
    "reports say where, and which change of the formula explains all that differs: of every quantity it is asked which value "
    "would do, and of these values what they are: a factor, an offset, a power, another quantity, or the same at another step"
)
"""Statement on a formula before it fails."""

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
class Told:
    """Explanation of a formula that fails, with how far it goes.

    Parameters
    ----------
    text : str
        ``N + 1 for N``.
    rank : float
        Of two that explain as much the one of the lower rank is told.
    fits, of : int
        How many of the comparisons that fail it explains, and of how many it was tried on.
    """

    text: str
    rank: float
    fits: int
    of: int


ENOUGH = 0.9
"""Share of the comparisons that fail which an explanation has to explain. It need not be all: where an axis has one label, or an
instance has two sizes that are equal, several are true, and the one that is told elsewhere may not be among them."""

_MISSED = 20.0
"""Rank that an explanation loses by the share of comparisons that it does not explain: a twentieth is as much as to be fitted
where another one is exact."""

_INCOMPLETE = 1.0
"""Rank that it loses if it does not explain all: where half the horizon is the number of actions, one may stand for the other."""

FEW = 8
"""Comparisons below which a sentence says how few it rests on."""


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
    told : tuple of Told
        Of a formula: what explains it, solved for. They are counted over batches, trials and instances; no place is a veto.
    of : int
        How many comparisons that fail were looked at for this.
    lone : bool
        Whether in every trial a single comparison failed, of several: of one number many things are true, and of its place
        nothing is known, so that no pattern is told, and no explanation before two trials have the same.
    """

    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    how: tuple[str, ...] = ()
    tendency: str = ""
    looked: bool = False
    first: Comparison = field(default_factory=Comparison)
    worst: Comparison = field(default_factory=Comparison)
    raised: str = ""
    own: bool = False
    told: tuple[Told, ...] = ()
    of: int = 0
    lone: bool = False

    @property
    def best(self) -> Told | None:
        """The explanation to tell: of those that explain enough the simplest one."""
        enough = [told for told in self.told if told.fits >= ENOUGH * self.of and not (self.lone and self.of == 1)]
        return min(enough, key=lambda told: (told.rank + self._lost(told), len(told.text)), default=None)

    def _lost(self, told: Told) -> float:
        """Rank that an explanation loses by the comparisons that it does not explain."""
        return 0.0 if told.fits == self.of else _INCOMPLETE + _MISSED * (1 - told.fits / self.of)

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
            told=counted(self.told, other.told),
            of=self.of + other.of,
            lone=self.lone and other.lone,
        )


def merged(ours: Difference | None, theirs: Difference | None, worst: Difference | None = None) -> Difference | None:
    """Statements common to two differences, where there are two, with the worst comparison of a third if that is given."""
    if ours is None or theirs is None:
        return ours or theirs
    return ours.merge(theirs, worst=worst.worst if worst else None)


def counted(ours: tuple[Told, ...], theirs: tuple[Told, ...]) -> tuple[Told, ...]:
    """Explanations of either, with the comparisons of both; those that explain next to nothing of many are dropped."""
    found = {told.text: told for told in ours}
    for told in theirs:
        own = found.get(told.text)
        found[told.text] = told if own is None else _together(own, told)
    return tuple(sorted(found.values(), key=lambda told: (-told.fits, told.rank))[:_MOST_TOLD])


def _together(ours: Told, theirs: Told) -> Told:
    """An explanation with the comparisons of two, and their mean rank: where they are few, little speaks for it or against it."""
    fits = ours.fits + theirs.fits
    rank = (ours.rank * ours.fits + theirs.rank * theirs.fits) / fits
    return replace(ours, rank=rank, fits=fits, of=ours.of + theirs.of)


_MOST_TOLD = 24
"""Explanations that are kept; on the smallest instances dozens are true."""


def common(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """The statements in both, in our order."""
    return tuple(item for item in ours if item in theirs)
