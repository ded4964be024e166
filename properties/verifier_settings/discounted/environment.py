"""The metered simulator of a discounted MDP with resets, and its transcript."""

from __future__ import annotations

import hashlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.base.errors import ContractError
from verifier_settings.discounted.instance import Instance, Public
from verifier_settings.simulator import Environment, cumulative

BLOCK = 1024
"""Uniform numbers drawn at once; one at a time costs ten times as much."""


def uniforms(rng: np.random.Generator) -> Iterator[float]:
    """An endless stream of uniform numbers in [0, 1)."""
    while True:
        yield from rng.random(BLOCK).tolist()


class Transcript:
    """Everything that happened, kept by the harness: X_t, A_t, the true successor, and the steps followed by a reset.

    Attributes
    ----------
    states, actions, successors : array of int
        One entry per step.
    resets : list of int
        Numbers of steps played at each reset: t for a reset that follows step t (counted from 1).
    """

    def __init__(self) -> None:
        self.states, self.actions, self.successors = array("q"), array("q"), array("q")  # numpy copies these as they are
        self.resets: list[int] = []

    def __len__(self) -> int:
        return len(self.successors)

    def rows(self, A: int, steps: slice) -> IntArray:
        """Rows ``x*A + a`` of these steps."""
        return np.array(self.states[steps], dtype=np.int64) * A + np.array(self.actions[steps], dtype=np.int64)

    def next_states(self, steps: slice) -> IntArray:
        """Successors of these steps."""
        return np.array(self.successors[steps], dtype=np.int64)

    def resets_in(self, first: IntArray, last: IntArray) -> IntArray:
        """Number of resets that followed the steps `first` to `last` (counted from 1, both included), of each window."""
        resets = np.array(self.resets, dtype=np.int64)
        return np.asarray(np.searchsorted(resets, last, side="right") - np.searchsorted(resets, first, side="left"))

    def reset_flags(self) -> BoolArray:
        """Mask (t,) of the steps that a reset followed."""
        flags = np.zeros(len(self), dtype=bool)
        flags[np.array(self.resets, dtype=np.int64) - 1] = True
        return flags

    def digest(self) -> str:
        """SHA-256 of the transcript, 16 hexadecimal digits."""
        sha = hashlib.sha256()
        for column in (self.states, self.actions, self.successors, self.resets):
            sha.update(np.array(column, dtype=np.int64).tobytes())
        return sha.hexdigest()[:16]


class DiscountedEnvironment(Environment[Public]):
    """Stream of T steps, which an algorithm may reset after any of them.

    Parameters
    ----------
    instance : Instance
    transcript : Transcript
        Filled in as the run goes.
    rng : numpy.random.Generator
        Draws the transitions and the states after resets.
    agent_rng : numpy.random.Generator
        The agent's own.

    Attributes
    ----------
    state : int
        X_t, the current state; X_1 is drawn from nu_0.
    """

    offers = (*Environment.offers, "step", "reset", "state", "steps")

    def __init__(
        self, instance: Instance, transcript: Transcript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        super().__init__(instance.public, agent_rng)
        self._public, self._transcript = instance.public, transcript
        self._A, self._T = instance.public.A, instance.public.T
        self._rows, self._start = cumulative(instance.truth.P).tolist(), cumulative(instance.truth.start).tolist()
        self._uniform = uniforms(rng)
        self.state = self._draw(self._start)

    def _draw(self, law: list[float]) -> int:
        return bisect_right(law, next(self._uniform))

    @property
    def steps(self) -> int:
        """Steps played so far; T when the run is over."""
        return len(self._transcript)

    def step(self, action: int) -> int:
        """Play an action.

        Parameters
        ----------
        action : int
            0..A-1.

        Returns
        -------
        int
            The successor, drawn from P(.|x,a); it is the next state unless `reset` is called.

        Raises
        ------
        ContractError
            If there is no such action or T steps have been played.
        """
        t = self._transcript
        if not isinstance(action, (int, np.integer)) or not 0 <= action < self._A:
            raise ContractError(f"step({action!r}) after {self.steps} steps: expected an action 0..{self._A - 1}")
        if len(t.successors) >= self._T:
            raise ContractError(f"step called for step {self._T + 1}, but the run has T = {self._T}; stop there")
        t.states.append(self.state)
        t.actions.append(int(action))
        self.state = bisect_right(self._rows[self.state * self._A + action], next(self._uniform))
        t.successors.append(self.state)
        return self.state

    def reset(self) -> int:
        """Redraw the state from nu_0.

        Returns
        -------
        int
            The new current state.

        Raises
        ------
        ContractError
            If no step was played since the last reset: an epoch has at least one.
        """
        played = self.steps
        if not played:
            raise ContractError("reset called before the first step; play one first, X_1 is drawn from nu_0 already")
        if self._transcript.resets and played == self._transcript.resets[-1]:
            raise ContractError(f"reset called twice without a step between, after {played} steps; play a step first")
        self._transcript.resets.append(played)
        self.state = self._draw(self._start)
        return self.state

    def pad(self, policy: Array, rng: np.random.Generator) -> int:
        """Play the current epoch to its end under a policy (X, A): up to T+. The harness calls it when the run is over.

        Whether the epoch goes on after step T is decided by a coin of the harness. An implementation may flip one there or not:
        nothing it does depends on the outcome, and the law of T+ must not either. A reset it asked for after step T is undone.

        Returns
        -------
        int
            How many steps were added.
        """
        before, resets = self.steps, self._transcript.resets
        if resets and resets[-1] == before:
            resets.pop()
            self.state = self._transcript.successors[-1]
        self._T, chance = 2**63, uniforms(rng)
        laws = cumulative(policy).tolist()
        while next(chance) < self._public.gamma:
            self.step(bisect_right(laws[self.state], next(chance)))
        self.reset()
        return self.steps - before
