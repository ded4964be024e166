"""Bugs that algorithms of many kinds can have.

Most are planted into a method whose name they are given. The others use names that algorithms have in common, and say so: the
methods `play`, `plan`, `run` and `published_width`, the matrices `gram`. Every function returns a class for
`verifier.model.mutant.plant`, which puts it before the algorithm, or before the data an algorithm keeps, among the bases of the
mutant::

    plant(UCBVI, "counts-twice", "every episode counted twice", bugs.twice("learn"), ("visits",))
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model.algorithm import Algorithm
from verifier.model.width import Width

Bug = type[Any]


def _overriding(name: str, method: str, body: Callable[..., Any]) -> Bug:
    """A class whose method calls `body` with the method it overrides, the object and the arguments."""

    def overridden(self: Any, *arguments: Any, **named: Any) -> Any:
        return body(partial(getattr(super(bug, self), method), **named), self, *arguments)

    bug = type(name, (), {method: overridden})
    return bug


# What a method is given, and what it returns -------------------------------------------------------------------------


def returns(method: str, change: Callable[[Any], Any]) -> Bug:
    """Bug that changes the return value of a method."""
    return _overriding("Returns", method, lambda inherited, self, *arguments: change(inherited(*arguments)))


def takes(method: str, change: Callable[..., tuple[Any, ...]]) -> Bug:
    """A method is given other arguments: those that `change` makes of its own."""
    return _overriding("Takes", method, lambda inherited, self, *arguments: inherited(*change(*arguments)))


def scaled(method: str, factor: float) -> Bug:
    """Bug that multiplies the return value of a method by a wrong constant; 0 for a forgotten bonus."""
    return returns(method, lambda value: factor * value)


def squared(method: str) -> Bug:
    """A square root forgotten."""
    return returns(method, lambda value: value**2)


def no_bonus(method: str) -> Bug:
    """The last argument, a bonus, replaced by zeros: the greedy policy, whose regret is often lower."""
    return takes(method, lambda *arguments: (*arguments[:-1], 0.0 * arguments[-1]))


def gram_for_inverse(method: str) -> Bug:
    """The inverse of the last argument, scaled to norm 1: a Gram matrix where its inverse belongs."""

    def swapped(*arguments: Any) -> tuple[Any, ...]:
        gram = np.linalg.inv(arguments[-1])
        return (*arguments[:-1], gram / np.linalg.norm(gram, axis=(-2, -1), keepdims=True))

    return takes(method, swapped)


def clipped(method: str, limit: float) -> Bug:
    """Bug that cuts the return value of a method once more, at a limit that is too low."""
    return returns(method, lambda value: np.minimum(value, limit))


def unclipped(method: str) -> Bug:
    """The sum of the last two arguments, a mean and a bonus, with nothing cut off."""
    return _overriding("Unclipped", method, lambda inherited, self, *arguments: np.asarray(arguments[-2] + arguments[-1]))


def wrong_step(method: str) -> Bug:
    """The values V_{h+2} where V_{h+1} belong, in a method of V, for all steps and after the last, and h."""
    return takes(method, lambda V, h: (V, min(h + 1, len(V) - 2)))


def opposite(method: str) -> Bug:
    """The sign of the only argument changed: a rule that takes the largest takes the least."""
    return takes(method, lambda values: (-values,))


def worst_action(method: str, axis: int) -> Bug:
    """The action of least value in the first state; `axis` is that of the states in what the greedy rule returns."""

    def greedy(inherited: Callable[[Array], Any], self: Any, Q: Array) -> Any:
        policy, worst = inherited(Q), inherited(-Q)
        first: list[Any] = [slice(None)] * policy.ndim
        first[axis] = 0
        policy[tuple(first)] = worst[tuple(first)]
        return policy

    return _overriding("WorstAction", method, greedy)


# Data ----------------------------------------------------------------------------------------------------------------


def twice(method: str) -> Bug:
    """Bug that runs a method twice."""

    def again(inherited: Callable[..., Any], self: Any, *arguments: Any) -> Any:
        inherited(*arguments)
        return inherited(*arguments)

    return _overriding("Twice", method, again)


def every_other(method: str) -> Bug:
    """Every other call of a method is left out, the second first."""

    def half(inherited: Callable[..., Any], self: Any, *arguments: Any) -> None:
        calls = self.__dict__["calls"] = self.__dict__.get("calls", 0) + 1
        if calls % 2:
            inherited(*arguments)

    return _overriding("EveryOther", method, half)


def one_late(method: str) -> Bug:
    """Bug that delays a method: each call uses the arguments of the call before."""

    def late(inherited: Callable[..., Any], self: Any, *arguments: Any) -> None:
        held, self.__dict__["held"] = self.__dict__.get("held"), arguments
        if held is not None:
            inherited(*held)

    return _overriding("OneLate", method, late)


def kept_in(precision: type[np.floating[Any]], method: str, *sums: str) -> Bug:
    """Sums that are kept in a lower precision: arrays that a method adds to are rounded after each call.

    Parameters
    ----------
    precision : type
        ``numpy.float16``, whose whole numbers end at 2048, or ``numpy.float32``, whose end at 2^24.
    method : str
    *sums : str
        Attributes, with a dot for those of the data that an algorithm keeps, ``"counts.rewards"``.
    """

    def rounded(inherited: Callable[..., Any], self: Any, *arguments: Any) -> Any:
        value = inherited(*arguments)
        for name in sums:
            array = attrgetter(name)(self)
            array[...] = array.astype(precision)
        return value

    return _overriding("KeptIn", method, rounded)


def no_ridge() -> Bug:
    """The regulariser forgotten (a trace of it kept so that `gram` can be inverted)."""
    return _other_start(lambda gram, public: 1e-6 * gram)


def unit_ridge() -> Bug:
    """lambda = 1 in place of that of the instance, in `gram`."""
    return _other_start(lambda gram, public: gram / public.ridge)


def _other_start(change: Callable[[Array, Any], Array]) -> Bug:
    """Bug that starts with other matrices `gram`; the first argument of the constructor is `public`."""

    def start(inherited: Callable[..., None], self: Any, public: Any, *arguments: Any) -> None:
        inherited(public, *arguments)
        self.gram = change(self.gram, public)

    return _overriding("OtherStart", "__init__", start)


# What is played and reported -----------------------------------------------------------------------------------------


def disobedient() -> Bug:
    """Another action than the plan's in every seventh episode; ``play(env, plan, ...)`` plays an episode."""

    def play(inherited: Callable[..., None], self: Any, env: Any, plan: Any, *arguments: Any) -> None:
        policy = (plan.policy + (env.episode % 7 == 3)) % self.public.A
        inherited(env, replace(plan, policy=policy), *arguments)

    return _overriding("Disobedient", "play", play)


