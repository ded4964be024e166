"""Epochs as they were planned and played.

An *epoch* is a plan together with the steps played under it. Everything here is recomputed by the harness from its own
transcript and the true kernel, except the fields that are named as the algorithm's. Shapes: p epochs, n steps of the batch, X
states, A actions. What belongs to k + 1, one exact planning step later, is in `verifier_settings.discounted.policies`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property, read_only
from verifier_settings.discounted import rank_one
from verifier_settings.discounted.models import CountEstimates, Estimates, MixtureEstimates, Steps
from verifier_settings.discounted.policies import Policies
from verifier_settings.elliptical import bonus as elliptical_norm
from verifier_settings.regression import Regression


@dataclass(eq=False, kw_only=True)
class PlayedEpochs(Policies):
    """A batch of epochs, with what the harness derives from them (lazily, once).

    Parameters
    ----------
    instance : Instance
    plans : mapping of str to array
        The algorithm's plans, one leading axis of epochs per field of `DiscountedPlan`.
    first : int
        Number of the first of these epochs, from 1.
    previous : (Q, log_policy)
        Q_k and log pi_{k-1} before the first of them, shapes (X, A).
    width : (p,) array
        The widths the harness handed out while each plan was made; NaN where the algorithm was handed the error itself.
    handed : (p, X) array
        The value functions the algorithm handed to the width.
    steps : Steps
        What was played under these plans.
    played : (p,) int array
        Steps of each epoch that are among the T of the run (padding left out).
    inside : (p,) int array
        Resets within each epoch, before its last step.
    closed : (p,) bool array
        Whether the algorithm ended each epoch by a reset.
    is_last : bool
        Whether the last of these epochs is the last of the run.
    estimates : Estimates
        The harness's own.
    before : mapping of str to array
        Sums of series over all earlier epochs, by name; see `verifier_settings.discounted.epochs.SUMS`.
    """

    first: int
    previous: tuple[Array, Array]
    width: Array
    handed: Array
    steps: Steps
    played: IntArray
    inside: IntArray
    closed: BoolArray
    is_last: bool
    estimates: Estimates
    before: Mapping[str, Any]

    axes = ("epoch",)
    """Axes of arrays with one entry per epoch."""
    pair_axes = ("epoch", "x", "a")
    """Axes of arrays with one entry per epoch, state and action."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.previous_Q = read_only(np.concatenate([self.previous[0][None], self.Q[:-1]]))
        self.previous_log_policy = read_only(np.concatenate([self.previous[1][None], self.log_policy[:-1]]))
        self._totals: dict[str, Array] = {}

    @cached_property
    def number(self) -> IntArray:
        """(p,) k, from 1."""
        return self.first + np.arange(self.count)

    @property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes."""
        return {"epoch": self.number}

    @property
    def constant_target(self) -> BoolArray:
        """(p,) whether V_k is the same in all states, up to rounding, as where it is at its cap: nothing random is estimated."""
        return np.asarray(np.ptp(self.handed, axis=1) <= 8 * EPS * self.public.H)

    # Sums over the run --------------------------------------------------------------------------------------------

    def total(self, name: str) -> Array:
        """(p, ...) the running sum of a series, from the first epoch of the run on."""
        if name not in self._totals:
            self._totals[name] = read_only(self.before.get(name, 0.0) + np.cumsum(getattr(self, name), axis=0))
        return self._totals[name]

    # Values -------------------------------------------------------------------------------------------------------

    @cached_property
    def PV(self) -> Array:
        """Expected values P V_k, shape (p, X, A)."""
        return (self.V @ self.truth.P.T).reshape(self.Q.shape)

    @cached_property
    def error(self) -> Array:
        """(p, X, A) g |P V_k - est_k| of the algorithm's estimate."""
        return self.public.gamma * np.abs(self.PV - self.estimate)

    @cached_property
    def optimism_residual(self) -> Array:
        """(p, X, A) res_k = Q_{k+1} - r - g P V_k."""
        return self.Q - self.public.reward - self.public.gamma * self.PV

    @cached_property
    def gap(self) -> Array:
        """Regret of a step, <mu* - mu^k, r>, shape (p,)."""
        return self.instance.optimal_return - (self.mu * self.public.reward).sum(axis=(1, 2))

    @cached_property
    def start_value(self) -> Array:
        """Planned value (1-g) <nu_0, V_k>, shape (p,)."""
        return (1.0 - self.public.gamma) * (self.V @ self.truth.start)

    @cached_property
    def optimism(self) -> Array:
        """(p,) D*_k = <mu*, r> - (1-g) <nu_0, V_k>; its sum is at most H(pi*||pi_0)/eta + <nu*, V_{K+1}>."""
        return self.instance.optimal_return - self.start_value

    @cached_property
    def deviation(self) -> Array:
        """Planned minus true value, D_k = (1-g) <nu_0, V_k> - <mu^k, r>, shape (p,)."""
        return self.gap - self.optimism

    @cached_property
    def played_bonus(self) -> Array:
        """Expected bonus <mu^k, CB_k>, shape (p,)."""
        return (self.mu * self.bonus).sum(axis=(1, 2))

    @property
    def weighted_bonus(self) -> Array:
        """(p,) <mu^k, CB_k> times the steps of the epoch among the T of the run."""
        return self.played_bonus * self.played

    @cached_property
    def residual(self) -> Array:
        """(p,) <mu^k, res_k>."""
        return (self.mu * self.optimism_residual).sum(axis=(1, 2))

    @cached_property
    def improvement(self) -> Array:
        """Change of occupancy against Q_{k+1}: <mu^{k+1} - mu^k, Q_{k+1}>, shape (p,)."""
        return ((self.next_mu - self.mu) * self.Q).sum(axis=(1, 2))

    # What was played ----------------------------------------------------------------------------------------------

    @cached_property
    def lengths(self) -> IntArray:
        """(p,) L_k, padding included."""
        return np.bincount(self.steps.epoch, minlength=self.count)

    @cached_property
    def regret(self) -> Array:
        """(p,) the gap of each epoch times its steps among the T of the run."""
        return self.gap * self.played

    @cached_property
    def met_bonus(self) -> Array:
        """(p,) sum of CB_k(X_t, A_t) over the steps of the epoch, padding included."""
        flat = self.bonus.reshape(self.count, -1)
        return np.bincount(self.steps.epoch, weights=flat[self.steps.epoch, self.steps.rows], minlength=self.count)

    @cached_property
    def met_norm(self) -> Array:
        """(p,) sum over the steps of what the width is multiplied by at (X_t, A_t), for the plan's own statistics."""
        norm = self.reported_norm[self.steps.epoch, self.steps.rows]
        return np.bincount(self.steps.epoch, weights=norm, minlength=self.count)

    @cached_property
    def reported_norm(self) -> Array:
        """(p, X*A) 1/sqrt(N_k), or ||phi_k|| in the norm of Lambda_k^{-1}, from the statistics the plan reports.

        Infinite where the matrix has no inverse.
        """
        if "visits" in self.plans:
            return 1.0 / np.sqrt(np.maximum(self.plans["visits"], EPS)).reshape(self.count, -1)
        if "gram" not in self.plans:
            return self.estimates.norm.reshape(self.count, -1)
        found, regular = np.full((self.count, self.public.X * self.public.A), np.inf), self.regular
        found[regular] = elliptical_norm(self.mixture.phi[regular], np.linalg.inv(self.plans["gram"][regular]))
        return found

    @cached_property
    def regular(self) -> BoolArray:
        """(p,) whether the matrix the plan reports has an inverse."""
        return np.asarray(np.linalg.slogdet(self.plans["gram"])[0] != 0)

    @cached_property
    def potential(self) -> Array:
        """(p,) (1/L_k) sum over the epoch of log(1 + L_k ||phi_k(X_t,A_t)||^2), norms from the plan's own matrix."""
        length = self.lengths[self.steps.epoch]
        terms = np.log1p(length * self.reported_norm[self.steps.epoch, self.steps.rows] ** 2) / length
        return np.bincount(self.steps.epoch, weights=terms, minlength=self.count)

    @cached_property
    def bad(self) -> Array:
        """(p,) 1 for epochs with a step at which that norm is 1 or more."""
        large = self.reported_norm[self.steps.epoch, self.steps.rows] >= 1.0
        return (np.bincount(self.steps.epoch, weights=large, minlength=self.count) > 0).astype(float)

    # Models -------------------------------------------------------------------------------------------------------

    @property
    def counting(self) -> CountEstimates:
        """The harness's counts, for algorithms that count."""
        assert isinstance(self.estimates, CountEstimates)
        return self.estimates

    @property
    def mixture(self) -> MixtureEstimates:
        """The harness's regression, for algorithms that regress."""
        assert isinstance(self.estimates, MixtureEstimates)
        return self.estimates

    @cached_property
    def regression(self) -> Regression:
        """The regression on phi_k, as the algorithm reports it and as the harness recomputes it."""
        seen, longest = self.steps_before.astype(float), self.public.B * self.public.H
        gram, replay = self.plans["gram"], self.mixture.gram
        return Regression(self.axes, self.labels, gram, replay, self.public.ridge, seen, 1, longest)

    @cached_property
    def chain(self) -> Array:
        """(p, d, d) what the updates of each epoch add to the perturbation of Lambda, see `rank_one`."""
        steps, first = self.steps, np.searchsorted(self.steps.epoch, np.arange(self.count))
        met = self.mixture.phi[steps.epoch, steps.rows]
        return np.asarray(np.add.reduceat(rank_one.perturbations(self.mixture.gram[0], met), first))

    @cached_property
    def steps_before(self) -> IntArray:
        """(p,) steps played before each epoch, T_k - 1."""
        earlier = np.concatenate([[0], np.cumsum(self.lengths)[:-1]])
        return np.asarray(int(self.before.get("lengths", 0)) + earlier)
