"""The view on a whole run."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.settings.elliptical import gram_path
from verifier.settings.lifelong import tolerances
from verifier.settings.lifelong.instance import Instance, Public
from verifier.settings.lifelong.series import EpisodeSeries


class Run:
    """The whole run.

    Parameters
    ----------
    instance : Instance
    states, actions, contexts : (K, H+1), (K, H), (K,) int arrays
        The transcript.
    plans : (N,) int array
        Episodes (from 0) at whose start the algorithm planned.
    series : EpisodeSeries
        Per-episode series of all K episodes.
    """

    def __init__(
        self,
        instance: Instance,
        states: IntArray,
        actions: IntArray,
        contexts: IntArray,
        plans: IntArray,
        series: EpisodeSeries,
    ) -> None:
        self.instance, self.states, self.actions, self.contexts = instance, states, actions, contexts
        self.plans, self.series = plans, series

    @property
    def public(self) -> Public:
        """Sizes and features."""
        return self.instance.public

    @property
    def replans(self) -> int:
        """Planning calls after the first one."""
        return len(self.plans) - 1

    @cached_property
    def plan_in_force(self) -> IntArray:
        """(K,) episode (from 0) at which the plan in force was made."""
        index = np.searchsorted(self.plans, np.arange(len(self.actions)), side="right") - 1
        return self.plans[index]

    @cached_property
    def _gram_facts(self) -> tuple[Array, Array]:
        features = self.public.phi[self.states[:, :-1] * self.public.A + self.actions]
        return gram_path(features, self.public.ridge)

    @cached_property
    def _psi_gram_facts(self) -> tuple[Array, Array]:
        rows = self.states[:, :-1] * self.public.A + self.actions
        return gram_path(self.public.psi[rows, self.contexts[:, None]], self.public.ridge)

    @property
    def log_det(self) -> Array:
        """(K+1, H) log det Lambda_h^k for k = 1..K+1, from the transcript."""
        return self._gram_facts[0]

    @property
    def norm(self) -> Array:
        """(K, H) ||phi_h^k|| in the norm of the inverse of Lambda_h^k, the current Gram matrix."""
        return self._gram_facts[1]

    @property
    def psi_log_det(self) -> Array:
        """(K+1, H) log det of the Gram matrices of psi."""
        return self._psi_gram_facts[0]

    @property
    def psi_norm(self) -> Array:
        """(K, H) ||psi_h^k|| in the norm of the inverse of the current Gram matrix of psi."""
        return self._psi_gram_facts[1]

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about the values of each episode."""
        return tolerances.chain(self.public, self.plan_in_force) + tolerances.PROGRAM * self.public.H

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episodes and steps counted from 1."""
        return {"episode": np.arange(1, len(self.actions) + 1), "h": np.arange(1, self.public.H + 1)}
