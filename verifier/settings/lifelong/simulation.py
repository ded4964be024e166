"""An instance of the setting as tables, for environments of other libraries."""

from __future__ import annotations

import numpy as np

from verifier.model.simulation import Simulation
from verifier.settings.lifelong.instance import Instance


def simulation(instance: Instance) -> Simulation:
    """Context and initial state are uniform in each episode, in place of a task sequence."""
    public = instance.public
    uniform = np.full((public.S, public.W), 1.0 / (public.S * public.W))
    return Simulation(instance.truth.P, uniform, lambda h, row, w, rng: float(public.reward[h, row, w]), public.H)
