"""A metered simulator of a known model: what planning by least squares draws its episodes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier_settings.cvar.augmented import Grid
from verifier_settings.simulator import cumulative


@dataclass(frozen=True, eq=False)
class Episodes:
    """Simulated episodes, shapes (n, H).

    Attributes
    ----------
    states, actions : int arrays
    rewards : int array
        Indices on the grid of the simulator.
    """

    states: IntArray
    actions: IntArray
    rewards: IntArray


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Sum of the calls of `Simulator.episodes` with one policy.

    Attributes
    ----------
    policy : (H, S, N+1) int array
    budget : int
        Index of the initial one.
    n : int
        Episodes.
    left : float
        Mean over the episodes of the budget left.
    met : (H, X) array
        How often each pair was met per episode.
    """

    policy: IntArray
    budget: int
    n: int
    left: float
    met: Array

    def value(self, bonus: Array) -> float:
        """The Monte Carlo estimate of Line 16: what is left minus the bonuses (H, X) met."""
        return self.left - float((self.met * bonus).sum())

    def with_more(self, other: Evaluation) -> Evaluation:
        """Evaluation with further episodes of the same policy."""
        n = self.n + other.n
        left = (self.n * self.left + other.n * other.left) / n
        return replace(self, n=n, left=left, met=(self.n * self.met + other.n * other.met) / n)


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Episode for regression, and the widths that were asked for since the one before.

    Attributes
    ----------
    policy : (H, S, N+1) int array
    budget : int
        Index of the initial one.
    episode : Episodes
    asked : mapping
        By step: the width handed out and the value function (S, N+1) it was asked with, the last of each step.
    """

    policy: IntArray
    budget: int
    episode: Episodes
    asked: Mapping[int, tuple[float, Array]]


class Simulator:
    """A model whose kernel and reward laws are known, played with policies of (step, state, budget).

    It counts what is simulated and keeps, of the episodes meant for regression, how often each transition was seen: what the
    harness recomputes least squares from. One simulator serves one regression, so that all its trajectories start from the same
    budget; a planner that is called with another one opens another simulator.

    Parameters
    ----------
    P : (H-1, X, S) array
    r : (H, X, n+1) array
        Reward laws on the grid.
    grid : Grid
    start : int
    rng : numpy.random.Generator
    tally : (2,) int array, optional
        Whoever meters the simulator passes its own counters.

    Attributes
    ----------
    tally : (2,) int array
        Episodes simulated by `trajectory` and by `episodes`.
    rehearsals : list of Rehearsal
        Those of `trajectory`, one by one.
    evaluations : list of Evaluation
        Of each call of `episodes`.
    """

    offers: ClassVar[tuple[str, ...]] = ("grid", "trajectory", "episodes")

    def __init__(
        self, P: Array, r: Array, grid: Grid, start: int, rng: np.random.Generator, tally: IntArray | None = None
    ) -> None:
        S = P.shape[2]
        self.grid = grid
        self._A, self._start, self._rng = r.shape[1] // S, start, rng
        self._next, self._reward = cumulative(P), cumulative(r)
        self.tally: IntArray = np.zeros(2, dtype=np.int64) if tally is None else tally
        self.rehearsals: list[Rehearsal] = []
        self.evaluations: list[Evaluation] = []
        self._asked: dict[int, tuple[float, Array]] = {}
        self._counts: Array = np.zeros((grid.H, r.shape[1], grid.n + 1, S))

    @property
    def counts(self) -> Array:
        """(H, X, n+1, S) transitions (s, a, reward index, s') seen by `trajectory`, read-only; after the last step s' is 0."""
        view = self._counts.view()
        view.flags.writeable = False
        return view

    def answered(self, step: int, target: Array, width: float) -> None:
        """Note a width that was handed out to whoever plans with this simulator."""
        self._asked[step] = width, target

    def trajectory(self, policy: IntArray, budget: int) -> Episodes:
        """Episode of a policy (H, S, N+1) from an initial budget index, for regression.

        Raises
        ------
        ContractError
            If the policy or the budget does not fit, or if there was a trajectory from another budget.
        """
        self._check(policy, budget)
        if self.rehearsals and self.rehearsals[0].budget != budget:
            raise ContractError(
                f"a trajectory from budget index {budget} after one from {self.rehearsals[0].budget}; open a simulator for each "
                "call of the planner"
            )
        H, A = self.grid.H, self._A
        draws = self._rng.random((2, H))
        states, actions, rewards = np.zeros((3, 1, H), dtype=np.int64)
        s, i = self._start, int(budget)
        for h in range(H):
            a = int(policy[h, s, i])
            x = s * A + a
            j = int(self._reward[h, x].searchsorted(draws[0, h], side="right"))
            states[0, h], actions[0, h], rewards[0, h] = s, a, j
            s = int(self._next[h, x].searchsorted(draws[1, h], side="right")) if h < H - 1 else 0
            self._counts[h, x, j, s] += 1.0
            i = max(i - j, 0)
        self.tally[0] += 1
        self.rehearsals.append(Rehearsal(_kept(policy), int(budget), Episodes(states, actions, rewards), self._asked))
        self._asked = {}
        return self.rehearsals[-1].episode

    def episodes(self, policy: IntArray, budget: int, n: int) -> Episodes:
        """Episodes of a policy from an initial budget index, all n at once, for evaluation; they enter no regression."""
        self._check(policy, budget)
        if n < 1:
            raise ContractError(f"{n} episodes were asked for; expected at least one")
        H = self.grid.H
        states, actions, rewards = np.empty((3, n, H), dtype=np.int64)
        s, i = np.full(n, self._start), np.full(n, budget)
        met = np.empty((H, self._counts.shape[1]))
        for h in range(H):
            a = policy[h, s, i]
            x = s * self._A + a
            met[h] = np.bincount(x, minlength=met.shape[1]) / n
            j = _draw(self._reward[h, x], self._rng.random(n))
            states[:, h], actions[:, h], rewards[:, h] = s, a, j
            if h < H - 1:
                s = _draw(self._next[h, x], self._rng.random(n))
            i = np.maximum(i - j, 0)
        self.tally[1] += n
        self.evaluations.append(Evaluation(_kept(policy), int(budget), n, float(self.grid.levels[i].mean()), met))
        return Episodes(states, actions, rewards)

    def _check(self, policy: IntArray, budget: int) -> None:
        H, S, N = self.grid.H, self._counts.shape[3], self.grid.N
        if np.shape(policy) != (H, S, N + 1) or not 0 <= budget <= N:
            raise ContractError(
                f"a policy of shape {np.shape(policy)} was simulated from budget index {budget}; expected "
                f"({H}, {S}, {N + 1}) and an index 0..{N}"
            )


def _kept(policy: IntArray) -> IntArray:
    """A copy in little room: actions are far fewer than 32768."""
    return np.array(policy, dtype=np.int16)


def _draw(cumulative: Array, uniform: Array) -> IntArray:
    """Index (n,) drawn from each row (n, size) by a number in [0, 1)."""
    return np.asarray((cumulative <= uniform[:, None]).sum(axis=1))
