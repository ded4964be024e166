"""Estimates drawn to 0 by one visit more than there were, and backups of them with noise, replayed from the transcript.

A pair of which n visits were seen at a step has the sums of what was seen, divided by n + 1: as if one more visit had paid
nothing and ended the episode. The estimate of the kernel is no law, its rows sum to n / (n + 1).

Views: `verifier_settings.episodic.Phases`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, IntArray
from verifier.formulas.quantity import Quantity, reports
from verifier.model.statement import at_most, identity
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


def _frequency_rounding(view: Phases) -> Array:
    """(p, H, X) of sums that are divided by n + 1, such that the quotient has the rounding of a running mean."""
    return tolerances.frequency(view.public, view.start)[:, None, None] * (view.step_visits + 1.0)


def _largest_reward(view: Phases) -> float:
    return max(1.0, abs(view.public.low), abs(view.public.high))


def _backup_of_reports(view: Phases) -> Array | None:
    """The backup with the kernels that plans report, of V as the width was asked with it."""
    return np.matmul(view.reported("step_kernel"), view.handed[..., None])[..., 0] if reports(view, "step_kernel") else None


PAID = Quantity(
    lambda view: view.earned,
    "paid",
    "plan h pair",
    "Σ r",
    rounding=lambda view: _largest_reward(view) * _frequency_rounding(view),
)
MET = Quantity(
    lambda view: view.counts, "met", "plan h pair s", "n_h(s,a,s′)", rounding=lambda view: _frequency_rounding(view)[..., None]
)
ESTIMATE = Quantity(lambda view: tallies(view).reward, "R", "plan h pair", reported="step_reward")
BACKUP = Quantity(
    lambda view: tallies(view).backup(view.V[:, 1:]), "PV", "plan h pair", "P V_{h+1}", rounding=lambda view: rounding(view),
    reported=_backup_of_reports,
)  # fmt: skip


@identity("step_reward", on=Phases, local=(PAID,))
def reward(paid: Any, N_h: Any) -> Any:
    """The reward estimates of every plan against the sums of the rewards seen at the step, divided by n + 1."""
    return paid / (N_h + 1)


@identity("step_kernel", on=Phases, local=(MET,))
def kernel(met: Any, N_h: Any) -> Any:
    """The kernel estimates of every plan against the transitions seen at the step, divided by n + 1."""
    return met / (N_h + 1)


@identity("Q", on=Phases, local=(ESTIMATE, BACKUP))
def perturbed(R: Any, noise: Any, PV: Any) -> Any:
    """Q_h of every plan against R + noise + P V_{h+1}, estimates from the transcript, noise and V of the plan."""
    return R + noise + PV


VALUES = (
    Quantity(
        lambda view: view.V, "V", "plan step s", "V_h", -np.inf, np.inf, rounding=lambda view: view.public.H * rounding(view)
    ),
    Quantity(lambda view: np.arange(view.public.H, -1.0, -1.0), "left", "step", "(H − h + 1)"),
    Quantity(lambda view: np.abs(view.reported("noise")).max(axis=(1, 2)), "largest", "plan", "max |noise|"),
)


@at_most("abs(V)", on=Phases, local=VALUES, needs=("noise",))
def value_size(left: Any, largest: Any) -> Any:
    """|V_h| of every plan against (H - h + 1) (1 + the largest noise of the plan, in absolute value)."""
    return left * (1 + largest)
