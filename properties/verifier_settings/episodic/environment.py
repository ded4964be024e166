"""The metered simulator of an episodic MDP."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier_settings.blocks import BlockSimulator
from verifier_settings.episodic.instance import Instance, Public
from verifier_settings.episodic.rewards import RewardTable
from verifier_settings.simulator import Transcript, cumulative


class EpisodicTranscript(Transcript):
    """Transcript with the rewards, where these are random.

    Attributes
    ----------
    rewards : (K, H) array or None
    stopped : bool
        Whether the algorithm has ended the run.
    """

    def __init__(self, K: int, H: int, random: bool) -> None:
        super().__init__(K, H)
        self.rewards: Array | None = np.zeros((K, H)) if random else None
        self.stopped = False

    def _arrays(self) -> tuple[Array, ...]:
        drawn = () if self.rewards is None else (self.rewards,)
        # The arrays have K rows in any case: only the number of episodes says where the run ended.
        ended = (np.array([self.episodes]),) if self.stopped else ()
        return (*super()._arrays(), *drawn, *ended)


class EpisodicEnvironment(BlockSimulator[Public]):
    """`begin_episode`, then `step` H times or `play`, until K episodes are over; arguments as for `EpisodeSimulator`.

    Where the problem has an accuracy, `stop` ends the run before.
    """

    offers = (*BlockSimulator.offers, "stop")

    def __init__(
        self, instance: Instance, transcript: EpisodicTranscript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        truth = instance.truth
        self._start = cumulative(instance.start)
        self._means, self._drawn, self._record = truth.rewards, transcript.rewards, transcript
        self._may_stop = instance.public.epsilon > 0
        luck = 0 if truth.law is None else instance.public.H
        super().__init__(instance.public, truth.kernel, transcript, rng, agent_rng, before=1, after=luck)
        if truth.law is not None:
            self._support, self._laws = truth.law.support, truth.law.cumulative(self._H)
        self._table = truth.law.rounds if isinstance(truth.law, RewardTable) else None

    @property
    def stopped(self) -> bool:
        """Whether the algorithm has ended the run."""
        return self._record.stopped

    def stop(self) -> None:
        """End the run. What is yielded next is its output, and nothing is played any more.

        Raises
        ------
        ContractError
            If the problem has no accuracy, so that every run has K episodes; in an episode, also one that has just begun; or if
            the run has been ended.
        """
        if not self._may_stop:
            raise ContractError(f"stop called after {self.episode} of K = {self._K} episodes; this run has K, play all of them")
        if self._step < self._H:
            raise ContractError(f"stop called in episode {self.episode + 1}; play it first, or stop before begin_episode")
        if self.stopped:
            raise ContractError("stop called twice; yield the output, and return")
        self._record.stopped = True

    def _require_next(self) -> int:
        if self.stopped:
            raise ContractError(f"begin_episode called after stop, which ended the run after {self.episode} episodes; return")
        return super()._require_next()

    def begin_episode(self) -> int:
        """Start the next episode.

        Returns
        -------
        int
            s_1.

        Raises
        ------
        ContractError
            If the previous episode is unfinished or all K have been played.
        """
        self._next()
        state = int(self._start.searchsorted(self._row[0], side="right"))
        self._begin(state, 0)
        return state

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
            r_h(s, a), a number drawn from its law, or the reward that was fixed for this episode.

        Raises
        ------
        ContractError
            If there is no such action or no episode in progress.
        """
        k = self.episode
        h, row, following = self._advance(action)
        if self._drawn is None:
            return following, float(self._means[h, row])
        if self._table is not None:
            reward = float(self._table[k, row])
        else:
            reward = float(self._support[int(self._laws[h, row].searchsorted(self._row[h - self._H], side="right"))])
        self._drawn[k, h] = reward
        return following, reward

    def play(
        self, policy: IntArray, weight: Array | float | None = None, visits: Array | float | None = None
    ) -> tuple[IntArray, IntArray, Array]:
        """Play the episode that has just begun, and those after it until a limit is reached or the run is over.

        What happens is what `begin_episode` and `step` would have made of the same actions.

        Parameters
        ----------
        policy : (H, S) int array
            Actions by step and state.
        weight : float or array, optional
            Not negative; broadcasts to (H, S*A). The last episode is the first after which, at some step, the weights of the
            pairs met there add up to more than 1, in this call.
        visits : float or array, optional
            At least 1; broadcasts to (S*A,), or has two axes and broadcasts to (H, S*A). The last episode is the first after
            which some pair has been met so often in this call, over all steps or at one.

        Returns
        -------
        states, actions, rewards : (n, H+1), (n, H) and (n, H) arrays
            n >= 1 episodes; one without a limit.

        Raises
        ------
        ContractError
            If no episode has just begun, or an argument is of another shape or range.
        """
        return self._play(policy, weight, visits)[1:]

    def _tasks(self, episodes: IntArray, numbers: Array) -> tuple[IntArray, IntArray]:
        return self._start.searchsorted(numbers[:, 0], side="right"), np.zeros_like(episodes)

    def _paid(self, done: slice, numbers: Array) -> Array:
        at = np.arange(self._H), self._pairs(done)
        if self._drawn is None:
            return np.asarray(self._means[at])
        if self._table is not None:
            self._drawn[done] = self._table[np.arange(done.start, done.stop)[:, None], at[1]]
            return self._drawn[done].copy()
        law = self._laws[at]
        self._drawn[done] = self._support[(law <= numbers[:, -self._H :, None]).sum(axis=-1)]
        return self._drawn[done].copy()
