"""Environment of algorithms, and the metered simulator of episodes of H steps with its transcript, which settings share."""

from __future__ import annotations

import copy
import hashlib
from typing import ClassVar, Generic, Self

import numpy as np

from verifier.base.arrays import Array, IntArray, read_only
from verifier.base.errors import ContractError
from verifier_settings.views import PublicT


class Environment(Generic[PublicT]):
    """Environment of an algorithm.

    Parameters
    ----------
    public : Public
        What the agent may know; the harness reads its own copy.
    rng : numpy.random.Generator
        The agent's own generator, the only source of randomness it may use.
    """

    offers: ClassVar[tuple[str, ...]] = ("public", "rng")

    def __init__(self, public: PublicT, rng: np.random.Generator) -> None:
        self.public, self.rng = public, rng


def cumulative(laws: Array) -> Array:
    """Cumulative sums of laws (..., n), which end in 1 exactly; ``searchsorted(u, side="right")`` draws from one."""
    total = np.cumsum(np.maximum(laws, 0.0), axis=-1)
    return np.asarray(total / total[..., -1:])


def cumulative_kernel(P: Array) -> Array:
    """Cumulative sums of a kernel (H, X, S); one for all steps, written as a view with stride 0, is summed once."""
    return np.broadcast_to(cumulative(P[:1] if P.strides[0] == 0 else P), P.shape)


class Transcript:
    """Everything that happened, kept by the harness.

    Attributes
    ----------
    states : (K, H+1) int array
    actions : (K, H) int array
    contexts : (K,) int array
        Zeros where there is only one task.
    episodes : int
        Episodes completed so far.
    steps : int
        Steps played so far, where an episode that was ended early counts as a whole one.
    """

    def __init__(self, K: int, H: int) -> None:
        self.states: IntArray = np.zeros((K, H + 1), dtype=np.int64)
        self.actions: IntArray = np.zeros((K, H), dtype=np.int64)
        self.contexts: IntArray = np.zeros(K, dtype=np.int64)
        self.episodes = self.steps = 0

    def last(self, step: int) -> int | None:
        """The episode, from 0, in which a step was last played; None if it never was."""
        begun, played = divmod(self.steps, self.actions.shape[1])
        return begun if step < played else begun - 1 if begun else None

    def digest(self) -> str:
        """SHA-256 of the transcript, 16 hexadecimal digits."""
        sha = hashlib.sha256()
        for array in self._arrays():
            sha.update(np.ascontiguousarray(array).tobytes())
        return sha.hexdigest()[:16]

    def shown(self) -> Self:
        """Copy whose arrays cannot be changed through it."""
        seen = copy.copy(self)
        for name, value in vars(self).items():
            setattr(seen, name, read_only(value))
        return seen

    def _arrays(self) -> tuple[Array, ...]:
        return self.states, self.actions, self.contexts


class EpisodeSimulator(Environment[PublicT]):
    """K episodes of H steps, one after the other; settings derive from it and say how an episode begins.

    Parameters
    ----------
    public, agent_rng
        As for `Environment`.
    P : (H, S*A, S) array
        Transition kernel.
    transcript : Transcript
        Filled in as the run goes.
    rng : numpy.random.Generator
        Draws the transitions.
    drawn : (H, S*A, S) array, optional
        What `cumulative` makes of the kernel, where the instance keeps it for all runs on it.
    """

    offers = (*Environment.offers, "begin_episode", "step", "episode")

    def __init__(
        self,
        public: PublicT,
        P: Array,
        transcript: Transcript,
        rng: np.random.Generator,
        agent_rng: np.random.Generator,
        drawn: Array | None = None,
    ) -> None:
        super().__init__(public, agent_rng)
        self._H, self._A, self._K = len(P), P.shape[1] // P.shape[2], len(transcript.actions)
        self._cumulative: Array = cumulative_kernel(P) if drawn is None else drawn
        self._transcript = transcript
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

    @property
    def steps(self) -> int:
        """Steps played so far, where an episode that was ended early counts as a whole one."""
        return self._transcript.steps

    def _require_next(self) -> int:
        """The number of the next episode, from 0, once the previous one is finished and while there are any left."""
        if self._step < self._H:
            raise ContractError(
                f"begin_episode called after {self._step} of {self._H} steps of episode {self.episode + 1}; play all "
                f"H steps first"
            )
        if self.episode >= self._K:
            raise ContractError(f"begin_episode called for episode {self.episode + 1}, but the run has K = {self._K}; stop there")
        return self.episode

    def _begin(self, state: int, context: int) -> None:
        k = self.episode
        self._state, self._context = state, context
        self._transcript.states[k, 0] = state
        self._transcript.contexts[k] = context
        self._draws = self._numbers()
        self._step = 0

    def _numbers(self) -> Array:
        """Uniform numbers (H,) from which the transitions of the next episode are drawn."""
        return self._uniform.random(self._H)

    def _begin_from(self, law: Array) -> int:
        """Begin the next episode in a state drawn from a law given by its cumulative sums, the only context being 0."""
        self._require_next()
        state = int(law.searchsorted(self._uniform.random(), side="right"))
        self._begin(state, 0)
        return state

    def _advance(self, action: int) -> tuple[int, int, int]:
        """Play an action: the step it was played at, the row ``s*A + a`` and the next state.

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
        self._transcript.actions[k, h] = action
        self._transcript.states[k, h + 1] = following
        self._state = following
        self._step = h + 1
        self._transcript.steps += 1
        if self._step == self._H:
            self._transcript.episodes = k + 1
        return h, row, following

    def _stop(self) -> None:
        """End the episode before its last step, if it is not over yet."""
        if self._step < self._H:
            self._step = self._H
            self._transcript.episodes += 1
            self._transcript.steps = self._transcript.episodes * self._H
