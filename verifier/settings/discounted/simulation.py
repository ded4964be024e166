"""An instance of the setting as tables, for environments of other libraries."""

from __future__ import annotations

import numpy as np

from verifier.model.simulation import Simulation
from verifier.settings.discounted.instance import Instance


def simulation(instance: Instance) -> Simulation:
    """One episode that never ends."""
    start, reward = np.asarray(instance.truth.start)[:, None], instance.public.reward.ravel()
    return Simulation(instance.truth.P[None], start, lambda h, row, w, rng: float(reward[row]), None)
