"""View on a whole run with budgets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings import played
from verifier_settings.knapsack import tolerances
from verifier_settings.knapsack.instance import Public, Truth
from verifier_settings.knapsack.phases import EpisodeSeries


@dataclass(eq=False, kw_only=True)
class Run(played.EpisodeRun[Public, Truth]):
    """The whole run; further parameters as for `EpisodeRun`.

    Parameters
    ----------
    lengths : (K,) int array
        Steps of each episode.
    late : (K,) int array
        How often a step was asked for after a cost had ended the episode.
    spent : (K, H, d) int array
        What each step cost, in units.
    """

    lengths: IntArray
    late: IntArray
    spent: IntArray
    series: EpisodeSeries

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about the values of each episode."""
        return tolerances.chain(self.public, np.arange(self.public.K))
