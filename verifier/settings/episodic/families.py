"""Families of instances of the episodic setting whose length varies."""

from __future__ import annotations

import numpy as np

from verifier.model.setting import Family
from verifier.settings.episodic import generators
from verifier.settings.episodic.instance import Instance


def _lock(rng: np.random.Generator, K: int) -> Instance:
    return generators.lock(rng, H=3, A=3, K=K)


FAMILIES: tuple[Family[Instance], ...] = (
    Family("lock", "combination lock with a decoy, H = A = 3; exploration matters", "K", "episodes", _lock),
)
