"""Episodes in blocks: many at a time under a policy that does not change, with what playing them one by one would give.

Between two plans a policy is frozen, so the environment can play ahead. It may not show what it played ahead: an agent that is
handed episodes which are then taken back has data that no run of K episodes has, and knows its future if the same numbers come
again. So an agent cannot look at a block and say where it ends. It says beforehand, in numbers, when it wants to be asked again:
every pair gets a weight, and the environment plays until the weights of the pairs met add up to more than 1 at some step. It
finds that episode itself, hands over those up to it, and keeps the numbers drawn for the others for when they are played.

For a rule such as "plan again when log det Lambda has grown by 1" a bound on what one pair adds is such a weight. A bound that
is too generous costs a few more calls; one that is too small is a bug, and what it does is seen in the plans as ever: they come
too late.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier.settings.simulator import EpisodeSimulator, Transcript
from verifier.settings.views import PublicT

FIRST, LARGEST = 8, 8192
"""Episodes of the first block of a call, and of the largest; each is twice as long as the one before."""

AHEAD = 64
"""Rows that are drawn at a time at least."""

Episodes = tuple[IntArray, IntArray, IntArray, Array]
"""Contexts (n,), states (n, H+1), actions (n, H) and rewards (n, H)."""


class Rows:
    """Rows of uniform numbers of a stream: the same ones in the same order, however many are drawn or taken at a time.

    Parameters
    ----------
    rng : numpy.random.Generator
    width : int
        Numbers in a row.
    """

    def __init__(self, rng: np.random.Generator, width: int) -> None:
        self._rng, self._drawn, self._taken = rng, np.empty((0, width)), 0

    def ahead(self, n: int) -> Array:
        """(n, width) the rows that come next; they are not taken."""
        lacking = self._taken + n - len(self._drawn)
        if lacking > 0:
            more = self._rng.random((max(lacking, AHEAD), self._drawn.shape[1]))
            self._drawn, self._taken = np.concatenate([self._drawn[self._taken :], more]), 0
        return self._drawn[self._taken : self._taken + n]

    def take(self, n: int) -> None:
        """The next n rows have been used."""
        self._taken += n


class BlockSimulator(EpisodeSimulator[PublicT]):
    """Episodes that can be played many at a time, with rewards that are functions of step, state, action and context.

    Parameters
    ----------
    public, P, transcript, rng, agent_rng
        As for `EpisodeSimulator`.
    reward : (H, S*A, W) array
        Rewards of W contexts.
    """

    offers = (*EpisodeSimulator.offers, "at_start", "play")

    def __init__(
        self,
        public: PublicT,
        P: Array,
        reward: Array,
        transcript: Transcript,
        rng: np.random.Generator,
        agent_rng: np.random.Generator,
    ) -> None:
        super().__init__(public, P, transcript, rng, agent_rng)
        self._reward, self._rows = reward, Rows(rng, self._H)

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
        h, row, following = self._advance(action)
        return following, float(self._reward[h, row, self._context])

    @abstractmethod
    def _tasks(self, episodes: IntArray) -> tuple[IntArray, IntArray]:
        """Initial states and contexts of episodes (n,), as they are if no plan comes before."""

    def _numbers(self) -> Array:
        row = self._rows.ahead(1)[0]
        self._rows.take(1)
        return row

    def play(self, policy: IntArray, weight: Array | float = np.inf) -> Episodes:
        """Play the episode that has just begun, and those after it until weights add up to more than 1 or the run is over.

        What happens is what `begin_episode` and `step` would have made of the same actions.

        Parameters
        ----------
        policy : (H, S, C) int array
            Actions by step, state and context; one column (C = 1) is for all contexts.
        weight : float, or array that broadcasts to (H, S*A, W)
            Not negative. The last episode is the first after which, at some step, the weights of the pairs met there (in the
            context of their episodes) add up to more than 1, in this call. By default that is the first one.

        Returns
        -------
        contexts, states, actions, rewards : (n,), (n, H+1), (n, H) and (n, H) arrays
            n >= 1 episodes.

        Raises
        ------
        ContractError
            If no episode has just begun, or an argument is of another shape or range.
        """
        if not self.at_start:
            raise ContractError(f"play called in the middle of episode {self.episode + 1} or before begin_episode")
        policy, first = self._actions(policy), self.episode
        if np.ndim(weight) == 0 and weight > 1.0:
            self._single(policy)
        else:
            self._many(policy, self._weights(weight))
        t, done = self._transcript, slice(first, self.episode)
        contexts, states, actions = t.contexts[done].copy(), t.states[done].copy(), t.actions[done].copy()
        rows = states[:, :-1] * self._A + actions
        return contexts, states, actions, self._reward[np.arange(self._H), rows, contexts[:, None]]

    def _single(self, policy: IntArray) -> None:
        """Play the episode that has begun; in numbers, not in arrays, that is faster than a block of one."""
        column = self._context if policy.shape[2] > 1 else 0
        for h in range(self._H):
            self._advance(int(policy[h, self._state, column]))

    def _many(self, policy: IntArray, weight: Array) -> None:
        """Play until weights add up to more than 1 at some step."""
        spent, n = np.zeros(self._H), FIRST
        while self.episode < self._K and not (spent > 1.0).any():
            spent = self._block(policy, weight, spent, min(n, self._K - self.episode))
            n = min(2 * n, LARGEST)

    def _block(self, policy: IntArray, weight: Array, spent: Array, n: int) -> Array:
        """Play at most n episodes; what is spent by step afterwards."""
        begun = int(self.at_start)
        start, contexts = self._tasks(self.episode + np.arange(n))
        draws = self._rows.ahead(n - begun)
        if begun:
            start[0], contexts[0], draws = self._state, self._context, np.concatenate([self._draws[None], draws])
        states, actions = self._played(policy, start, contexts if policy.shape[2] > 1 else np.zeros_like(contexts), draws)
        met = weight[np.arange(self._H), states[:, :-1] * self._A + actions, contexts[:, None]]
        met[0] += spent
        total = np.cumsum(met, axis=0)
        over = (total > 1.0).any(axis=1)
        kept = int(over.argmax()) + 1 if over.any() else n
        self._rows.take(kept - begun)
        self._keep(states[:kept], actions[:kept], contexts[:kept])
        return np.asarray(total[kept - 1])

    def _played(self, policy: IntArray, start: IntArray, column: IntArray, draws: Array) -> tuple[IntArray, IntArray]:
        """States (n, H+1) and actions (n, H), all episodes at once, step by step."""
        states = np.empty((self._H + 1, len(start)), dtype=np.int64)
        actions = np.empty((self._H, len(start)), dtype=np.int64)
        states[0] = start
        for h in range(self._H):
            actions[h] = policy[h, states[h], column]
            law = self._cumulative[h, states[h] * self._A + actions[h]]
            states[h + 1] = (law <= draws[:, h, None]).sum(axis=1)
        return states.T, actions.T

    def _keep(self, states: IntArray, actions: IntArray, contexts: IntArray) -> None:
        """These episodes have been played."""
        t = self._transcript
        done = slice(t.episodes, t.episodes + len(states))
        t.states[done], t.actions[done], t.contexts[done] = states, actions, contexts
        t.episodes, t.steps, self._step = done.stop, done.stop * self._H, self._H
        self._state, self._context = int(states[-1, -1]), int(contexts[-1])

    def _actions(self, policy: IntArray) -> IntArray:
        S, W = self._cumulative.shape[2], self._reward.shape[2]
        policy = np.asarray(policy)
        fits = policy.ndim == 3 and policy.shape[:2] == (self._H, S) and policy.shape[2] in (1, W)
        if not fits or not np.issubdtype(policy.dtype, np.integer) or policy.min() < 0 or policy.max() >= self._A:
            raise ContractError(
                f"play was given a policy of shape {policy.shape} and type {policy.dtype}; expected actions 0..{self._A - 1}, "
                f"integers of shape (H, S, W) = ({self._H}, {S}, {W}) or ({self._H}, {S}, 1)"
            )
        return policy

    def _weights(self, weight: Array | float) -> Array:
        shape = (self._H, self._cumulative.shape[1], self._reward.shape[2])
        given = np.asarray(weight, dtype=float)
        try:
            full = np.broadcast_to(given, shape)
        except ValueError:
            full = np.full(1, np.nan)
        if not (full >= 0).all():
            raise ContractError(
                f"play was given weights of shape {given.shape}; expected numbers >= 0 that broadcast to (H, S*A, W) = {shape}"
            )
        return full
