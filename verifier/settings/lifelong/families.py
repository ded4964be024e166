"""Families of instances of the lifelong setting whose size varies."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.model.setting import Family
from verifier.settings.lifelong import generators
from verifier.settings.lifelong.instance import Instance
from verifier.settings.lifelong.rotation import rotation

_PAPER: dict[str, Any] = {"S": 15, "A": 4, "d": 5, "m": 5, "H": 5}


def _paper(rng: np.random.Generator, K: int) -> Instance:
    return generators.onehot(rng, K=K, **_PAPER)


def _lock(rng: np.random.Generator, K: int) -> Instance:
    return generators.lock(rng, H=5, A=2, K=K)


def _rotation(rng: np.random.Generator, K: int) -> Instance:
    return rotation(rng, blocks=5, N=6, A=2, d=5, H=5, K=K)


def _horizons(rng: np.random.Generator, H: int) -> Instance:
    return generators.onehot(rng, S=10, A=3, d=4, m=3, H=H, K=500)


def _dimensions(rng: np.random.Generator, d: int) -> Instance:
    return generators.onehot(rng, S=16, A=3, d=d, m=2, H=3, K=500)


def _tasks(rng: np.random.Generator, m: int) -> Instance:
    return generators.onehot(rng, S=10, A=3, d=4, m=m, H=3, K=500)


FAMILIES: tuple[Family[Instance], ...] = (
    Family("paper-size", "d = m = H = 5 as in Figure 1a, any number of episodes", "K", "episodes", _paper, "Figure 1a"),
    Family("lock", "combination lock with a decoy; exploration matters", "K", "episodes", _lock),
    Family("rotation-5", "many contexts with exact completeness, d = H = 5, d' = 6", "K", "episodes", _rotation),
    Family("dimensions", "S = 16, m = 2, H = 3, K = 500, features of any length", "d", "features", _dimensions),
    Family("tasks", "S = 10, d = 4, H = 3, K = 500, any number of representative tasks", "m", "tasks", _tasks),
    Family("horizons", "S = 10, d = 4, m = 3, K = 500, any horizon", "H", "steps per episode", _horizons),
)
