"""The view on a whole run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier_settings.elliptical import gram_path
from verifier_settings.lifelong import tolerances
from verifier_settings.lifelong.instance import Public, Truth
from verifier_settings.lifelong.phases import EpisodeSeries
from verifier_settings.phases import LinearRun


@dataclass(eq=False, kw_only=True)
class Run(LinearRun[Public, Truth]):
    """The whole run; further parameters as for `EpisodeRun`.

    Parameters
    ----------
    contexts : (K,) int array
        The context of each episode.
    """

    contexts: IntArray
    series: EpisodeSeries

    @property
    def replans(self) -> int:
        """Planning calls after the first one, those in secret included."""
        return self.planning_calls - 1

    @cached_property
    def plan_in_force(self) -> IntArray:
        """(K,) episode (from 0) at which the plan in force was made."""
        index = np.searchsorted(self.plans, np.arange(len(self.actions)), side="right") - 1
        return self.plans[index]

    @cached_property
    def _psi_gram_facts(self) -> tuple[Array, Array]:
        return gram_path(self.public.psi[self.pairs, self.contexts[:, None]], self.public.ridge)

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