def looks_ahead() -> Bug:
    """Another action where the number that makes the next state is small: in episodes of H steps it is drawn before.

    Policies (H, S) of episodes in blocks are changed likewise, for one episode at a time.
    """

    def run(inherited: Callable[..., Iterator[Any]], self: Any, env: Any) -> Iterator[Any]:
        step = env.step
        env.step = lambda action: step((int(action) + (env._draws[env._step] < 0.5)) % self.public.A)
        if hasattr(env, "play"):
            play = env.play
            env.play = lambda policy, *limits, **named: play((policy + (env._draws < 0.5)[:, None]) % self.public.A)
        yield from inherited(env)

    return _overriding("LooksAhead", "run", run)


def plans_every_other() -> Bug:
    """Plans in every other episode, unless what `plan` is given changes; `run` asks for a plan, and yields it, in each."""

    def plan(inherited: Callable[..., Any], self: Any, *problem: Any) -> Any:
        episode, kept = self.__dict__.get("episodes", 0), self.__dict__.get("kept")
        self.__dict__["episodes"] = episode + 1
        if kept is None or episode % 2 == 0 or kept[1] != problem:
            kept = self.__dict__["kept"] = inherited(*problem), problem
        return kept[0]

    def run(inherited: Callable[..., Iterator[Any]], self: Any, env: Any) -> Iterator[Any]:
        last = None
        for plan in inherited(env):
            if plan is not last:
                yield plan
            last = plan

    return type("PlansEveryOther", (_overriding("Keeps", "plan", plan), _overriding("Skips", "run", run)), {})


def reports(**changes: Callable[[Any], Any]) -> Bug:
    """Plans are yielded with fields other than those in use."""

    def run(inherited: Callable[..., Iterator[Any]], self: Any, env: Any) -> Iterator[Any]:
        for plan in inherited(env):
            yield replace(plan, **{field: change(getattr(plan, field)) for field, change in changes.items()})

    return _overriding("Reports", "run", run)


# The width -----------------------------------------------------------------------------------------------------------


def wishful_width(factor: float = 2.0) -> Bug:
    """The width is asked for a multiple of the value function, whose errors are larger."""

    class WishfulWidth(Algorithm):
        def __init__(self, public: Any, width: Width, **options: str) -> None:
            asked = Width(
                lambda of, step, target: width(step, factor * target, of),
                lambda of, step, target: width.error(step, factor * target, of),
            )
            super().__init__(public, asked, **options)

    return WishfulWidth


def scaled_width(factor: Callable[[Any], float]) -> Bug:
    """The published width multiplied by `factor(public)`."""

    class ScaledWidth(Algorithm):
        @classmethod
        def published_width(cls, public: Any, of: str) -> float:
            return factor(public) * super().published_width(public, of)

    return ScaledWidth
