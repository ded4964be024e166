"""Per-episode and per-step series, looked up at the states and actions of the transcript."""

from __future__ import annotations

from dataclasses import dataclass

from verifier.base.arrays import Array
from verifier.settings import phases


@dataclass(frozen=True)
class EpisodeSeries(phases.EpisodeSeries):
    """What every setting with episodes has, and what is about psi; shapes (e, H).

    Attributes
    ----------
    psi_bonus : ||psi_h|| in the norm of the inverse Gram matrix of psi at the time of the plan (0 if none is kept)
    reward_width : the width of the reward estimate in force (0 if there is none)
    zeta : realised completeness error of the value functions in force (0 where plans do not serve all contexts)
    """

    psi_bonus: Array
    reward_width: Array
    zeta: Array
