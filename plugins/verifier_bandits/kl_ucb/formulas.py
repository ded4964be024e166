"""The level of KL-UCB, and the bounds that the proof of its Theorem 2 adds up, in numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier_bandits.shared.oracle import Tallies
from verifier_properties.episodic.divergences import below, divergence
from verifier_settings.sessions import oracle_width


def level(t: Any) -> Any:
    """Level L_t = ln t + 3 ln ln t of round t."""
    return np.log(t) + 3 * np.log(np.log(t))


def misses(K: float) -> float:
    """Bound on the mean number of rounds in which the index of one arm is below its mean, the sum of those of Theorem 10.

    It is sum_t e ceil(ln^2 t + 3 ln t ln ln t) / (t ln^3 t), from round 3 on: before, L_t is negative, and two arms have no index
    yet.
    """
    t = np.arange(3.0, K + 1.0)
    log = np.log(t)
    return float((np.e * np.ceil(log**2 + 3 * log * np.log(log)) / (t * log**3)).sum())


def underestimates(A: float, K: float) -> float:
    """Bound on the mean number of rounds and arms whose index is below the mean: that of one arm, for each."""
    return A * misses(K)


CUTS = np.linspace(0.0, 1.0, 101)[1:-1]
"""Places r between the mean of an arm and the best one at which the proof may cut; every epsilon of the theorem is one."""


def plays(means: Array, K: float) -> Array:
    """(losing arms,) bounds on the mean number of plays of each arm.

    Rounds in which the index of the best arm is below its mean, the first play, and the rest: for r between mu_a and mu*, and
    K_n = floor(L_K / d(r, mu*)), these are at most K_n + exp(-d(r, mu_a) K_n) / (1 - exp(-d(r, mu_a))). The best r counts.

    Parameters
    ----------
    means : (losing arms, 2) array
        mu_a and mu*.
    K : float
        Rounds.
    """
    mu, best = means[:, :1], means[:, 1:]
    r = mu + CUTS * (best - mu)
    early = np.floor(level(np.asarray(K)) / divergence(r, best))
    chance = np.exp(-divergence(r, mu))
    return np.asarray(misses(K) + 1 + (early + chance**early / (1 - chance)).min(axis=1))


def regret(means: Array, K: float) -> float:
    """Bound on the mean regret: what a play of each arm loses times the bound on its plays."""
    mu, best = means.T
    return float(((best - mu) * plays(means, K)).sum())


class LevelError(Tallies):
    """Error in units of the level."""

    def error(self, step: int, target: Array) -> Array:
        """N d+(mean, mu) of each arm; 0 of one that was never played."""
        plays, earned = self.tallies()
        means = (earned / np.maximum(plays, 1)).clip(0.0, 1.0)
        return np.asarray(plays * below(means, self.instance.truth.reward))

    def width(self, step: int, target: Array) -> float:
        """Largest share of the level; before all arms were played, and where the level is negative, nothing is covered."""
        plays, _earned = self.tallies()
        t = plays.sum() + 1.0
        return oracle_width(float(self.error(step, target).max() / level(t)) if plays.all() and t >= 3 else 0.0)
