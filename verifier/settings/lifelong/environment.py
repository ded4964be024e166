"""The metered simulator of a contextual MDP, and its transcript."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import ClassVar

import numpy as np

from verifier.arrays import Array, IntArray
from verifier.errors import ContractError
from verifier.settings.lifelong.instance import Instance, Public


class Transcript:
    """Everything that happened, kept by the harness.

    Attributes
    ----------
    states : (K, H+1) int array
    actions : (K, H) int array
    contexts : (K,) int array
    episodes : int
        Episodes completed so far.
    """

    def __init__(self, K: int, H: int) -> None:
        self.states: IntArray = np.zeros((K, H + 1), dtype=np.int64)
        self.actions: IntArray = np.zeros((K, H), dtype=np.int64)
        self.contexts: IntArray = np.zeros(K, dtype=np.int64)
        self.episodes = 0

    def digest(self) -> str:
        """SHA-256 of the transcript, 16 hexadecimal digits."""
        sha = hashlib.sha256()
        for array in (self.states, self.actions, self.contexts):
            sha.update(np.ascontiguousarray(array).tobytes())
        return sha.hexdigest()[:16]


class LifelongEnvironment:
    """What an algorithm talks to: `begin_episode`, then `step` H times, K times over.

    Parameters
    ----------
    instance : Instance
    transcript : Transcript
        Filled in as the run goes.
    task : callable
        Maps the episode (from 0) to (initial state, context).
    rng : numpy.random.Generator
        Draws the transitions.

    Attributes
    ----------
    public : Public
        What the agent may know.
    rng : numpy.random.Generator
        The agent's own generator, the only source of randomness it may use.
    """

    offers: ClassVar[tuple[str, ...]] = ("public", "rng", "begin_episode", "step", "episode", "at_start")

    def __init__(
        self,
        instance: Instance,
        transcript: Transcript,
        task: Callable[[int], tuple[int, int]],
        rng: np.random.Generator,
        agent_rng: np.random.Generator,
    ) -> None:
        self.public: Public = instance.public
        self.rng = agent_rng
        self._transcript = transcript
        self._task = task
        self._A, self._H, self._K = instance.public.A, instance.public.H, instance.public.K
        cumulative = np.cumsum(np.maximum(instance.truth.P, 0.0), axis=2)
        self._cumulative: Array = cumulative / cumulative[:, :, -1:]
        self._reward = instance.public.reward
        self._uniform = rng
        self._step = self._H
        self._state = self._context = 0

    @property
    def episode(self) -> int:
        """The current episode, from 0; K when the run is over."""
        return self._transcript.episodes

    @property
    def at_start(self) -> bool:
        """Whether an episode has begun and no step of it has been played."""
        return self._step == 0

    def begin_episode(self) -> tuple[int, int]:
        """Start the next episode.

        Returns
        -------
        state, context : int
            s_1 and w, both in force for this episode.

        Raises
        ------
        ContractError
            If the previous episode is unfinished or all K have been played.
        """
        if self._step < self._H:
            raise ContractError(
                f"begin_episode called after {self._step} of {self._H} steps of episode {self.episode + 1}; play all "
                f"H steps first"
            )
        if self.episode >= self._K:
            raise ContractError(f"begin_episode called for episode {self.episode + 1}, but the run has K = {self._K}; stop there")
        k = self.episode
        self._state, self._context = self._task(k)
        self._transcript.states[k, 0] = self._state
        self._transcript.contexts[k] = self._context
        self._draws = self._uniform.random(self._H)
        self._step = 0
        return self._state, self._context

    def step(self, action: int) -> tuple[int, float]:
        """Play an action.

        Parameters
        ----------
        action : int
            0..A-1.

        Returns
        -------
        next_state : int
        reward : float
            r_h(s, a, w), without noise.

        Raises
        ------
        ContractError
            If there is no such action or no episode in progress.
        """
        h, k = self._step, self._transcript.episodes
        if not isinstance(action, (int, np.integer)) or not 0 <= action < self._A:
            raise ContractError(f"step({action!r}) in episode {k + 1}: expected an action 0..{self._A - 1}")
        if h >= self._H:
            raise ContractError(f"step called {self._H + 1} times in an episode of {self._H} steps; call begin_episode")
        row = self._state * self._A + int(action)
        following = int(self._cumulative[h, row].searchsorted(self._draws[h], side="right"))
        reward = float(self._reward[h, row, self._context])
        self._transcript.actions[k, h] = action
        self._transcript.states[k, h + 1] = following
        self._state = following
        self._step = h + 1
        if self._step == self._H:
            self._transcript.episodes = k + 1
        return following, reward
