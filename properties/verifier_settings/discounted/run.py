"""The view on a whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier_settings.discounted.instance import Instance, Public, Truth
from verifier_settings.views import View


@dataclass(eq=False, kw_only=True)
class Run(View[Public, Truth]):
    """The whole run, padding included: the last epoch is played to its end at T+.

    Parameters
    ----------
    instance : Instance
    states, actions, successors : (n,) int arrays
        X_t, A_t and the true successor, t = 1..T+.
    resets : (n,) bool array
        Whether a reset followed the step.
    plans : (K,) int array
        First step (from 0) of each epoch.
    secret : (n,) int array
        Steps played before each planning pass, by the widths asked for, that no plan came of.
    padding : int
        T+ - T.
    sums : mapping of str to array
        Sums over the run of the series in `epochs.SUMS`.
    eta : float
        The learning rate of the first plan.
    width : float
        The width of the first plan; NaN where there was none, or it was an error that the run realised: it was not known before.
    """

    instance: Instance
    states: IntArray
    actions: IntArray
    successors: IntArray
    resets: BoolArray
    plans: IntArray
    secret: IntArray
    padding: int
    sums: Mapping[str, Any]
    eta: float
    width: float

    @property
    def epochs(self) -> int:
        """Number K(T) of epochs."""
        return len(self.plans)

    @property
    def planning_steps(self) -> int:
        """Number of times the algorithm planned, in secret included; K(T) if it does so once for each epoch."""
        return len(self.plans) + len(self.secret)

    @property
    def planned(self) -> IntArray:
        """(K,) how often it planned in each epoch."""
        epoch = np.searchsorted(self.plans, self.secret, side="right") - 1
        return 1 + np.bincount(np.maximum(epoch, 0), minlength=self.epochs)

    @property
    def regret(self) -> float:
        """sum_{t<=T} <mu* - mu^{pi_t}, r>, exact."""
        return float(self.sums["regret"])

    @property
    def met_bonus(self) -> float:
        """sum_{t<=T+} CB_t(X_t, A_t)."""
        return float(self.sums["met_bonus"])

    @property
    def valid(self) -> bool:
        """Whether eq. (2) held at every epoch."""
        return float(self.sums["invalid"]) == 0.0

    @property
    def lengths(self) -> IntArray:
        """Lengths L_k of the epochs, shape (K,)."""
        return np.diff(np.concatenate([self.plans, [len(self.states)]]))

    def transitions(self) -> Array:
        """(X*A, X) how often each transition was seen."""
        X, A = self.public.X, self.public.A
        cell = (self.states * A + self.actions) * X + self.successors
        return np.bincount(cell, minlength=X * A * X).reshape(X * A, X).astype(float)
