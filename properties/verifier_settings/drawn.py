"""An algorithm that draws its policies follows another agent: what it would do there, drawn many times.

The algorithm is run many times, each time with random numbers of its own, and led along the history of the agent
(`verifier_settings.followed`). If what it plans follows from data and fresh random numbers, its policies of an episode are
independent draws of one law, and that of the agent is one more if it is this algorithm (`verifier.statistics.exchangeable`).
Of an algorithm that remembers what it has drawn this is not so. It is found out: two runs that are given the same numbers for a
plan, and had others before, must make the same plan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import takewhile
from typing import Any, TypeAlias

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.algorithm import Algorithm
from verifier.model.drawn import Drawn
from verifier.model.inequality import Inequality
from verifier.model.property import Property
from verifier.model.width import Radius
from verifier.statistics.evidence import evidence
from verifier.statistics.exchangeable import Exchangeable
from verifier_settings.followed import AstrayError, FollowedEnvironment, led

DRAWS = 32
"""Policies that are drawn for each of the agent."""
EPISODES = 1000
"""Episodes of a run that are looked at, the first ones: each is planned for `DRAWS` + 3 times."""

Draw: TypeAlias = "Callable[[type[Algorithm], Any, Radius, Any, np.random.Generator], Iterator[Drawn]]"
"""`draw` with the environment of a setting."""


def draw(
    environment: type[FollowedEnvironment[Any]],
    algorithm: type[Algorithm],
    public: Any,
    radius: Radius,
    played: Any,
    rng: np.random.Generator,
) -> Iterator[Drawn]:
    """Actions of policies that an algorithm draws with the history of another agent, plan by plan.

    Parameters
    ----------
    environment, algorithm, public, radius, played
        As of `verifier_settings.followed.follow`.
    rng : numpy.random.Generator
        Of which the agent knows nothing.

    Raises
    ------
    AstrayError
        If it does not do what its plan says, remembers what it has drawn, or plans when its draws say so.
    """
    first, second, *rest = rng.spawn(DRAWS + 3)
    along = partial(led, environment, algorithm, public, radius, played)
    _require_forgetful(along, first, second, rng)
    runs = zip(*map(along, rest), strict=True)
    for at_once in takewhile(lambda found: found[0][2].stop <= EPISODES, runs):
        if len({(done.start, done.stop) for _, _, done in at_once}) > 1:
            raise AstrayError("what it draws decides when it plans")
        (plan, env, done), *others = at_once
        own = np.stack([env.own(plan, done) for plan, env, done in others], axis=-1)
        rounding = 2 * env.rounding(plan, done)[:, None, None]
        alike = _alike(np.moveaxis(plan.Q, 2, -1)[env.places(plan, done)], rounding)
        yield Drawn(done.start, played.states[done, :-1], played.actions[done], own, alike)


def _require_forgetful(
    along: Callable[[np.random.Generator], Iterator[Any]],
    first: np.random.Generator,
    second: np.random.Generator,
    coins: np.random.Generator,
) -> None:
    """Check that two runs which are given the same random numbers now and then make the same plans then."""
    same = after_that = False
    for (plan, env, done), (other, there, _) in zip(along(first), along(second), strict=True):
        if same and not np.array_equal(env.own(plan, done), there.own(other, done)):
            raise AstrayError("it remembers what it has drawn: what it would do does not follow from data and a fresh draw")
        if done.stop > EPISODES:
            return
        # the next plan has been made by now, and the one after it is made when that is asked for
        same, after_that = after_that, bool(coins.integers(2))
        second.bit_generator.state = (first if after_that else coins.spawn(1)[0]).bit_generator.state


def _alike(worth: Array, rounding: Array) -> IntArray:
    """(n, H, A) for each action the first that is worth as much, within rounding, of action values (n, H, A)."""
    order = worth.argsort(axis=-1)
    apart = np.diff(np.take_along_axis(worth, order, axis=-1), axis=-1, prepend=-np.inf) > rounding
    group = np.empty_like(order)
    np.put_along_axis(group, order, apart.cumsum(axis=-1), axis=-1)
    return np.asarray((group[..., :, None] == group[..., None, :]).argmax(axis=-1))


def decisions(drawing: Draw, handed: Callable[[type[Algorithm], Any], Radius], algorithm: type[Algorithm]) -> Property:
    """Actions are those of policies that the algorithm draws, with the same data and width; ties may fall either way.

    Parameters
    ----------
    drawing : callable
        `draw` of the setting.
    handed : callable
        As of `verifier_settings.followed.decisions`.
    algorithm : type
    """

    def evaluate(view: Any) -> Inequality:
        bets, rng = Exchangeable(), np.random.default_rng(view.spare)
        bets.see(drawing(algorithm, view.public, handed(algorithm, view), view, rng))
        return evidence(bets.log_evidence, bets.log_if_rare)

    description = (
        f"{algorithm.title} is run on the transcript {DRAWS} times, with random numbers of its own: evidence that the actions "
        "are not those of one more policy that is drawn likewise."
    )
    return Property("drawn-decisions", "run", evaluate, frozenset(), description, topic="Laws", looks_back=False)
