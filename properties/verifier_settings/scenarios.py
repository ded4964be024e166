"""Vocabulary of the settings' catalogues."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.model.setting import Family, InstanceT, Scenario

once = partial(Scenario, share=0.0)
"""A scenario with a single run."""

edge = partial(once, regimes=("published", "oracle"))
scaled = partial(once, regimes=("scaled", "oracle"))
calibrated = partial(Scenario, regimes=("calibrated", "oracle"))
oracle = partial(once, regimes=("oracle",))
"""Scenarios in some regimes; those that are calibrated with more than a single run."""

episodes = partial(Family, symbol="K", unit="episodes")
"""A family of instances with any number of episodes."""


def fixed(generator: Callable[..., InstanceT]) -> Callable[..., InstanceT]:
    """A generator of instances that draws nothing, called like one that does."""
    return partial(_undrawn, generator)


def _undrawn(generator: Callable[..., InstanceT], rng: np.random.Generator, **sizes: Any) -> InstanceT:
    return generator(**sizes)
