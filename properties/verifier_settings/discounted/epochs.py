"""The view on a batch of epochs: what was planned and played, what of it exceeds rounding, and evidence against laws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray, cached_property
from verifier_settings.discounted import laws, tolerances
from verifier_settings.discounted.models import MixtureEstimates
from verifier_settings.discounted.played import PlayedEpochs

SUMS = (
    "rounding", "lengths", "eta", "gap", "optimism", "deviation", "residual", "V", "previous_Q",
    "invalid", "pessimistic", "pessimistic_on_optimal", "excessive", "regret",
    "played_bonus", "weighted_bonus", "met_bonus", "met_norm", "action", "bonus_drift",
)  # fmt: skip
"""Per-epoch series whose running sums statements about every prefix of the run need."""

MIXTURE_SUMS = ("potential", "bad", "chain")
"""Sums of algorithms that regress."""


@dataclass(eq=False, kw_only=True)
class Epochs(PlayedEpochs):
    """A batch of epochs, with what the harness derives from them (lazily, once)."""

    def after(self) -> dict[str, Any]:
        """Sums up to the end of the batch, the `before` of the next one."""
        regresses = isinstance(self.estimates, MixtureEstimates)
        return {name: self.total(name)[-1] for name in SUMS + MIXTURE_SUMS * regresses}

    rounding = cached_property(tolerances.average)
    """(p,) what a statement about one epoch may be off by."""

    # Comparisons --------------------------------------------------------------------------------------------------

    @cached_property
    def valid(self) -> BoolArray:
        """(p, X, A) eq. (2): g |P V_k - est_k| <= CB_k, up to rounding."""
        return np.asarray(self.error <= self.bonus + self.once(tolerances.backup)[:, None, None])

    @cached_property
    def invalid(self) -> Array:
        """(p,) how many pairs break eq. (2)."""
        return (~self.valid).sum(axis=(1, 2)).astype(float)

    @cached_property
    def _low(self) -> BoolArray:
        return self.optimism_residual < -self.once(tolerances.backup)[:, None, None]

    @cached_property
    def pessimistic(self) -> Array:
        """(p,) how many pairs have res_k < 0."""
        return self._low.sum(axis=(1, 2)).astype(float)

    @cached_property
    def pessimistic_on_optimal(self) -> Array:
        """(p,) how many of them are on the support of mu*."""
        return (self._low & (self.instance.optimal_occupancy > 0)).sum(axis=(1, 2)).astype(float)

    @cached_property
    def excessive(self) -> Array:
        """(p,) how many pairs have res_k > 2 CB_k."""
        high = self.optimism_residual > 2 * self.bonus + self.once(tolerances.backup)[:, None, None]
        return high.sum(axis=(1, 2)).astype(float)

    # Evidence -----------------------------------------------------------------------------------------------------

    # what `laws` adds up
    action = cached_property(laws.action)
    bonus_drift = cached_property(laws.bonus_drift)
