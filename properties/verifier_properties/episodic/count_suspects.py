"""Suspects of `tabular_model`: parts of the data that counts leave out."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.episodic import Phases


def without_last_episode(view: Phases) -> Array:
    """(p, X) N_k without the visits of the episode before the plan; NaN where that is not one of these phases."""
    found = np.full(view.visits.shape, np.nan)
    for plan, start in enumerate(view.start):
        last = view.row[start - 1 - view.start[0]] if start > view.start[0] else np.array([], dtype=int)
        if start == 0 or last.size:
            found[plan] = view.visits[plan] - np.bincount(last, minlength=view.public.X)
    return found
