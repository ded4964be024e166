"""Episodes in blocks: many at a time under a policy that does not change, with what playing them one by one would give.

Between two plans a policy is frozen, so the environment can play ahead. It may not show what it played ahead: an agent that is
handed episodes which are then taken back has data that no run of K episodes has, and knows its future if the same numbers come
again. So an agent cannot look at a block and say where it ends. It says beforehand, in numbers, when it wants to be asked again:
how often each pair may be met, or a weight for every pair, and the environment plays until some pair has been met so often, or
the weights of the pairs met add up to more than 1 at some step. It finds that episode itself (`settings/limits`), hands over
those up to it, and keeps the numbers drawn for the others for when they are played.

For a rule such as "plan again when the visits of some pair have doubled" numbers of visits are the rule itself. For one such as
"plan again when log det Lambda has grown by 1" a bound on what one pair adds is such a weight. A bound that is too generous costs
a few more calls; one that is too small is a bug, and what it does is seen in the plans as ever: they come too late.
"""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier_settings.limits import Limits, limits
from verifier_settings.simulator import EpisodeSimulator, Transcript
from verifier_settings.views import PublicT

FIRST, LARGEST = 8, 8192
"""Episodes of the first block of a call, after an episode that is played alone, and of the largest; each block is twice as long
as the one before."""

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

    def next(self) -> Array:
        """(width,) the row that comes next, taken."""
        if self._taken == len(self._drawn):
            self.ahead(1)
        self._taken += 1
        return self._drawn[self._taken - 1]

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
    """Episodes that can be played many at a time; settings derive from it and say how one begins and what it pays.

    An episode has a row of numbers: those its first state is drawn with, H for its transitions, and those for its rewards.

    Parameters
    ----------
    public, P, transcript, rng, agent_rng
        As for `EpisodeSimulator`.
    contexts : int, optional
        How many there are, in a setting that has some.
    before, after : int
        Numbers of a row before those of the transitions, and after them.
    """

    offers = (*EpisodeSimulator.offers, "at_start", "play")

    def __init__(
        self,
        public: PublicT,
        P: Array,
        transcript: Transcript,
        rng: np.random.Generator,
        agent_rng: np.random.Generator,
        *,
        contexts: int | None = None,
        before: int = 0,
        after: int = 0,
    ) -> None:
        super().__init__(public, P, transcript, rng, agent_rng)
        self._axes = {"H": self._H, "S*A": P.shape[1]} | ({} if contexts is None else {"W": contexts})
        self._rows = Rows(rng, before + self._H + after)
        self._moves = slice(before, before + self._H)

    @abstractmethod
    def _tasks(self, episodes: IntArray, numbers: Array) -> tuple[IntArray, IntArray]:
        """Initial states and contexts of episodes (n,), which have these rows, as they are if no plan comes before."""

    @abstractmethod
    def _paid(self, done: slice, numbers: Array) -> Array:
        """(n, H) the rewards of episodes of the transcript, which had these rows."""

    def _next(self) -> int:
        """The number of the next episode, from 0; its row is the one at hand from now on."""
        k = self._require_next()
        self._row = self._rows.next()
        return k

    def _numbers(self) -> Array:
        return self._row[self._moves]

    def _play(self, policy: IntArray, weight: Array | float | None, visits: Array | float | None) -> Episodes:
        """Play a block of episodes for `play` of a setting: bit for bit what `begin_episode` and `step` do with the same actions.

        Parameters
        ----------
        policy : (H, S) int array
            Where there are contexts (H, S, W), or (H, S, 1) for all of them.
        weight, visits : float or array, optional
            See `verifier_settings.limits`.

        Returns
        -------
        contexts, states, actions, rewards : (n,), (n, H+1), (n, H) and (n, H) arrays

        Raises
        ------
        ContractError
            If no episode has just begun, or an argument is of another shape or range.
        """
        if not self.at_start:
            raise ContractError(f"play called in the middle of episode {self.episode + 1} or before begin_episode")
        policy, first, until = self._actions(policy), self.episode, limits(weight, visits, self._axes)
        paid, n = [self._single(policy)], FIRST
        over = not until or until.reached(self._pairs(slice(first, first + 1)), np.array([self._context])) == 0
        while self.episode < self._K and not over:
            rewards, over = self._block(policy, until, min(n, self._K - self.episode))
            paid.append(rewards)
            n = min(2 * n, LARGEST)
        t, done = self._transcript, slice(first, self.episode)
        return t.contexts[done].copy(), t.states[done].copy(), t.actions[done].copy(), np.concatenate(paid)

    def _single(self, policy: IntArray) -> Array:
        """Play the episode that has begun; its rewards. In numbers, not in arrays, that is faster than a block of one."""
        k, column = self.episode, self._context if policy.shape[2] > 1 else 0
        for h in range(self._H):
            self._advance(int(policy[h, self._state, column]))
        return self._paid(slice(k, k + 1), self._row[None])

    def _block(self, policy: IntArray, until: Limits, n: int) -> tuple[Array, bool]:
        """Play at most n more episodes; their rewards, and whether a limit is reached."""
        first, numbers = self.episode, self._rows.ahead(n)
        start, contexts = self._tasks(first + np.arange(n), numbers)
        column = contexts if policy.shape[2] > 1 else np.zeros_like(contexts)
        states, actions = self._played(policy, start, column, numbers[:, self._moves])
        last = until.reached(states[:, :-1] * self._A + actions, contexts)
        kept = min(last + 1, n)
        self._rows.take(kept)
        self._keep(states[:kept], actions[:kept], contexts[:kept])
        return self._paid(slice(first, self.episode), numbers[:kept]), last < n

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
        """Record the episodes that have been played."""
        t = self._transcript
        done = slice(t.episodes, t.episodes + len(states))
        t.states[done], t.actions[done], t.contexts[done] = states, actions, contexts
        t.episodes, t.steps, self._step = done.stop, done.stop * self._H, self._H
        self._state, self._context = int(states[-1, -1]), int(contexts[-1])

    def _pairs(self, done: slice) -> IntArray:
        """(n, H) rows ``s*A + a`` of episodes of the transcript."""
        return self._transcript.states[done, :-1] * self._A + self._transcript.actions[done]

    def _actions(self, policy: IntArray) -> IntArray:
        """(H, S, C) the actions of a policy: C = 1 where they are the same in all contexts."""
        policy, plain = np.asarray(policy), (self._H, self._cumulative.shape[2])
        shapes = [(*plain, self._axes["W"]), (*plain, 1)] if "W" in self._axes else [plain]
        fits = policy.shape in shapes and np.issubdtype(policy.dtype, np.integer)
        if not fits or policy.min() < 0 or policy.max() >= self._A:
            raise ContractError(
                f"play was given a policy of shape {policy.shape} and type {policy.dtype}; expected actions 0..{self._A - 1}, "
                f"integers of shape {'(H, S, W)' if len(shapes) > 1 else '(H, S)'} = {' or '.join(map(str, shapes))}"
            )
        return policy.reshape(*plain, -1)
