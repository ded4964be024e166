"""The global generators of numpy and Python, and those of modules, in runs of agents that nobody changes for a check."""

from __future__ import annotations

import inspect
import random
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

State = tuple[Any, ...]


def namespace(made: Any) -> dict[str, Any]:
    """Global names of the code of a class or function; empty where it has none that can be seen.

    They are not those of the module of its name: a class that came to a worker by value has a copy of its own.
    """
    for owner in inspect.getmro(made) if inspect.isclass(made) else (made,):
        for each in vars(owner).values() if inspect.isclass(owner) else (owner,):
            found = getattr(each, "__globals__", None)
            if isinstance(found, dict):
                return found
    return {}


def lasting(made: Any) -> tuple[Any, ...]:
    """Generators of numpy and Python that outlive what a class or function makes: among its global names, and of its classes."""
    kinds = (np.random.Generator, np.random.RandomState, random.Random)
    names = namespace(made)
    classes = {*inspect.getmro(made)} if inspect.isclass(made) else set[Any]()
    classes |= {item for item in names.values() if inspect.isclass(item) and item.__module__ == names.get("__name__")}
    here = (*names.values(), *chain.from_iterable(vars(each).values() for each in classes))
    # `from random import betavariate` is a method of a generator that has no name there
    every = (item if isinstance(item, kinds) else getattr(item, "__self__", None) for item in here)
    return tuple({id(item): item for item in every if isinstance(item, kinds)}.values())


def seeded(seed: int, others: Sequence[Any] = ()) -> State:
    """State of the global generators, and of some others, that a seed makes."""
    own = (_seeded(generator, number) for number, generator in enumerate(others, seed + 1))
    return np.random.RandomState(seed).get_state(), random.Random(seed).getstate(), *own


def taken(others: Sequence[Any] = ()) -> State:
    """State of the global generators now, and of some others."""
    return np.random.get_state(), random.getstate(), *map(_state, others)  # noqa: NPY002  # they are what this is about


def put(state: State, others: Sequence[Any] = ()) -> None:
    """Give the global generators a state, and some others theirs."""
    np.random.set_state(state[0])  # noqa: NPY002  # as above
    random.setstate(state[1])
    for generator, each in zip(others, state[2:], strict=True):
        if isinstance(generator, np.random.Generator):
            generator.bit_generator.state = each
        elif isinstance(generator, np.random.RandomState):
            generator.set_state(each)
        else:
            generator.setstate(each)


def _state(generator: Any) -> Any:
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator.state
    return generator.get_state() if isinstance(generator, np.random.RandomState) else generator.getstate()


def _seeded(generator: Any, seed: int) -> Any:
    """State of a generator of the same kind that a seed makes."""
    if isinstance(generator, np.random.Generator):
        return type(generator.bit_generator)(seed).state
    if isinstance(generator, np.random.RandomState):
        return type(generator)(type(generator._bit_generator)(seed)).get_state()
    return random.Random(seed).getstate()


def with_generators(plans: Generator[Any], state: State, others: Sequence[Any] = ()) -> Iterator[Any]:
    """Plans of a run that has a state of its own in the global generators, and in some others that outlive it.

    While the run is paused they have the state that they had before it. So a run that draws from them can be repeated, and what
    it draws is not missing elsewhere.

    Parameters
    ----------
    plans : generator
    state : tuple
        As of `seeded`.
    others : sequence
        Generators, as of `lasting`.
    """
    try:
        while True:
            before = taken(others)
            put(state, others)
            try:
                plan = next(plans)
            except StopIteration:
                return
            finally:
                state = taken(others)
                put(before, others)
            yield plan
    finally:
        plans.close()
