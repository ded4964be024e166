"""Runs the beginning of a trial again with another future: same instance, same agent, same seeds, other draws from some point on.

What an agent does can depend on the future only if it has hold of something it should not have: numbers the environment has
drawn and not used yet, the next state where only the present one is known. So the calls it makes and the plans it yields have
to be the same, bit for bit, until the environment gives different answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.fork import Fork, arrays_of, fingerprint
from verifier.model.setting import Session

Widths = Mapping[tuple[str, int], tuple[float, Array]]
Opened = tuple[Session[Any], Generator[tuple[Any, Widths]]]
Change = Callable[[np.random.Generator], np.random.Generator]
Opening = Callable[[Change], Opened]

FORKS = 2
"""Forks of a trial."""

SPAN = 40
"""A future differs from one of the first so many draws on."""

CALLS = 2 * SPAN
"""So many answers of the environment are looked at, and those up to the next plan: SPAN draws take no more."""

LONGEST = 4 * CALLS
"""Where no plan comes, no more answers than this."""


class Parting(np.random.Generator):
    """A generator whose uniform numbers are those of one stream up to some draw, and those of another afterwards.

    Parameters
    ----------
    first, second : numpy.random.Generator
    after : int
        How many numbers of the first stream are left as they are.
    """

    def __init__(self, first: np.random.Generator, second: np.random.Generator, after: int) -> None:
        super().__init__(first.bit_generator)
        self._second, self._left = second, after

    def random(self, size: Any = None, *further: Any, **named: Any) -> Any:
        """As of any generator."""
        given = super().random(size, *further, **named)
        other = self._second.random(size, *further, **named)
        kept, self._left = self._left, max(self._left - np.size(given), 0)
        if size is None:
            return given if kept else other
        given.flat[kept:] = other.flat[kept:]
        return given


class _Ended(BaseException):
    """Ends a run whose beginning is all that is wanted; no `except Exception` of the agent stops it."""


class _Record:
    """What an agent did and was answered, in order.

    Attributes
    ----------
    events : list of (str, bytes)
        "call", "answer" or "plan", and a fingerprint of what it was.
    methods : dict of int to str
        The method of each answer, by its place among the events.
    plans : dict of int to mapping
        Arrays of the plans, by place.
    """

    def __init__(self) -> None:
        self.events: list[tuple[str, bytes]] = []
        self.methods: dict[int, str] = {}
        self.plans: dict[int, dict[str, Array]] = {}

    def call(self, method: str, *arguments: Any) -> None:
        """Note a call of the environment.

        Raises
        ------
        _Ended
            If there have been enough, and no plan came.
        """
        if len(self.methods) >= LONGEST:
            raise _Ended
        self._add("call", (method, *arguments))

    def answer(self, method: str, value: Any) -> None:
        """Note what it was answered."""
        self.methods[len(self.events)] = method
        self._add("answer", value)

    def plan(self, plan: Any) -> None:
        """Note a plan."""
        self.plans[len(self.events)] = arrays_of(plan)
        self._add("plan", plan)

    def _add(self, kind: str, value: Any) -> None:
        self.events.append((kind, fingerprint(value)))

    def steps(self, first: int, last: int) -> int:
        """Answers of `step` from one place to another, both included."""
        return sum(method == "step" for place, method in self.methods.items() if first <= place <= last)

    def next_plan(self, place: int) -> int | None:
        """The place of the first plan after another."""
        return min((found for found in self.plans if found > place), default=None)


def forks(opening: Opening, rng: np.random.Generator) -> list[Fork]:
    """Play the beginning of a trial, and the same with other futures.

    Parameters
    ----------
    opening : callable
        Opens a run, given what becomes of the generator that the environment draws from.
    rng : numpy.random.Generator
        Draws the futures, and where they begin.
    """
    usual = _played(opening, lambda drawn: drawn, lambda record: len(record.methods) >= CALLS)
    found = []
    for _ in range(FORKS):
        change = partial(Parting, second=np.random.default_rng(rng.integers(2**63)), after=int(rng.integers(SPAN)))
        other = _played(opening, change, lambda record: len(record.events) >= len(usual.events) or _parting(usual, record) >= 0)
        found.append(_compared(usual, other))
    return found


def _played(opening: Opening, change: Change, enough: Callable[[_Record], bool]) -> _Record:
    """The beginning of a run, up to the first plan at which it is long enough."""
    session, plans = opening(change)
    record = _Record()
    _watch(session.environment, record)
    try:
        for plan, widths in plans:
            record.plan(plan)
            if enough(record):
                break
            session.observe(plan, widths)
    except _Ended:
        pass
    finally:
        plans.close()
    return record


def _watch(environment: Any, record: _Record) -> None:
    """Note what an agent calls of an environment; anything else that it finds there is left as it is."""
    cls = type(environment)
    for name in getattr(cls, "offers", [name for name in dir(cls) if not name.startswith("_")]):
        if callable(getattr(cls, name, None)):
            setattr(environment, name, _noted(record, name, getattr(environment, name)))


def _noted(record: _Record, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        record.call(name, arguments, named)
        answer = method(*arguments, **named)
        record.answer(name, answer)
        return answer

    return call


def _parting(usual: _Record, other: _Record) -> int:
    """The first place at which two runs differ; -1 if there is none."""
    pairs = enumerate(zip(usual.events, other.events, strict=False))
    return next((place for place, (left, right) in pairs if left != right), -1)


def _compared(usual: _Record, other: _Record) -> Fork:
    place = _parting(usual, other)
    last = place if place >= 0 else min(len(usual.events), len(other.events)) - 1
    compared = last + 1 - sum(answer <= last for answer in usual.methods)
    steps = usual.steps(0, last)
    if place < 0:
        return Fork(compared, 0, "", steps)
    if place not in usual.methods or place not in other.methods:
        return Fork(compared, 1, "", steps)
    return Fork(compared, 0, usual.methods[place], steps, *_afterwards(usual, other, place))


def _afterwards(usual: _Record, other: _Record, place: int) -> tuple[tuple[dict[str, Array], dict[str, Array]] | None, int]:
    """The first plans after the runs have parted, and the steps between, if these are as many."""
    left, right = usual.next_plan(place), other.next_plan(place)
    if left is None or right is None or usual.steps(place + 1, left) != other.steps(place + 1, right):
        return None, 0
    return (usual.plans[left], other.plans[right]), usual.steps(place + 1, left)
