"""Families of instances of the discounted setting whose size varies."""

from __future__ import annotations

import numpy as np

from verifier.model.setting import Family
from verifier.settings.discounted import generators
from verifier.settings.discounted.instance import Instance


def _half(rng: np.random.Generator, T: int) -> Instance:
    return generators.random(rng, X=4, A=2, gamma=0.5, T=T)


def _river(rng: np.random.Generator, T: int) -> Instance:
    return generators.river(X=5, gamma=0.8, T=T)


def _mixture(rng: np.random.Generator, T: int) -> Instance:
    return generators.mixture(rng, X=5, A=2, d=3, gamma=0.5, T=T)


def _doors(rng: np.random.Generator, T: int) -> Instance:
    return generators.doors(gamma=0.5, T=T)


def _horizons(rng: np.random.Generator, H: int) -> Instance:
    return generators.random(rng, X=4, A=2, gamma=1.0 - 1.0 / H, T=4000)


FAMILIES: tuple[Family[Instance], ...] = (
    Family("random-half", "random tables with 4 states, gamma = 1/2, any number of steps", "T", "steps", _half),
    Family("river", "RiverSwim with 5 states, gamma = 0.8; exploration matters", "T", "steps", _river),
    Family("mixture-half", "random kernels mixed with unknown weights, gamma = 1/2", "T", "steps", _mixture),
    Family("horizons", "random tables with 4 states, T = 4000, gamma = 1 - 1/H", "H", "effective horizon", _horizons),
    Family("mixture-doors", "two doors beside a safe place, gamma = 1/2; exploration matters", "T", "steps", _doors),
)
