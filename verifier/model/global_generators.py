"""The global generators of numpy and Python, in runs of agents that nobody changes for a check."""

from __future__ import annotations

import random
from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

State = tuple[Any, Any]


def seeded(seed: int) -> State:
    """State of the global generators that a seed makes."""
    return np.random.RandomState(seed).get_state(), random.Random(seed).getstate()


def taken() -> State:
    """State of the global generators now."""
    return np.random.get_state(), random.getstate()  # noqa: NPY002  # they are what this is about


def put(state: State) -> None:
    """Give the global generators a state."""
    np.random.set_state(state[0])  # noqa: NPY002  # as above
    random.setstate(state[1])


def with_generators(plans: Generator[Any], state: State) -> Iterator[Any]:
    """Plans of a run that has a state of its own in the global generators.

    While the run is paused they have the state that they had before it. So a run that draws from them can be repeated, and what
    it draws is not missing elsewhere.

    Parameters
    ----------
    plans : generator
    state : tuple
        As of `seeded`.
    """
    try:
        while True:
            before = taken()
            put(state)
            try:
                plan = next(plans)
            except StopIteration:
                return
            finally:
                state = taken()
                put(before)
            yield plan
    finally:
        plans.close()
