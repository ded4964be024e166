"""What the catalogues of settings are written with."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier.model.setting import InstanceT, Scenario

once = partial(Scenario, share=0.0)
"""A scenario with a single run."""


def fixed(generator: Callable[..., InstanceT]) -> Callable[..., InstanceT]:
    """A generator of instances that draws nothing, called like one that does."""
    return lambda rng, **sizes: generator(**sizes)
