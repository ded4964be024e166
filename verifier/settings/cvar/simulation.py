"""An instance of the setting as tables, for environments of other libraries."""

from __future__ import annotations

import numpy as np

from verifier.model.simulation import Simulation
from verifier.settings.cvar.instance import Instance


def simulation(instance: Instance) -> Simulation:
    """Episodes of H steps with random rewards; nothing follows the last one, the state then stays what it is."""
    public = instance.public
    start = np.eye(public.S)[public.start][:, None]

    def reward(h: int, row: int, w: int, rng: np.random.Generator) -> float:
        if public.beta is None:
            law = np.maximum(public.reward[h, row], 0.0)
            return float(rng.choice(len(law), p=law / law.sum())) / public.m
        return float(rng.beta(*public.beta[h, row]))

    stay = np.repeat(np.eye(public.S), public.A, axis=0)[None]
    return Simulation(np.concatenate([instance.truth.P, stay]), start, reward, public.H)
