"""Bugs of an algorithm with which it would have made the decisions of an agent that refute it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np

from verifier.base.arrays import BoolArray
from verifier.model.algorithm import Algorithm
from verifier.model.decisions import Decisions
from verifier.model.mutant import Mutant

FEW = 8
"""Decisions that refute an algorithm below which nothing is said of what would have made them."""
LONGEST = 20_000
"""Decisions of a run above which nothing is said of that either: it takes as many runs as there are bugs."""
WIDTHS = {"none of": 0.0, "a quarter of": 0.25, "half": 0.5, "1/√2 times": 0.5**0.5, "√2 times": 2**0.5, "twice": 2.0}
"""Multiples of the width that are looked for behind decisions."""
FARTHEST, FIRST, NEXT = 16.0, 17, 6
"""Largest of the multiples that are tried where none of these made them; so many at first, then so many beside the best ones."""
ROUNDS = 8
"""Number of rounds of that search where the paper leaves the constant open."""
FEWER = 4
"""Number of rounds where the constant is known, and another one would only be told."""

Following = Callable[[type[Algorithm], float], Iterator[Decisions]]
"""Decisions of an algorithm, with a multiple of its width, that has the history of the agent."""
Score = tuple[int, int]
"""Number of the decisions that refute the algorithm of which another one has an opinion, and of all that are its own."""


@dataclass(frozen=True)
class _Way:
    """Candidate for the decisions: the algorithm with a bug, or with another width."""

    algorithm: type[Algorithm]
    times: float = 1.0


def ways_to_decide(
    following: Following, algorithm: type[Algorithm], bugs: Sequence[Mutant], decided: Sequence[Decisions], refuted: BoolArray
) -> Mapping[str, Callable[[], BoolArray]]:
    """Explanations of decisions that refute an algorithm: by sentence, whether it would have made all of them that way.

    Nothing is computed before one is asked for. Where several ways make all decisions, those are told that have an opinion in
    most of those that refute the algorithm; of these, those that play the same most often where they are indifferent. Of an agent
    that never changes what it does in a state nothing is told: what makes an algorithm do that, too, need not be the reason.

    Parameters
    ----------
    following : callable
    algorithm : type
    bugs : sequence of Mutant
        Bugs planted in it.
    decided : sequence of Decisions
        Those of the algorithm.
    refuted : bool array
        Mask of the decisions that refute it.
    """
    whose = f"all decisions are those of {algorithm.name}"
    realistic = [bug for bug in bugs if not (bug.garbage or bug.equivalent)]
    ways = {f"{whose} with this bug: {bug.description}": _Way(bug.algorithm) for bug in realistic}
    ways |= {f"{whose} with {said} its width": _Way(algorithm, times) for said, times in WIDTHS.items()}

    @cache
    def looked() -> bool:
        return int(refuted.sum()) >= FEW and refuted.size <= LONGEST and _changes(decided)

    @cache
    def best() -> frozenset[_Way]:
        if not looked():
            return frozenset()
        scores = {way: Followed(following(way.algorithm, way.times)).score(refuted) for way in ways.values()}
        most = max((score for score in scores.values() if score), default=None)
        return frozenset(way for way, score in scores.items() if score and score == most)

    @cache
    def multiple() -> float | None:
        found = None if best() or not looked() else with_a_multiple(partial(following, algorithm), FEWER)
        return found[0] if found and found[1].score(refuted) else None

    def decides(way: _Way) -> BoolArray:
        return np.full(refuted.shape, way in best())

    def is_width(larger: bool) -> BoolArray:
        times = multiple()
        return np.full(refuted.shape, times is not None and (times > 1) is larger)

    told = {said: partial(decides, way) for said, way in ways.items()}
    return told | {f"{whose} with {said} width": partial(is_width, said == "more") for said in ("less", "more")}


class Followed:
    """Decisions of an algorithm up to the first that refutes it.

    Attributes
    ----------
    seen : list of Decisions
    stands : bool
        Whether none does.
    telling : int
        Number of those that could have.
    """

    def __init__(self, followed: Iterator[Decisions]) -> None:
        self.seen: list[Decisions] = []
        self.stands = True
        try:
            with np.errstate(all="ignore"):  # a planted bug may divide by 0
                for found in followed:
                    self.seen.append(found)
                    if found.refuted():
                        self.stands = False
                        break
        except Exception:  # and do anything else
            self.stands = False
        self.telling = sum(found.telling for found in self.seen)

    def score(self, refuted: BoolArray) -> Score | None:
        """Measure of how well it explains decisions that refute another one.

        None if it is refuted, or if it is indifferent in one of these and would have done something else.
        """
        if not self.stands:
            return None
        opinion = np.concatenate([(found.spread > found.rounding).ravel() for found in self.seen])
        alike = np.concatenate([(found.own == found.actions).ravel() for found in self.seen])
        there = refuted.ravel()
        return (int(opinion[there].sum()), int(alike.sum())) if (opinion | alike)[there].all() else None


def _changes(decided: Sequence[Decisions]) -> bool:
    """Whether the agent does different things in one state at one step."""
    choices = set[tuple[int, int, int]]()
    for found in decided:
        steps = np.broadcast_to(np.arange(found.states.shape[1]), found.states.shape)
        choices.update(zip(*(each.ravel().tolist() for each in (steps, found.states, found.actions)), strict=True))
    return len(choices) > len({(step, state) for step, state, _ in choices})


def with_a_multiple(following: Callable[[float], Iterator[Decisions]], rounds: int) -> tuple[float, Followed] | None:
    """Multiple of its width with which an algorithm makes all decisions of an agent, and these; None if the search finds none.

    The search climbs: the nearer a multiple is to that of the agent, the later it is refuted, and the more decisions could have.
    With a wide bonus hardly any could, so that one which no decision refutes there is taken only if nothing better is found.
    """
    tried: dict[float, Followed] = {}
    fresh = np.geomspace(1 / FARTHEST, FARTHEST, FIRST).tolist()
    for _ in range(rounds):
        tried |= {times: Followed(following(times)) for times in fresh if times not in tried}
        known, most = sorted(tried), max(each.telling for each in tried.values())
        # A range of multiples may be refuted by one decision; one that is refuted later, or never, is beyond its ends.
        level = [at for at, times in enumerate(known) if tried[times].telling == most]
        if any(tried[known[at]].stands for at in level):
            break
        ends = (max(level[0] - 1, 0), level[0]), (level[-1], min(level[-1] + 1, len(known) - 1))
        fresh = [times for low, high in ends for times in np.geomspace(known[low], known[high], NEXT).tolist()]
    standing = [times for times, each in tried.items() if each.stands]
    best = max(standing, key=lambda times: tried[times].telling, default=None)
    return None if best is None else (best, tried[best])
