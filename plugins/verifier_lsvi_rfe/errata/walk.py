"""Walks of both algorithms in an MDP of one action with coordinates as features: every matrix is diagonal, every line a scalar.

Nothing is chosen, so a run is known once its states are. Here they are given, and each transcript has a positive probability;
what a lemma says of every run on which an event holds can be looked at on one of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np

from verifier.base.arrays import Array


class Walk:
    """Algorithm 1 along given states; d = S, phi(s) = e_s.

    Parameters
    ----------
    S, H, K : int
    ridge, beta : float
        lambda and beta_E, the inputs of Algorithm 1.

    Attributes
    ----------
    gram, raw_gram : (H, S) arrays
        The diagonals of Lambda-hat_h and Lambda-tilde_h.
    sums : (H, S, S) array
        sum_i sigma-hat_i^-2 phi_i e_{s'_i}'.
    weights : (H,) array
        sigma-hat^2 of the last episode.
    """

    def __init__(self, S: int, H: int, K: int, *, ridge: float, beta: float) -> None:
        self.S, self.H, self.K, self.ridge, self.beta = S, H, K, ridge, beta
        self.gram, self.raw_gram = np.full((H, S), ridge), np.full((H, S), ridge)
        self.sums, self.weights = np.zeros((H, S, S)), np.zeros(H)

    @property
    def norms(self) -> Array:
        """(H, S) norms of the features in Lambda-hat_h^-1."""
        return 1.0 / np.sqrt(self.gram)

    def estimate(self, h: int, V: Array) -> Array:
        """(S,) mu-hat_h V, which is also Phat_h V."""
        return np.asarray(self.sums[h] @ V / self.gram[h])

    def values(self, bonus: float, reward: float = 0.0) -> Array:
        """(H+1, S) values of a backward pass with these bonuses per norm, and a reward that is the same everywhere."""
        V = np.zeros((self.H + 1, self.S))
        for h in reversed(range(self.H)):
            V[h] = np.minimum(reward + self.estimate(h, V[h + 1]) + bonus * self.norms[h], self.H)
        return V

    @property
    def explored(self) -> Array:
        """(H+1, S) the values of Algorithm 1 for the next episode: exploration reward and bonus are 3 beta_E ||phi||."""
        return self.values(3 * self.beta)

    def play(self, episodes: Iterable[Sequence[int]]) -> Walk:
        """Algorithm 1, lines 5 to 26, for episodes of H + 1 states."""
        d, H = self.S, self.H
        zeta = H * math.sqrt(self.ridge) / (2 * self.K * math.sqrt(d))
        for states in episodes:
            V = self.explored
            for h, (s, following) in enumerate(itertools.pairwise(states)):
                norm = 1.0 / math.sqrt(self.gram[h, s])
                W = min(H * (self.estimate(h, V[h + 1])[s] + self.beta * norm + zeta), H**2)
                raw = max(H, d**2 / H * W)
                enlarged = 1.0 / math.sqrt(raw * self.raw_gram[h, s]) > d**-3
                self.weights[h] = weight = max(H * d**3 if enlarged else H, raw)
                self.raw_gram[h, s] += 1 / raw
                self.gram[h, s] += 1 / weight
                self.sums[h, s, following] += 1 / weight
        return self

    def error(self, h: int, s: int, P: Array, V: Array) -> float:
        """||(mu_h - mu-hat_h) V|| in the norm of Lambda-hat_h, where s is the only state of step h: what the events bound."""
        return float(math.sqrt(self.gram[h, s]) * abs(P @ V - self.estimate(h, V)[s]))
