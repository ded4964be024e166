"""Statements about the labels at which a claim fails, from those that fail and those that were compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from verifier.trials.differences.comparisons import STEPS, TIMES

_FEW = 3
_PERIODS = 3
_MOST = 100_000


@dataclass
class Extent:
    """The labels of one axis at which comparisons failed, and those at which they could have.

    `dropped` says that there are too many to keep.
    """

    failing: set[int] = field(default_factory=set)
    compared: set[int] = field(default_factory=set)

    def add(self, failing: Collection[int], compared: Collection[int]) -> None:
        """Take in a batch."""
        if len(self.compared) < _MOST:
            self.failing.update(failing)
            self.compared.update(compared)

    def statements(self, axis: str, sizes: Mapping[str, float]) -> Iterator[str]:
        """Statements about the labels that fail; none where all fail, or too many labels were seen."""
        every, failing = sorted(self.compared), sorted(self.failing)
        if not failing or failing == every or len(self.compared) >= _MOST:
            return
        yield from (_in_time if axis in TIMES else _among)(axis, failing, every, sizes)


def _in_time(axis: str, failing: list[int], every: list[int], sizes: Mapping[str, float]) -> Iterator[str]:
    if failing == every[-len(failing) :]:
        yield f"from {axis} {failing[0]} on"
        if len(failing) == len(every) - 1:
            yield f"at all but the first {axis}"
        yield f"from some {axis} on"
    elif failing == every[: len(failing)]:
        yield f"only at {axis} {failing[0]}" if len(failing) == 1 else f"up to {axis} {failing[-1]}"
        yield f"up to some {axis}"
    elif len(failing) == 1:
        yield f"only at {axis} {failing[0]}"
    elif period := _period(failing, every):
        yield f"at one {axis} in {period}"
    if failing[0] != every[0]:
        yield f"not at the first {axis}"


def _period(failing: list[int], every: list[int]) -> int:
    """The n of which every n-th label fails, to the end; 0 if there is none."""
    found = set(failing)
    at = [number for number, label in enumerate(every) if label in found]
    steps = {later - sooner for sooner, later in pairwise(at)}
    period = steps.pop() if len(steps) == 1 and len(at) >= _PERIODS else 0
    return period if period > 1 and at[0] < period and at[-1] + period >= len(every) else 0


def _among(axis: str, failing: list[int], every: list[int], sizes: Mapping[str, float]) -> Iterator[str]:
    kept = [label for label in every if label not in set(failing)]
    if len(failing) <= _FEW:
        yield from (f"only at {text}" for text in _named(axis, failing, sizes))
    elif len(kept) <= _FEW:
        yield from (f"at all {axis} but {text}" for text in _named(axis, kept, sizes))
    elif failing == every[-len(failing) :] or failing == every[: len(failing)]:
        yield f"only at {axis} from {failing[0]} to {failing[-1]}"


def _named(axis: str, labels: list[int], sizes: Mapping[str, float]) -> Iterator[str]:
    """The last steps by their symbols first, which other instances have too."""
    horizon = sizes.get("H")
    if axis in STEPS and len(labels) == 1 and horizon:
        yield from (f"{axis} = {text}" for text, step in (("H", horizon), ("H + 1", horizon + 1)) if labels[0] == step)
    yield f"{axis} = {', '.join(map(str, labels))}"
