"""Runs the beginning of a trial again with another future: same instance, same agent, same seeds, other draws from some point on.

What an agent does can depend on the future only if it has hold of something it should not have: numbers the environment has
drawn and not used yet, the next state where only the present one is known. So the calls it makes and the plans it yields have
to be the same, bit for bit, until the environment gives different answers.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from functools import partial
from itertools import zip_longest
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.fork import Fork, arrays_of, fingerprint, rest_of, same_arrays
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
"""Number of answers of the environment that are looked at, and those up to the next plan: SPAN draws take no more."""

LONGEST = 4 * CALLS
"""Largest number of answers where no plan comes."""


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
        """Numbers of the first generator up to the fork, and of the second from then on."""
        given = super().random(size, *further, **named)
        other = self._second.random(size, *further, **named)
        kept, self._left = self._left, max(self._left - np.size(given), 0)
        if size is None:
            return given if kept else other
        given.flat[kept:] = other.flat[kept:]
        return given


class _Ended(BaseException):
    """Ends a run whose beginning is all that is wanted; no `except Exception` of the agent stops it."""


class Beginning:
    """Actions of an agent, and the answers to them, at the beginning of a run, in order.

    Attributes
    ----------
    events : list of (str, int)
        "call", "answer" or "plan", and a fingerprint of what it was, of a plan without its arrays.
    methods : dict of int to str
        The method of each answer, by its place among the events.
    plans : dict of int to mapping
        Arrays of the plans, by place.
    """

    def __init__(self) -> None:
        self.events: list[tuple[str, int]] = []
        self.methods: dict[int, str] = {}
        self.plans: dict[int, dict[str, Array]] = {}
        self._over = False
        self._unwatch: list[Callable[[], None]] = []

    def watch(self, environment: Any) -> None:
        """Note what an agent calls of an environment; anything else that it finds there is left as it is."""
        cls = type(environment)
        offers = cls.offers if hasattr(cls, "offers") else [name for name in dir(cls) if not name.startswith("_")]
        for name in offers:
            if callable(getattr(cls, name, None)):
                method = getattr(environment, name)
                noted = self._noted(name, method)
                setattr(environment, name, noted)
                self._unwatch.append(partial(_replaced, environment, name, noted, method))

    def _end(self) -> None:
        """End the notes: later events cost nothing."""
        self._over = True
        for unwatch in self._unwatch:
            unwatch()

    def plan(self, plan: Any) -> bool:
        """Note a plan; whether the beginning goes on after it."""
        if not self._over:
            self._keep(plan)
            self._add("plan", rest_of(plan))
            if self._enough():
                self._end()
        return not self._over

    def _keep(self, plan: Any) -> None:
        """Keep the arrays of a plan, which are not in its fingerprint: they are many."""
        self.plans[len(self.events)] = arrays_of(plan)

    def _enough(self) -> bool:
        """Whether the beginning ends with the plan that came last."""
        return len(self.methods) >= CALLS

    def _calls(self, method: str) -> None:
        """A method is about to be called: what comes may be no beginning any more."""
        if len(self.methods) >= LONGEST:
            self._too_long()

    def _too_long(self) -> None:
        """LONGEST answers came without the plan that ends it: what follows is not noted."""
        self._end()

    def _noted(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if not self._over:
                self._calls(name)
            if self._over:
                return method(*arguments, **named)
            self._add("call", (name, arguments, named))
            answer = method(*arguments, **named)
            self._answered(name, answer)
            return answer

        return call

    def _answered(self, name: str, answer: Any) -> None:
        self.methods[len(self.events)] = name
        self._add("answer", answer)

    def _add(self, kind: str, value: Any) -> None:
        self.events.append((kind, fingerprint(value)))

    def steps(self, first: int, last: int) -> int:
        """Answers of `step` from one place to another, both included."""
        return sum(method == "step" for place, method in self.methods.items() if first <= place <= last)

    def next_plan(self, place: int) -> int | None:
        """The place of the first plan after another."""
        return min((found for found in self.plans if found > place), default=None)


def _replaced(environment: Any, name: str, noted: Any, method: Any) -> None:
    """Give back a method, unless the agent has put something else in its place."""
    if getattr(environment, name) is noted:
        setattr(environment, name, method)


class _Other(Beginning):
    """Beginning of a run that is played for comparison only: as long as another one, or up to the plan after they part.

    Attributes
    ----------
    parted : int
        The first place at which the two runs differ; -1 if there is none.
    """

    def __init__(self, usual: Beginning) -> None:
        super().__init__()
        self._usual, self._before, self.parted = usual.events, usual.plans, -1

    def _keep(self, plan: Any) -> None:
        """Compare the arrays of a plan before the runs part; keep those of the first one afterwards."""
        place = len(self.events)
        if self.parted >= 0:
            super()._keep(plan)
        elif place < len(self._usual) and not same_arrays(plan, self._before.get(place, {})):
            self.parted = place

    def _add(self, kind: str, value: Any) -> None:
        super()._add(kind, value)
        place = len(self.events) - 1
        if self.parted < 0 and place < len(self._usual) and self.events[place] != self._usual[place]:
            self.parted = place

    def _enough(self) -> bool:
        return len(self.events) >= len(self._usual) or self.parted >= 0

    def _too_long(self) -> None:
        raise _Ended


class Unrevealed(Beginning):
    """Events of a run before the environment revealed something, plans with their arrays.

    Parameters
    ----------
    method : str
        The method that reveals it.
    """

    def __init__(self, method: str) -> None:
        super().__init__()
        self._method = method

    def _calls(self, method: str) -> None:
        if method == self._method:
            self._end()

    def _enough(self) -> bool:
        return False

    def _keep(self, plan: Any) -> None:
        """Arrays are in the fingerprint: plans are compared one by one, and none is kept."""
        self._add("plan", arrays_of(plan))


def unrevealed(opened: Opened, usual: Unrevealed, method: str) -> Fork:
    """Play a trial again, up to where it reveals something that is not the same, and compare what was done until then.

    Parameters
    ----------
    opened : Opened
        A run with the same seeds on an instance that reveals something else.
    usual : Unrevealed
        That of the trial itself.
    method : str
        The method that reveals it.
    """
    session, plans = opened
    other = Unrevealed(method)
    other.watch(session.environment)
    with closing(plans):
        for plan, widths in plans:
            if not other.plan(plan):
                break
            session.observe(plan, widths)
    pairs = zip_longest(usual.events, other.events)
    place = next((i for i, (left, right) in enumerate(pairs) if left != right), -1)
    if place < 0:
        return Fork(len(usual.events), 0, method, usual.steps(0, len(usual.events)))
    events = usual.events if place < len(usual.events) else other.events
    what = "plan" if events[place][0] == "plan" else "call"
    return Fork(place + 1, 1, "", usual.steps(0, place), foresees=what)


def forks(opening: Opening, rng: np.random.Generator, usual: Beginning) -> list[Fork]:
    """Play the beginning of a trial again, with other futures.

    Parameters
    ----------
    opening : callable
        Opens a run, given what becomes of the generator that the environment draws from.
    rng : numpy.random.Generator
        Draws the futures, and where they begin.
    usual : Beginning
        That of the trial itself.
    """
    found = []
    for _ in range(FORKS):
        change = partial(Parting, second=np.random.default_rng(rng.integers(2**63)), after=int(rng.integers(SPAN)))
        found.append(_compared(usual, _played(opening, change, _Other(usual))))
    return found


def _played(opening: Opening, change: Change, record: _Other) -> _Other:
    """The beginning of a run, noted in a record."""
    session, plans = opening(change)
    record.watch(session.environment)
    try:
        for plan, widths in plans:
            if not record.plan(plan):
                break
            session.observe(plan, widths)
    except _Ended:
        pass
    finally:
        plans.close()
    return record


def _compared(usual: Beginning, other: _Other) -> Fork:
    place = other.parted
    last = place if place >= 0 else min(len(usual.events), len(other.events)) - 1
    compared = last + 1 - sum(answer <= last for answer in usual.methods)
    steps = usual.steps(0, last)
    if place < 0:
        return Fork(compared, 0, "", steps)
    if place not in usual.methods or place not in other.methods:
        return Fork(compared, 1, "", steps, foresees=usual.events[place][0])
    return Fork(compared, 0, usual.methods[place], steps, *_afterwards(usual, other, place))


def _afterwards(usual: Beginning, other: Beginning, place: int) -> tuple[tuple[dict[str, Array], dict[str, Array]] | None, int]:
    """The first plans after the runs have parted, and the steps between, if these are as many."""
    left, right = usual.next_plan(place), other.next_plan(place)
    if left is None or right is None or usual.steps(place + 1, left) != other.steps(place + 1, right):
        return None, 0
    return (usual.plans[left], other.plans[right]), usual.steps(place + 1, left)
