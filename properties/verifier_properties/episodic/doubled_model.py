"""Models that change, pair by pair, when the number of visits reaches a power of two: replayed from the transcript.

The model of a pair with N visits is that of its first n = 2^i <= N < 2^{i+1} visits, whenever the plan is made; its reward is the
mean over the later half of these, or that of the first visit (Zhang, Ji and Du 2021, Algorithm 1).

Views: `verifier.settings.episodic.Phases` and `Run`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray
from verifier.model.measurement import WHOLE, Inequality, equality
from verifier.model.property import phase_property, run_property
from verifier.settings.episodic import Phases, Public, Run, Truth, tolerances
from verifier.settings.episodic.environment import EpisodicTranscript
from verifier.settings.views import Problem
from verifier_properties.episodic.doubling import planning_bound, visits_before
from verifier_properties.episodic.tabular_model import Model

TOPIC = "Confidence"


def power_below(visits: Array) -> Array:
    """The largest power of two that is at most N; 0 where N = 0."""
    return np.where(visits > 0, np.ldexp(1.0, np.frexp(visits)[1] - 1), 0.0)


def earlier(rows: IntArray) -> IntArray:
    """(T,) how often the pair of each step was visited before it."""
    order = np.argsort(rows, kind="stable")
    found = np.empty(len(rows), dtype=np.int64)
    found[order] = np.arange(len(rows)) - np.searchsorted(rows[order], rows[order], side="left")
    return found


@dataclass(frozen=True)
class Doubled:
    """What was known of each pair when its count last was a power of two.

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

    def doubled(self, episodes: int) -> Doubled:
        """The model before an episode, counted from 0."""
        X, S, last = self.public.X, self.public.S, episodes * self.public.H
        rows, rank = self.rows[:last], self.earlier[:last]
        visits = power_below(np.bincount(rows, minlength=X).astype(float))
        used, recent = rank < visits[rows], rank >= np.floor(visits[rows] / 2)
        counts = np.bincount(rows * S + self.following[:last], weights=used, minlength=X * S).reshape(X, S)
        sums = np.bincount(rows, weights=self.rewards[:last] * (used & recent), minlength=X)
        return Doubled(visits, counts / np.maximum(visits, 1.0)[:, None], sums / np.maximum(np.ceil(visits / 2), 1.0))


def _doubled(view: Phases) -> tuple[Array, Array, Array]:
    steps = Steps(view.instance, view.transcript, int(view.start[-1]))
    each = [steps.doubled(int(k)) for k in view.start]
    return np.stack([d.visits for d in each]), np.stack([d.kernel for d in each]), np.stack([d.reward for d in each])


def doubled(view: Phases) -> Doubled:
    """That of every plan: a first axis of plans."""
    return Doubled(*view.once(_doubled))


DOUBLED = Model(
    lambda view: doubled(view).visits[:, None],
    lambda view: doubled(view).kernel[:, None],
    "kernel",
    lambda view: doubled(view).reward[:, None],
)
"""The same at all steps."""


def per_visit(iota: Array | float, visits: Array) -> Array:
    """iota / n; infinite where nothing was seen, and NaN where no iota is known."""
    share = iota / np.maximum(visits, 1.0)
    return np.where(visits > 0, share, share + np.inf)


# What plans report ----------------------------------------------------------------------------------------------------


@phase_property("visits")
def visits(view: Phases) -> Inequality:
    """n(s,a) of every plan against the largest power of two that is at most the number of visits in earlier episodes."""
    return equality(
        view.reported("visits"), doubled(view).visits, axes=("plan", "pair"), tolerance=0.0, labels=view.labels,
        explanations={
            "all visits, not the last power of two": lambda: view.visits,
            "half of the formula, where that is 1 or more": lambda: np.floor(doubled(view).visits / 2),
        },
    )  # fmt: skip


def _known(view: Phases) -> BoolArray:
    return np.asarray(doubled(view).visits > 0)


@phase_property("kernel")
def kernel(view: Phases) -> Inequality:
    """Phat of every plan against the frequencies of the first n(s,a) visits, where n(s,a) > 0."""
    return equality(
        view.reported("kernel"), doubled(view).kernel, axes=("plan", "pair", "s"), labels=view.labels,
        tolerance=tolerances.frequency(view.public, view.start)[:, None, None], premise=_known(view)[:, :, None],
        explanations={"frequencies of all visits": lambda: view.kernel},
    )  # fmt: skip


@phase_property("reward")
def reward(view: Phases) -> Inequality:
    """rhat of every plan against the mean reward of visits n/2 + 1 to n, or of the first one; where n(s,a) > 0."""
    return equality(
        view.reported("reward"), doubled(view).reward, axes=("plan", "pair"), labels=view.labels,
        tolerance=tolerances.frequency(view.public, view.start)[:, None] * tolerances.scale(view.public),
        premise=_known(view),
        explanations={"the mean over all visits": lambda: view.mean_reward},
    )  # fmt: skip


# When plans are made --------------------------------------------------------------------------------------------------


@run_property(topic="Planning")
def plans_when_triggered(view: Run) -> Inequality:
    """Plans of each episode, in secret included, against 1 at first and after episodes in which a count reached a power of two.

    After the last episode nothing is left to plan for, and planning there, as the pseudo-code has it, is no mistake.
    """
    n, K = power_below(visits_before(view).astype(float)), view.public.K
    expected = np.append(1.0, (n[1:] > n[:-1]).any(axis=1))
    planned = np.bincount(np.concatenate([view.plans, view.secret[view.secret < K]]), minlength=K).astype(float)
    return Inequality(
        np.abs(planned - expected), 0.0, ("episode",), trivial=1.0, tolerance=WHOLE,
        labels={"episode": view.labels["episode"]}, identity=True, sides=(planned, expected),
    )  # fmt: skip


def visit_sum_bound(public: Public) -> float:
    """S A (3H - 2 + log2(8T / (S A))), for T >= S A.

    A pair is played with n = 2^i from its visit number 2^i + 1 to number 2^{i+1}, and then until the episode ends: 2^i + H - 1
    times at most, and H times with n = 0. So it adds at most H + sum_i (1 + (H - 1) / 2^i) <= 3H - 2 and the number of the
    powers that it reaches, 1 + log2 N of N visits; over all pairs these are at most S A log2(8T / (S A)), as in `planning_bound`.
    """
    return public.X * (3 * public.H - 2) + planning_bound(public, public.T)


@run_property("visits", topic="Potential")
def visit_sum(view: Run) -> Inequality:
    """sum_{k,h} 1/max(1, n_k(s,a)) of the counts the plans report, where T >= S A."""
    public = view.public
    total = float((1.0 / np.maximum(view.series.reported_visits, 1.0)).sum())
    return Inequality(
        total, visit_sum_bound(public), trivial=float(public.T), tolerance=8 * EPS * public.T**2,
        premise=bool(public.T >= public.X),
    )  # fmt: skip
