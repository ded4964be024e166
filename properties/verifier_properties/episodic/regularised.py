"""Estimates drawn to 0 by one visit more than there were, and backups of them with noise, replayed from the transcript.

A pair of which n visits were seen at a step has the sums of what was seen, divided by n + 1: as if one more visit had paid
nothing and ended the episode. The estimate of the kernel is no law, its rows sum to n / (n + 1).

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.formulas.quantity import reports
from verifier.model.measurement import UNBOUNDED, Inequality, Part, equality
from verifier.model.property import phase_property
from verifier_settings.counts import Seen
from verifier_settings.episodic import Phases, Public, Run, Truth, tolerances

TOPIC = "Planning"


@dataclass(frozen=True, eq=False)
class Tallies:
    """Counts and rewards at each step before some points of a run.

    Attributes
    ----------
    visits, earned : (..., H, X) arrays
        How often a pair was played, and the sum of the rewards it paid.
    places : (m,) int array
        The transitions that were seen at all: places in (H, X, S), ascending.
    times : (..., m) array
        How often each was.
    """

    visits: Array
    earned: Array
    places: IntArray
    times: Array

    @classmethod
    def of(cls, view: Phases) -> Tallies:
        """Tallies before each plan of a batch."""
        return cls(view.step_visits, view.earned, *view.history.met)

    @classmethod
    def before(cls, view: Run) -> Tallies:
        """Tallies before each plan of a run."""
        plan = np.searchsorted(view.plans, np.arange(len(view.actions)), side="right") - 1
        return cls._summed(view.public, len(view.plans), plan, view.states, view.actions, view.rewards)

    @classmethod
    def seen(cls, public: Public, states: IntArray, actions: IntArray, rewards: Array) -> Tallies:
        """Tallies of episodes (e, H+1), (e, H), (e, H): before a second plan, where these were played under the first."""
        found = cls._summed(public, 2, np.zeros(len(actions), dtype=int), states, actions, rewards)
        return cls(found.visits[1], found.earned[1], found.places, found.times[1])

    @classmethod
    def _summed(cls, public: Public, plans: int, plan: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> Tallies:
        """Tallies before each plan, of episodes by the plan in force."""
        row, shape = states[:, :-1] * public.A + actions, (public.H, public.X)
        seen, earned = Seen(np.zeros((*shape, public.S)), plans, plan, row, states[:, 1:]), np.zeros((plans + 1, *shape))
        # Rewards under plan j are known from plan j + 1 on: they are put one row later, and summed up over the plans.
        np.add.at(earned, (plan[:, None] + 1, np.arange(public.H), row), rewards)
        return cls(seen.visits, np.cumsum(earned[:-1], axis=0), *seen.met)

    @property
    def total(self) -> Array:
        """(..., H, X) what sums are divided by: n + 1."""
        return self.visits + 1.0

    @property
    def reward(self) -> Array:
        """Mean rewards R, shape (..., H, X)."""
        return self.earned / self.total

    def backup(self, following: Array, first: int = 0) -> Array:
        """(..., n, X) P V_{h+1} of values (..., n, S) after each of n steps, from `first` (0 to H - 1) on."""
        n, S = following.shape[-2:]
        X = self.visits.shape[-1]
        # `places` has the transitions that were ever seen, in the order of (h, pair, next state): those of steps `first` to
        # `first + n` are one slice of it. Most of H X S are never seen, so the product is over these alone.
        begin, end = np.searchsorted(self.places, (first * X * S, (first + n) * X * S))
        pair, state = np.divmod(self.places[begin:end] - first * X * S, S)
        each = self.times[..., begin:end] * following.reshape(*following.shape[:-2], n * S)[..., pair // X * S + state]
        # reduceat sums from each start to the next: a start is where the pair changes. Pairs without a visit stay 0.
        found, starts = np.zeros((*each.shape[:-1], n * X)), np.flatnonzero(np.diff(pair, prepend=-1))
        if starts.size:
            found[..., pair[starts]] = np.add.reduceat(each, starts, axis=-1)
        return found.reshape(*each.shape[:-1], n, X) / self.total[..., first : first + n, :]

    def error(self, truth: Truth) -> Array:
        """(..., H, X) R - r + (P - P_h) V*_{h+1}: by how much the backup of V* is off."""
        return self.reward + self.backup(truth.V[1:]) - aim(truth)


def tallies(view: Phases) -> Tallies:
    """Tallies before each plan of a batch, counted once."""
    return view.once(Tallies.of)


def tallies_before(view: Run) -> Tallies:
    """Tallies before each plan of a run, counted once."""
    return view.once(Tallies.before)


def aim(truth: Truth) -> Array:
    """(H, X) r + P_h V*_{h+1}, what backups of V* estimate."""
    return truth.rewards + np.matmul(truth.kernel, truth.V[1:, :, None])[..., 0]


def rounding(view: Phases) -> Array:
    """(p,) of a backup, from estimates that may be kept as running means, and from values and noise of any size."""
    public = view.public
    size = 1.0 + np.abs(view.V).max(axis=(1, 2)) + np.abs(view.reported("noise")).max(axis=(1, 2))
    return size * (8 * EPS * (public.S + 3) + (public.S + 1) * tolerances.frequency(public, view.start))


def rounding_of_values(view: Run, size: Array) -> Array:
    """(K,) of a statement about the values of each episode, which rests on backups of up to H steps, of values of this size."""
    public = view.public
    return size * public.H * tolerances.backup(public, np.arange(public.K)) / tolerances.scale(public)


@phase_property("step_reward")
def reward(view: Phases) -> Inequality:
    """The reward estimates of every plan against the sums of the rewards seen at the step, divided by n + 1."""
    found, largest = tallies(view), max(1.0, abs(view.public.low), abs(view.public.high))
    tolerance = largest * tolerances.frequency(view.public, view.start)[:, None, None]
    return equality(
        view.reported("step_reward"), found.reward, axes=view.pair_axes, tolerance=tolerance, labels=view.labels,
        explanations={
            "the mean, with n for n + 1": lambda: view.step_mean_reward,
            "the rewards themselves": lambda: np.broadcast_to(view.truth.rewards, found.visits.shape),
            "the rewards of all steps": lambda: np.broadcast_to(
                (view.earned.sum(axis=1) / (view.visits + 1.0))[:, None], found.visits.shape
            ),
        },
    )  # fmt: skip


@phase_property("step_kernel")
def kernel(view: Phases) -> Inequality:
    """The kernel estimates of every plan against the transitions seen at the step, divided by n + 1."""
    tolerance = tolerances.frequency(view.public, view.start)[:, None, None, None]
    total = (view.step_visits + 1.0)[..., None]
    kernel = view.counts / total
    return equality(
        view.reported("step_kernel"), kernel, axes=(*view.pair_axes, "s"), tolerance=tolerance, labels=view.labels,
        explanations={
            "the frequencies, with n for n + 1": lambda: view.step_kernel,
            "the formula and 1/(n + 1) spread over all states": lambda: (
                kernel + 1.0 / (view.public.S * total)
            ),
            "the states that are left, not those that follow": lambda: (
                view.step_visits[..., None] / total * np.repeat(np.eye(view.public.S), view.public.A, axis=0)
            ),
            "the transitions of all steps": lambda: np.broadcast_to(
                (view.transitions / (view.visits + 1.0)[..., None])[:, None], kernel.shape
            ),
        },
    )  # fmt: skip


@phase_property("noise")
def perturbed(view: Phases) -> Inequality:
    """Q_h of every plan against R + noise + P V_{h+1}, estimates from the transcript, noise and V of the plan."""
    found, noise = tallies(view), view.reported("noise")
    backup = found.backup(view.V[:, 1:])
    shape = view.Q.shape

    def repaired() -> Array:
        """Formula with the estimates that the plans report, and V as the width was asked with it."""
        own = np.matmul(view.reported("step_kernel"), view.handed[..., None])[..., 0]
        return np.asarray(view.reported("step_reward") + noise + own).reshape(shape)

    return equality(
        view.Q, (found.reward + noise + backup).reshape(shape), axes=("plan", "h", "s", "a"), labels=view.labels,
        tolerance=rounding(view)[:, None, None, None],
        parts={
            "the noise": Part(lambda: noise, lambda part: (found.reward + part + backup).reshape(shape)),
            "the backup": Part(lambda: backup, lambda part: (found.reward + noise + part).reshape(shape)),
            "the reward": Part(lambda: found.reward, lambda part: (part + noise + backup).reshape(shape)),
        },
        explanations={
            "the formula cut at H": lambda: np.minimum(found.reward + noise + backup, view.public.H).reshape(shape),
            "the formula cut at the steps left": lambda: np.clip(
                found.reward + noise + backup, 0.0, (view.public.H - np.arange(view.public.H))[:, None]
            ).reshape(shape),
        },
        repaired=repaired if reports(view, "step_reward", "step_kernel") else None,
    )  # fmt: skip


@phase_property("noise")
def value_size(view: Phases) -> Inequality:
    """|V_h| of every plan against (H - h + 1) (1 + the largest noise of the plan, in absolute value)."""
    H = view.public.H
    left = H - np.arange(H + 1.0)
    largest = np.abs(view.reported("noise")).max(axis=(1, 2))
    bound = left[:, None] * (1.0 + largest)[:, None, None]
    return Inequality(
        np.abs(view.V), bound, ("plan", "step", "s"), trivial=UNBOUNDED,
        tolerance=H * rounding(view)[:, None, None], labels=view.labels
    )  # fmt: skip
