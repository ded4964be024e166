"""Evidence against the laws of the stream.

Each likelihood ratio of another law to that of the paper has mean at most 1 if the latter is right. So has their average, with
weights fixed in advance: an *e-value*, which exceeds x with probability at most 1/x (Markov). What no alternative resembles is
not seen. What needs plans is added up epoch by epoch, as logarithms; the rest is read from the transcript.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.settings.discounted.played import PlayedEpochs
from verifier.settings.discounted.policies import log
from verifier.settings.discounted.run import Run
from verifier.statistics.evidence import log_average_ratio, log_binomial, log_mixture

LEAST, LARGEST = 1e-3, 1.0 - 1e-3
"""No alternative excludes anything."""

FLOOR = -700.0
"""Stands for log 0, so that an impossible action counts as overwhelming evidence and not as infinite."""


class Evidence(NamedTuple):
    """Logarithms of an e-value, and of what it is in the mean, or more, under a wrong law that is named."""

    seen: float
    expected: float


# The coin -----------------------------------------------------------------------------------------------------------

SLIGHT = (0.9, 1.1)
"""Factors of the probability of a reset. They are found by adding up little evidence of many runs: half of the weight."""

ODDS = (0.5, 0.125, 2.0, 8.0)
"""Factors of the odds of a reset; the first one is the law that a claim names."""

GROUPS = 3
"""Mixtures over all hazards: one for each age, one for each state and action, one for each state that follows."""


def rates(gamma: float) -> Array:
    """(6,) the alternatives `SLIGHT` and `ODDS` to the probability 1-g."""
    rate = 1.0 - gamma
    odds = np.array(ODDS) * rate / gamma
    return np.clip(np.concatenate([np.array(SLIGHT) * rate, odds / (1.0 + odds)]), LEAST, LARGEST)


def hazards(gamma: float, longest: int) -> Array:
    """(8, longest) probabilities of a reset after a step of each age: `rates`, the probability g, a fixed length H."""
    age = np.arange(1, longest + 1)
    fixed = np.where(age < round(1.0 / (1.0 - gamma)), 0.0, 1.0)
    constant = np.append(rates(gamma), gamma)
    every = np.vstack([np.repeat(constant[:, None], longest, axis=1), fixed])
    return np.clip(every, LEAST, LARGEST)


def weights(slight: int, others: int) -> Array:
    """Half for the first few alternatives, half for the others."""
    return np.repeat([0.5 / slight, 0.5 / others], [slight, others])


def relative_entropy(p: float, q: float) -> float:
    """KL of coins with probabilities p and q, in (0, 1)."""
    return p * math.log(p / q) + (1.0 - p) * math.log((1.0 - p) / (1.0 - q))


def coin(run: Run) -> Evidence:
    """After each step before the last the epoch ends with probability 1-g, whatever was seen.

    The coin after step T decides nothing, and an implementation need not flip it. Expected under the coin with half the odds.
    """
    gamma, flips = run.public.gamma, run.public.T - 1
    ends = run.resets[:flips]
    age = np.arange(flips) - run.plans[np.searchsorted(run.plans, np.arange(flips), side="right") - 1]
    q = hazards(gamma, int(age.max(initial=0)) + 1)[:, age]
    points = np.where(ends, np.log(q / (1.0 - gamma)), np.log1p(-q) - math.log(gamma)).sum(axis=1)
    pair = run.states[:flips] * run.public.A + run.actions[:flips]
    mixtures = [_grouped(cell, ends, 1.0 - gamma) for cell in (age, pair, run.successors[:flips])]
    weight = weights(len(SLIGHT), len(points) - len(SLIGHT) + GROUPS)
    wrong = float(rates(gamma)[len(SLIGHT)])
    expected = math.log(weight[len(SLIGHT)]) + flips * relative_entropy(wrong, 1.0 - gamma)
    return Evidence(log_average_ratio(np.append(points, mixtures), weight), expected)


def _grouped(cell: IntArray, ends: Array, rate: float) -> float:
    flips, hits = np.bincount(cell), np.bincount(cell, weights=ends)
    return log_binomial(hits, flips - hits, rate)


def epoch_count(run: Run) -> Evidence:
    """K(T) - 1 is the number of T-1 coins with probability 1-g that end an epoch. Expected under the coin with half the odds."""
    gamma, flips, ended = run.public.gamma, run.public.T - 1, run.epochs - 1
    q = rates(gamma)
    points = ended * np.log(q / (1.0 - gamma)) + (flips - ended) * (np.log1p(-q) - math.log(gamma))
    weight = weights(len(SLIGHT), len(ODDS))
    wrong = float(q[len(SLIGHT)])
    expected = math.log(weight[len(SLIGHT)]) + flips * relative_entropy(wrong, 1.0 - gamma)
    return Evidence(log_average_ratio(points, weight), expected)


# The actions --------------------------------------------------------------------------------------------------------

TEMPERATURES = (0.0, 0.5, 2.0, 8.0)
"""Exponents alpha of the alternatives pi_k^alpha: from uniform to nearly greedy."""


def action(view: PlayedEpochs) -> Array:
    """(p, 8): log likelihood ratios of `TEMPERATURES`, pi_0 and pi_{k-1} to pi_k; log pi_k of what was played, and of action 0.

    Of the steps up to T.
    """
    log_pi = np.maximum(view.log_policy, FLOOR)
    others = [_normalised(alpha * log_pi) for alpha in TEMPERATURES]
    others += [np.broadcast_to(np.maximum(log(view.public.initial_policy), FLOOR), log_pi.shape)]
    others += [np.maximum(view.previous_log_policy, FLOOR)]
    first = np.broadcast_to(log_pi[:, :, :1], log_pi.shape)
    return np.stack([_over_epochs(view, table) for table in (*(other - log_pi for other in others), log_pi, first)], axis=1)


def _normalised(log_weights: Array) -> Array:
    above = log_weights - log_weights.max(axis=2, keepdims=True)
    return np.asarray(above - np.log(np.exp(above).sum(axis=2, keepdims=True)))


def _over_epochs(view: PlayedEpochs, table: Array) -> Array:
    """(p,) the sum of a table (p, X, A) over the states and actions of each epoch, up to step T."""
    steps = view.steps
    first = np.searchsorted(steps.epoch, np.arange(view.count))
    counted = np.arange(len(steps.rows)) - first[steps.epoch] < view.played[steps.epoch]
    found = np.where(counted, table.reshape(view.count, -1)[steps.epoch, steps.rows], 0.0)
    return np.bincount(steps.epoch, weights=found, minlength=view.count)


def actions(run: Run) -> Evidence:
    """The actions have law pi_k: against what `action` has, and against all policies that do not depend on the epoch.

    Expected where action 0 is played always, at the same states under the same plans.
    """
    X, A, T = run.public.X, run.public.A, run.public.T
    *ratios, played, always = np.asarray(run.sums["action"])
    visits = np.bincount(run.states[:T], minlength=X)
    counts = np.bincount(run.states[:T] * A + run.actions[:T], minlength=X * A).reshape(X, A)
    ratios = [float(log_mixture(counts).sum()) - played, *ratios]
    weight = weights(1, len(ratios) - 1)
    zeros = visits[:, None] * np.eye(A)[0]
    return Evidence(log_average_ratio(np.array(ratios), weight), math.log(weight[0]) + float(log_mixture(zeros).sum()) - always)


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
    scale = np.stack([log_moment(view, share, tilt) for tilt in TILTS], axis=1)
    seen, half = (np.outer(sums, TILTS) - scale for sums in (total, mean / 2))
    return np.concatenate([np.where(np.isfinite(scale), bets, 0.0) for bets in (seen, half)], axis=1)


def log_moment(view: PlayedEpochs, share: Array, tilt: float) -> Array:
    """(p,) log E exp(tilt S), S the sum of `share` (p, X, A) over an epoch that starts from nu_0; NaN for what is no policy."""
    public = view.public
    P = view.truth.P.reshape(public.X, public.A, public.X)
    weight = view.policy * np.exp(tilt * share)
    flow = np.eye(public.X) - public.gamma * np.einsum("pxa,xay->pxy", weight, P)
    moment = np.linalg.solve(flow, (1.0 - public.gamma) * weight.sum(axis=2)[..., None])[..., 0] @ view.truth.start
    return np.log(moment, where=moment > 0, out=np.full(moment.shape, np.nan))


def bonus_sums(run: Run) -> Evidence:
    """The sum of CB_k over an epoch has mean H <mu^k, CB_k> (Lemma 4.4). Expected where every sum is half of that."""
    seen, half = np.asarray(run.sums["bonus_drift"]).reshape(2, -1)
    weight = np.full(len(TILTS), 1.0 / len(TILTS))
    return Evidence(log_average_ratio(seen, weight), log_average_ratio(half, weight))
