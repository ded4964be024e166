"""The view on a whole run."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.settings.elliptical import gram_path
from verifier.settings.episodic import tolerances
from verifier.settings.episodic.instance import Instance, Public
from verifier.settings.episodic.series import EpisodeSeries


class Run:
    """The whole run.

    Parameters
    ----------
    instance : Instance
    states, actions : (K, H+1), (K, H) int arrays
        The transcript.
    plans : (N,) int array
        Episodes (from 0) at whose start the algorithm planned.
    series : EpisodeSeries
        Of all K episodes.
    """

    def __init__(self, instance: Instance, states: IntArray, actions: IntArray, plans: IntArray, series: EpisodeSeries) -> None:
        self.instance, self.states, self.actions = instance, states, actions
        self.plans, self.series = plans, series

    @property
    def public(self) -> Public:
        """Sizes and features."""
        return self.instance.public

    @cached_property
    def log_det(self) -> Array:
        """(K+1, H) log det Lambda_h^k for k = 1..K+1, from the transcript."""
        features = self.public.phi[self.states[:, :-1] * self.public.A + self.actions]
        return gram_path(features, self.public.ridge)[0]

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about the values of each episode."""
        return tolerances.chain(self.public, np.arange(self.public.K))

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episodes and steps counted from 1."""
        return {"episode": np.arange(1, len(self.actions) + 1), "h": np.arange(1, self.public.H + 1)}
