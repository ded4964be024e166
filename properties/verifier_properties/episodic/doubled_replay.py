"""Models that change, pair by pair, when the number of visits reaches a power of two: replayed from the transcript.

The model of a pair with N visits is that of its first n = 2^i <= N < 2^{i+1} visits, whenever the plan is made; its reward is the
mean over the later half of these, or that of the first visit (Zhang, Ji and Du 2021, Algorithm 1).

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier_properties.episodic.tabular_model import Model
from verifier_settings.episodic import Phases, Public, Truth, bonuses
from verifier_settings.episodic.environment import EpisodicTranscript
from verifier_settings.views import Problem


def power_below(visits: Array) -> Array:
    """The largest power of two that is at most N; 0 where N = 0."""
    return np.where(visits > 0, np.ldexp(1.0, np.frexp(visits)[1] - 1), 0.0)


def earlier(rows: IntArray) -> IntArray:
    """(T,) how often the pair of each step was visited before it."""
    order = np.argsort(rows, kind="stable")
    found = np.empty(len(rows), dtype=np.int64)
    found[order] = np.arange(len(rows)) - np.searchsorted(rows[order], rows[order], side="left")
    return found


@dataclass(frozen=True, eq=False)
class Doubled:
    """Model of each pair when its count last was a power of two.

    Attributes
    ----------
    visits : (..., X) array
        n; 0 where nothing was seen.
    kernel : (..., X, S) array
        Phat, of the first n next states; zero rows where nothing was seen.
    reward : (..., X) array
        rhat, of the rewards of visits n/2 + 1 to n, or of the first.
    """

    visits: Array
    kernel: Array
    reward: Array


class Steps:
    """The steps of a run, in order.

    Parameters
    ----------
    instance : Problem
    transcript : EpisodicTranscript
    episodes : int
        How many of its episodes are looked at.
    """

    def __init__(self, instance: Problem[Public, Truth], transcript: EpisodicTranscript, episodes: int) -> None:
        truth, self.public = instance.truth, instance.public
        states, actions = transcript.states[:episodes], transcript.actions[:episodes]
        rows = states[:, :-1] * self.public.A + actions
        drawn = truth.paid(rows) if transcript.rewards is None else transcript.rewards[:episodes]
        self.rows, self.following, self.rewards = rows.ravel(), states[:, 1:].ravel(), drawn.ravel()
        self.earlier = earlier(self.rows)

    def visits(self, episodes: int) -> Array:
        """(X,) how often each pair was visited before an episode, counted from 0."""
        return np.bincount(self.rows[: episodes * self.public.H], minlength=self.public.X).astype(float)

    def frequencies(self, episodes: int, first: Array, last: Array) -> Array:
        """(X, S) of the next states of visits first + 1 to last of each pair, of those before an episode."""
        S, (rows, chosen) = self.public.S, self._chosen(episodes, first, last)
        counts = np.bincount(rows * S + self.following[: len(rows)], weights=chosen, minlength=self.public.X * S)
        return counts.reshape(-1, S) / np.maximum(last - first, 1.0)[:, None]

    def mean(self, episodes: int, first: Array, last: Array) -> Array:
        """(X,) of the rewards of the same."""
        rows, chosen = self._chosen(episodes, first, last)
        sums = np.bincount(rows, weights=self.rewards[: len(rows)] * chosen, minlength=self.public.X)
        return sums / np.maximum(last - first, 1.0)

    def _chosen(self, episodes: int, first: Array, last: Array) -> tuple[IntArray, BoolArray]:
        """The pairs of the steps before an episode, and which of these steps are visits first + 1 to last."""
        rows = self.rows[: episodes * self.public.H]
        rank = self.earlier[: len(rows)]
        return rows, np.asarray((rank >= first[rows]) & (rank < last[rows]))

    def doubled(self, episodes: int) -> Doubled:
        """The model before an episode."""
        n = power_below(self.visits(episodes))
        return Doubled(n, self.frequencies(episodes, 0.0 * n, n), self.mean(episodes, np.floor(n / 2), n))


def steps_of(view: Phases) -> Steps:
    """Steps of a run before the last plan of a batch."""
    return Steps(view.instance, view.transcript, int(view.start[-1]))


def _doubled(view: Phases) -> tuple[Array, Array, Array]:
    steps = steps_of(view)
    each = [steps.doubled(int(k)) for k in view.start]
    return np.stack([d.visits for d in each]), np.stack([d.kernel for d in each]), np.stack([d.reward for d in each])


def doubled(view: Phases) -> Doubled:
    """Models of every plan: a first axis of plans."""
    return Doubled(*view.once(_doubled))


def spread_of_best(view: Phases) -> Array:
    """(p, H, X) Var(Phat, V*_{h+1})."""
    return bonuses.spread(doubled(view).kernel[:, None], view.truth.V[1:])


DOUBLED = Model(lambda view: doubled(view).visits[:, None], lambda view: doubled(view).kernel[:, None], "kernel")
"""Model that is the same at all steps."""


def per_visit(iota: Array | float, visits: Array) -> Array:
    """iota / n; infinite where nothing was seen, and NaN where no iota is known."""
    share = iota / np.maximum(visits, 1.0)
    return np.where(visits > 0, share, share + np.inf)
