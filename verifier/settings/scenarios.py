"""What the catalogues of settings are written with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.model.setting import InstanceT, Scenario

once = partial(Scenario, share=0.0)
"""A scenario with a single run."""


def fixed(generator: Callable[..., InstanceT]) -> Callable[..., InstanceT]:
    """A generator of instances that draws nothing, called like one that does."""
    return partial(_undrawn, generator)


def _undrawn(generator: Callable[..., InstanceT], rng: np.random.Generator, **sizes: Any) -> InstanceT:
    return generator(**sizes)
