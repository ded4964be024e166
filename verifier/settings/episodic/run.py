"""The view on a whole run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array
from verifier.settings.episodic import tolerances
from verifier.settings.episodic.instance import Public, Truth
from verifier.settings.episodic.phases import EpisodeSeries
from verifier.settings.phases import EpisodeRun


@dataclass(eq=False, kw_only=True)
class Run(EpisodeRun[Public, Truth]):
    """The whole run; parameters as for `EpisodeRun`."""

    series: EpisodeSeries

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about the values of each episode."""
        return tolerances.chain(self.public, np.arange(self.public.K))
