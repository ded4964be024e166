"""Tables from which an instance can be simulated elsewhere, for adapters to the environments of other libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array

# In quotes: looked up, numpy.random is imported, as long as a tenth of numpy.
Reward: TypeAlias = "Callable[[int, int, int, np.random.Generator], float]"
"""Maps step from 0, row ``s*A + a``, context and generator to a reward."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """An instance as tables.

    Parameters
    ----------
    P : (n, S*A, S) array
        Transition kernel, one for each step, or one for all.
    start : (S, W) array
        Joint law of initial state and context.
    reward : callable
        See `Reward`.
    horizon : int or None
        Steps of an episode; None where it never ends.
    """

    P: Array
    start: Array
    reward: Reward
    horizon: int | None
