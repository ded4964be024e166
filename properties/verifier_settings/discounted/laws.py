"""Sums over epochs that evidence against the laws of the stream is made of, as logarithms.

What needs no plans is read from the transcript, by the properties.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.discounted.played import PlayedEpochs
from verifier_settings.discounted.policies import log, log_mass
from verifier_settings.discounted.solver import state_kernel

FLOOR = -700.0
"""Stands for log 0, so that an impossible action counts as overwhelming evidence and not as infinite."""


# The actions --------------------------------------------------------------------------------------------------------

TEMPERATURES = (0.0, 0.5, 2.0, 8.0)
"""Exponents alpha of the alternatives pi_k^alpha: from uniform to nearly greedy."""


def action(view: PlayedEpochs) -> Array:
    """(p, 8): log likelihood ratios of `TEMPERATURES`, pi_0 and pi_{k-1} to pi_k; log pi_k of what was played, and of action 0.

    Of the steps up to T.
    """
    log_pi = np.maximum(view.log_policy, FLOOR)
    others = [alpha * log_pi - log_mass(alpha * log_pi) for alpha in TEMPERATURES]
    others += [np.broadcast_to(np.maximum(log(view.public.initial_policy), FLOOR), log_pi.shape)]
    others += [np.maximum(view.previous_log_policy, FLOOR)]
    first = np.broadcast_to(log_pi[:, :, :1], log_pi.shape)
    return np.stack([_over_epochs(view, table) for table in (*(other - log_pi for other in others), log_pi, first)], axis=1)


def _over_epochs(view: PlayedEpochs, table: Array) -> Array:
    """(p,) the sum of a table (p, X, A) over the states and actions of each epoch, up to step T."""
    steps = view.steps
    first = np.searchsorted(steps.epoch, np.arange(view.count))
    counted = np.arange(len(steps.rows)) - first[steps.epoch] < view.played[steps.epoch]
    found = np.where(counted, table.reshape(view.count, -1)[steps.epoch, steps.rows], 0.0)
    return np.bincount(steps.epoch, weights=found, minlength=view.count)


# Sums of bonuses ------------------------------------------------------------------------------------------------------

TILTS = (-0.5, -0.1, -0.02, 0.02, 0.1, 0.5)
"""Exponents of the bets on sums of bonuses being too small or too large, per unit of H times the largest bonus."""


def bonus_drift(view: PlayedEpochs) -> Array:
    """(p, 12) of the sums of CB_k over each epoch: the evidence of every tilt, and what it would be at half of their means.

    With c = CB_k/(H max CB_k) and S the sum of c(X_t, A_t) over the epoch, the evidence is exp(s S) / E exp(s S), of mean 1. The
    denominator is exact: phi(x) = E[exp(s S) | X_1 = x] solves phi = sum_a pi_k exp(s c) (1-g + g P phi). It is finite for
    s < 1: a step multiplies by exp(s/H) at most, and g exp(s/H) < 1 as log(1/g) >= 1/H. A bonus below 0 counts as 0, on both
    sides.
    """
    largest = view.bonus.max(axis=(1, 2), keepdims=True)
    unit = view.public.H * largest
    share = np.divide(np.maximum(view.bonus, 0.0), unit, out=np.zeros(view.bonus.shape), where=unit > 0)
    flat = share.reshape(view.count, -1)
    total = np.bincount(view.steps.epoch, weights=flat[view.steps.epoch, view.steps.rows], minlength=view.count)
    mean = view.public.H * (view.mu * share).sum(axis=(1, 2))
    scale = log_moments(view, share, np.array(TILTS))
    seen, half = (np.outer(sums, TILTS) - scale for sums in (total, mean / 2))
    return np.concatenate([np.where(np.isfinite(scale), bets, 0.0) for bets in (seen, half)], axis=1)


def log_moments(view: PlayedEpochs, share: Array, tilts: Array) -> Array:
    """(p, n) log E exp(s S) for tilts s, S the sum of `share` (p, X, A) over an epoch from nu_0; NaN for what is no policy."""
    public = view.public
    weight = view.policy[:, None] * np.exp(tilts[:, None, None] * share[:, None])
    flow = np.eye(public.X) - public.gamma * state_kernel(view.truth.P, weight)
    moment = np.linalg.solve(flow, (1.0 - public.gamma) * weight.sum(axis=3)[..., None])[..., 0] @ view.truth.start
    return np.log(moment, where=moment > 0, out=np.full(moment.shape, np.nan))
