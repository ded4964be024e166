"""Draws of somebody's agent from Beta laws, noted as it makes them.

An agent that samples keeps neither what it draws from nor what it draws: ``argmax(rng.beta(a, b))`` leaves no trace. So its
generators are exchanged for ones that draw the same numbers and note each call, wherever it holds them: in its attributes, in
lists and dictionaries of them, in the objects there, among the global names of its code. The functions of numpy, Python and
SciPy that draw from a global generator are exchanged while its code runs.
"""

from __future__ import annotations

import contextlib
import random
import sys
from collections.abc import Callable, Iterator, MutableMapping, MutableSequence
from dataclasses import dataclass, field
from inspect import isroutine
from typing import Any

import numpy as np

from verifier.base.arrays import Array

DEPTH = 4
"""Levels of objects inside of each other in which generators are looked for: agent, list of arms, arm, posterior."""


@dataclass
class Draws:
    """Parameters and results of the draws since they were last taken.

    Parameters
    ----------
    calls : list of (a, b, result)
    """

    calls: list[tuple[Array, Array, Array]] = field(default_factory=list)

    def noting(self, draw: Callable[..., Any]) -> Callable[..., Any]:
        """A function that draws, and notes what; its first arguments are the parameters."""

        def noted(a: Any, b: Any, *others: Any, **named: Any) -> Any:
            result = draw(a, b, *others, **named)
            drawn = np.asarray(result, dtype=float)
            self.calls.append((np.broadcast_to(a, drawn.shape), np.broadcast_to(b, drawn.shape), drawn.copy()))
            return result

        return noted

    def take(self) -> tuple[Array, Array, Array]:
        """All draws since the last time, in their order, each of shape (number of draws,)."""
        columns = [[np.ravel(each).astype(float) for each in column] for column in zip(*self.calls, strict=True)]
        self.calls.clear()
        a, b, drawn = (np.concatenate(column) if column else np.zeros(0) for column in columns or ([], [], []))
        return a, b, drawn

    def exchanged(self, generator: Any) -> Any:
        """A generator of numpy that goes on with the numbers of another one and notes them; None for anything else.

        A generator of Python's `random` can be told to note by itself.
        """
        if type(generator) is np.random.Generator:
            return self._noting(np.random.Generator)(generator.bit_generator)
        if type(generator) is np.random.RandomState:
            return self._noting(np.random.RandomState)(generator._bit_generator)
        return None

    def _noting(self, kind: Any) -> Any:
        draws = self

        class Noting(kind):  # type: ignore[misc]  # one of two classes
            def beta(self, *args: Any, **named: Any) -> Any:
                return draws.noting(super().beta)(*args, **named)

        return Noting


def look_into(item: Any, draws: Draws, depth: int = DEPTH) -> None:
    """Let the generators that an object holds note what they draw, and those that are inside of it."""
    names = item if isinstance(item, MutableMapping) else getattr(item, "__dict__", None)
    places: Any = names if isinstance(names, MutableMapping) else item if isinstance(item, MutableSequence) else ()
    for name, value in _of_class(item):  # an attribute of the object's own takes its place
        setattr(item, name, draws.exchanged(value) or value)
    for key in list(names) if isinstance(names, MutableMapping) else range(len(places)):
        value = places[key]
        noting = draws.exchanged(value)
        if noting is not None:
            places[key] = noting
        elif isinstance(value, random.Random):
            vars(value).setdefault("betavariate", draws.noting(value.betavariate))
        elif depth > 1 and not isinstance(value, (type, np.ndarray)) and not isroutine(value):  # a law may be called, too
            look_into(value, draws, depth - 1)


def _of_class(item: Any) -> list[tuple[str, Any]]:
    """Generators of numpy that the class of an object holds, by name, where the object has attributes of its own."""
    if not hasattr(item, "__dict__") or isinstance(item, MutableMapping):
        return []
    kinds = (np.random.Generator, np.random.RandomState)
    every = {name: value for owner in reversed(type(item).__mro__) for name, value in vars(owner).items()}
    return [(name, value) for name, value in every.items() if isinstance(value, kinds) and name not in vars(item)]


@contextlib.contextmanager
def noted(draws: Draws, names: dict[str, Any]) -> Iterator[None]:
    """Inside, draws from global generators are noted, and generators that numpy's `default_rng` makes note theirs.

    Parameters
    ----------
    draws : Draws
    names : dict
        Global names of the agent's code: functions that it has imported by name, generators.
    """
    from unittest.mock import patch

    make = np.random.default_rng
    instead = {
        (np.random, "beta"): draws.noting(np.random.beta),  # agents draw from it
        (random, "betavariate"): draws.noting(random.betavariate),
        (np.random, "default_rng"): lambda *args, **named: draws.exchanged(generator := make(*args, **named)) or generator,
    }
    maker = instead[np.random, "default_rng"]
    with contextlib.ExitStack() as stack:
        for (owner, name), noting in instead.items():
            stack.enter_context(patch.object(owner, name, noting))
        for name, value in list(names.items()):
            by_name = draws.noting(value) if _draws(value) else maker if value is make else None
            same = by_name or draws.exchanged(value)
            if same is not None:
                stack.enter_context(patch.dict(names, {name: same}))
            elif isinstance(value, random.Random):
                stack.enter_context(patch.object(value, "betavariate", draws.noting(value.betavariate)))
        if "scipy.stats" in sys.modules:
            stack.enter_context(_by_scipy(draws))
        yield


def _draws(value: Any) -> bool:
    """Whether something is the method of a generator that draws from Beta laws, as `from random import betavariate` is."""
    generator = isinstance(getattr(value, "__self__", None), (np.random.Generator, np.random.RandomState, random.Random))
    return generator and getattr(value, "__name__", "") in ("beta", "betavariate")


def _by_scipy(draws: Draws) -> Any:
    """A patch by which `scipy.stats.beta` notes its draws: those of a generator that notes them itself once."""
    from unittest.mock import patch

    law = type(sys.modules["scipy.stats"].beta)
    plain = law._rvs

    def rvs(self: Any, a: Any, b: Any, size: Any = None, random_state: Any = None) -> Any:
        known = len(draws.calls)
        result = plain(self, a, b, size=size, random_state=random_state)
        if len(draws.calls) == known:
            draws.noting(lambda a, b: result)(a, b)
        return result

    return patch.object(law, "_rvs", rvs)
