"""Bugs planted in KL-UCB."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant
from verifier_bandits.kl_ucb.algorithm import KLUCB
from verifier_bandits.shared.mutants import index_mutants


class Pinsker(KLUCB):
    """Pinsker's bound 2 (p - q)^2 in place of the divergence: the index of UCB, cut at 1."""

    def divergence(self, p: float, q: float) -> float:
        """Half of (2 (p - q))^2, never more than the divergence."""
        return 2 * (p - q) ** 2


class Exchanged(KLUCB):
    """The divergence with its arguments exchanged."""

    def divergence(self, p: float, q: float) -> float:
        """Divergence of p from q; infinite where p is 0 or 1."""
        return super().divergence(q, p) if 0 < p < 1 else math.inf


class FailuresAlone(KLUCB):
    """The first term of the divergence forgotten."""

    def divergence(self, p: float, q: float) -> float:
        """Term (1-p) ln((1-p)/(1-q)) alone."""
        return (1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0


class LowerRoot(KLUCB):
    """The other solution of the equation, below the mean."""

    def search(self, p: float, level: float) -> float:
        """The least q <= p with d(p, q) <= level: that of 1 - p, turned."""
        return 1 - super().search(1 - p, level)


class Coarse(KLUCB):
    """The search ends after four halvings."""

    def search(self, p: float, level: float) -> float:
        """The largest q on a grid of 16 between p and 1."""
        grid = p + (1 - p) * np.arange(16) / 16
        return max(q for q in grid.tolist() if q == p or self.divergence(p, q) <= level)


class CutShort(KLUCB):
    """Indices end at 0.99."""

    def search(self, p: float, level: float) -> float:
        """The index, at most 0.99."""
        return min(super().search(p, level), 0.99)


class OneMore(KLUCB):
    """One play more than there were."""

    def counted(self, N: Array) -> Array:
        """One play too many."""
        return N + 1.0


class PlaysForgotten(KLUCB):
    """The level is not divided by the plays."""

    def counted(self, N: Array) -> Array:
        """One play for each arm."""
        return np.ones(N.shape)


class LogAlone(KLUCB):
    """Constant c = 0, which the text recommends in practice, and its theorems do not have."""

    def level(self, t: float) -> float:
        """Level ln t."""
        return math.log(t)


class OnceForThrice(KLUCB):
    """Constant c = 1 for 3."""

    def level(self, t: float) -> float:
        """Level ln t + ln ln t."""
        return math.log(t) + math.log(math.log(t))


class PlaysSoFar(KLUCB):
    """The plays before the round for the number of the round."""

    def level(self, t: float) -> float:
        """Level ln n + 3 ln ln n of n = t - 1."""
        return super().level(max(t - 1, 2.0))


class Horizon(KLUCB):
    """The level of the last round at all of them."""

    def level(self, t: float) -> float:
        """Level ln K + 3 ln ln K."""
        return super().level(float(max(self.public.K, 3)))


class Stale(KLUCB):
    """The index of an arm is computed when it was played, and kept until it is played again."""

    def indices(self, mean: Array, width: float, n: float, N: Array) -> Array:
        """The new index of arms whose plays have changed, the old one of the others."""
        fresh = super().indices(mean, width, n, N)
        before, old = self.__dict__.get("kept", (np.zeros(N.shape), fresh))
        index = np.where(before != N, fresh, old)
        self.kept = N.copy(), index
        return index


_mutant = partial(plant, KLUCB)
_index = ("index-formula",)
MUTANTS = (
    *index_mutants(KLUCB),
    _mutant("pinsker", "2 (p - q)² for the divergence", Pinsker, _index),
    _mutant("exchanged", "d(q, p) for d(p, q)", Exchanged, _index),
    _mutant("failures-alone", "the divergence without p ln(p/q)", FailuresAlone, _index),
    _mutant("lower-root", "the solution below the mean", LowerRoot, ("upper-root",)),
    _mutant("coarse", "a search of four halvings", Coarse, _index),
    _mutant("cut-short", "indices end at 0.99", CutShort, _index),
    _mutant("above-one", "a quarter more, and nothing cut at 1", bugs.returns("search", lambda q: q + 0.25), ("index-range",)),
    _mutant("one-more", "N + 1 for N", OneMore, _index, differs="N + 1 for N"),
    _mutant("plays-forgotten", "the level for the level over N", PlaysForgotten, _index),
    _mutant("half-level", "half the level", bugs.scaled("level", 0.5), _index),
    _mutant("log-alone", "c = 0 for 3", LogAlone, _index, differs="Without 3 · ln(ln(t))"),
    _mutant("once-for-thrice", "c = 1 for 3", OnceForThrice, _index),
    _mutant("plays-so-far", "ln(t - 1) for ln t", PlaysSoFar, _index),
    _mutant("horizon", "K for t in the level", Horizon, _index, differs="K for t"),
    _mutant("stale", "an index renewed only when its arm was played", Stale, _index),
)
