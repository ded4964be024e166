"""Families of planning problems whose size varies."""

from __future__ import annotations

import numpy as np

from verifier.model.setting import Family
from verifier.settings.cvar import generators
from verifier.settings.cvar.planning.instance import Instance, make


def _bait(rng: np.random.Generator, T1: int) -> Instance:
    """The true model of `verifier.settings.cvar.generators.lock`, from the budget 1."""
    lock = generators.lock(rng, H=4, A=3, K=1)
    model, public = lock.truth.index, lock.public
    steps = np.arange(len(model))
    phi, psi = public.phi[model, steps], public.psi[model, steps]
    return make(phi=phi, psi=psi, reward=public.reward, A=public.A, budget=public.m, T1=T1, T2=2)


FAMILIES: tuple[Family[Instance], ...] = (
    Family("bait-rounds", "a known lock with a bait, H = 4, any number of rounds", "T1", "rounds", _bait),
)
