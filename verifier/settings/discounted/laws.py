"""Evidence against the laws of the stream, as logarithms of likelihood ratios that add up over a run.

Each function returns, per epoch, one number for each of G alternatives fixed in advance. The exponential of the sum over a run
has mean at most 1 if the law is the paper's, so the average over the alternatives is an *e-value*: it exceeds x with probability
at most 1/x (Markov). What no alternative resembles is not seen.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.settings.discounted.played import PlayedEpochs

LEAST, LARGEST = 1e-3, 1.0 - 1e-3
"""No alternative excludes anything."""

FLOOR = -700.0
"""Stands for log 0, so that an impossible action counts as overwhelming evidence and not as infinite."""

TEMPERATURES = (0.0, 0.5, 2.0, 8.0)
"""Exponents alpha of the alternatives pi^alpha: from uniform to nearly greedy."""

STAKES = (0.01, 0.03, 0.1, 0.3, 0.6)
"""Fractions of the capital that are bet on bonus sums being too large."""


def hazards(gamma: float, longest: int) -> Array:
    """(G, longest) probabilities of a reset after a step of each age: other odds, the probability g, a fixed length H."""
    age = np.arange(1, longest + 1)
    odds = (1.0 - gamma) / gamma * np.array([0.125, 0.5, 0.8, 1.25, 2.0, 8.0])
    constant = np.concatenate([odds / (1.0 + odds), [gamma]])
    fixed = np.where(age < round(1.0 / (1.0 - gamma)), 0.0, 1.0)
    every = np.vstack([np.repeat(constant[:, None], longest, axis=1), fixed])
    return np.clip(every, LEAST, LARGEST)


def coin(view: PlayedEpochs) -> Array:
    """(p, G): after each of the played steps the epoch ends with probability 1-g, independently of the past."""
    gamma, played = view.public.gamma, view.played
    q = hazards(gamma, int(played.max(initial=1)))
    stays = np.cumsum(np.log1p(-q) - np.log(gamma), axis=1)
    stays = np.concatenate([np.zeros((len(q), 1)), stays], axis=1)
    ends = np.log(q) - np.log1p(-gamma)
    last = np.maximum(played - 1, 0)
    found = np.where(view.closed, stays[:, last] + ends[:, last], stays[:, played])
    return np.where(played > 0, found, 0.0).T


def action(view: PlayedEpochs) -> Array:
    """(p, G): the actions of the played steps have law pi_k."""
    steps = view.steps
    first = np.searchsorted(steps.epoch, np.arange(view.count))
    counted = np.arange(len(steps.rows)) - first[steps.epoch] < view.played[steps.epoch]
    log_pi = np.maximum(view.log_policy, FLOOR)
    out = np.empty((view.count, len(TEMPERATURES)))
    for g, alpha in enumerate(TEMPERATURES):
        other = alpha * log_pi
        other -= other.max(axis=2, keepdims=True)
        other -= np.log(np.exp(other).sum(axis=2, keepdims=True))
        ratio = (other - log_pi).reshape(view.count, -1)[steps.epoch, steps.rows]
        out[:, g] = np.bincount(steps.epoch, weights=np.where(counted, ratio, 0.0), minlength=view.count)
    return out


def bonus_drift(view: PlayedEpochs) -> Array:
    """(p, G): the sum of CB_k over an epoch has mean H <mu^k, CB_k> (Lemma 4.4).

    In units of H max CB_k, known before the epoch, the difference is at least -1, so a stake below 1 never loses everything.
    """
    unit = view.public.H * view.bonus.max(axis=(1, 2))
    difference = view.met_bonus - view.public.H * view.played_bonus
    scaled = np.divide(difference, unit, out=np.zeros(view.count), where=unit > 0)
    return np.log1p(np.array(STAKES) * np.maximum(scaled, -1.0)[:, None])


def e_value(log_ratios: Array) -> float:
    """The average likelihood ratio of the alternatives, at most 1e300; from sums over a run, shape (G,)."""
    top = float(np.max(log_ratios))
    log_mean = top + float(np.log(np.mean(np.exp(log_ratios - top))))
    return float(np.exp(min(log_mean, 690.0)))
