"""An instance of the setting as tables, for environments of other libraries."""

from __future__ import annotations

import numpy as np

from verifier.model.simulation import Simulation
from verifier.settings.episodic.instance import Instance


def simulation(instance: Instance) -> Simulation:
    """Episodes of H steps from the initial law."""
    start, reward = np.asarray(instance.start)[:, None], instance.truth.reward
    return Simulation(instance.truth.P[None], start, lambda h, row, w, rng: float(reward[row]), instance.public.H)
