"""Estimates drawn to 0 by one visit more than there were, and backups of them with noise, replayed from the transcript.

A pair of which n visits were seen at a step has the sums of what was seen, divided by n + 1: as if one more visit had paid
nothing and ended the episode. The estimate of the kernel is no law, its rows sum to n / (n + 1).

Views: `verifier.settings.episodic.Phases`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.model.measurement import Inequality, Part, equality
from verifier.model.property import phase_property
from verifier.settings.episodic import Phases, Public, Run, Truth, tolerances

TOPIC = "Planning"


@dataclass(frozen=True)
class Tallies:
    """What was seen at each step before some points of a run.

    Attributes
    ----------
    visits, earned : (..., H, X) arrays
        How often a pair was played, and the sum of the rewards it paid.
    transitions : (..., H, X, S) array
        How often each state came next.
    """

    visits: Array
    earned: Array
    transitions: Array

    @classmethod
    def of(cls, view: Phases) -> Tallies:
        """Before each plan of a batch."""
        return cls(view.step_visits, view.earned, view.counts)

    @classmethod
    def before(cls, view: Run) -> Tallies:
        """Before each plan of a run."""
        later = np.searchsorted(view.plans, np.arange(len(view.actions)), side="right")
        seen = cls._sums(view.public, later, len(view.plans) + 1, view.states, view.actions, view.rewards)
        return cls(*(np.cumsum(sums, axis=0)[:-1] for sums in seen))

    @classmethod
    def seen(cls, public: Public, states: IntArray, actions: IntArray, rewards: Array) -> Tallies:
        """In episodes (e, H+1), (e, H), (e, H)."""
        return cls(*(sums[0] for sums in cls._sums(public, np.zeros(len(actions), dtype=int), 1, states, actions, rewards)))

    @staticmethod
    def _sums(
        public: Public, group: IntArray, groups: int, states: IntArray, actions: IntArray, rewards: Array
    ) -> tuple[Array, Array, Array]:
        """By groups of episodes."""
        shape = (groups, public.H, public.S * public.A)
        earned, transitions = np.zeros(shape), np.zeros((*shape, public.S))
        at = (np.broadcast_to(group[:, None], actions.shape), np.arange(public.H), states[:, :-1] * public.A + actions)
        np.add.at(earned, at, rewards)
        np.add.at(transitions, (*at, states[:, 1:]), 1.0)
        return transitions.sum(axis=3), earned, transitions

    @property
    def total(self) -> Array:
        """(..., H, X) what sums are divided by: n + 1."""
        return self.visits + 1.0

    @property
    def reward(self) -> Array:
        """(..., H, X) R."""
        return self.earned / self.total

    @property
    def kernel(self) -> Array:
        """(..., H, X, S) P."""
        return self.transitions / self.total[..., None]

    def backup(self, V: Array) -> Array:
        """(..., H, X) P V_{h+1} of values (..., H+1, S)."""
        return np.matmul(self.transitions, V[..., 1:, :, None])[..., 0] / self.total

    def error(self, truth: Truth) -> Array:
        """(..., H, X) R - r + (P - P_h) V*_{h+1}: by how much the backup of V* is off."""
        return self.reward + self.backup(truth.V) - _backup(truth)


def _backup(truth: Truth) -> Array:
    """(H, X) r + P_h V*_{h+1}."""
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
    found, largest = Tallies.of(view), max(1.0, abs(view.public.low), abs(view.public.high))
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
    found, tolerance = Tallies.of(view), tolerances.frequency(view.public, view.start)[:, None, None, None]
    return equality(
        view.reported("step_kernel"), found.kernel, axes=(*view.pair_axes, "s"), tolerance=tolerance, labels=view.labels,
        explanations={
            "the frequencies, with n for n + 1": lambda: view.step_kernel,
            "the formula and 1/(n + 1) spread over all states": lambda: (
                found.kernel + 1.0 / (view.public.S * found.total[..., None])
            ),
            "the states that are left, not those that follow": lambda: (
                (found.visits / found.total)[..., None] * np.repeat(np.eye(view.public.S), view.public.A, axis=0)
            ),
            "the transitions of all steps": lambda: np.broadcast_to(
                (view.transitions / (view.visits + 1.0)[..., None])[:, None], found.transitions.shape
            ),
        },
    )  # fmt: skip


@phase_property("noise")
def perturbed(view: Phases) -> Inequality:
    """Q_h of every plan against R + noise + P V_{h+1}, estimates from the transcript, noise and V of the plan."""
    found, noise = Tallies.of(view), view.reported("noise")
    backup = found.backup(view.V)
    shape = view.Q.shape
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
    )  # fmt: skip


@phase_property("noise")
def value_size(view: Phases) -> Inequality:
    """|V_h| of every plan against (H - h + 1) (1 + the largest noise of the plan, in absolute value)."""
    H = view.public.H
    left = H - np.arange(H + 1.0)
    largest = np.abs(view.reported("noise")).max(axis=(1, 2))
    bound = left[:, None] * (1.0 + largest)[:, None, None]
    return Inequality(
        np.abs(view.V), bound, ("plan", "step", "s"), tolerance=H * rounding(view)[:, None, None], labels=view.labels
    )  # fmt: skip
