"""The metered simulator of an episodic MDP."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.blocks import BlockSimulator
from verifier_settings.episodic.instance import Instance, Public
from verifier_settings.simulator import Transcript, cumulative


class EpisodicTranscript(Transcript):
    """Transcript with the rewards, where these are random.

    Attributes
    ----------
    rewards : (K, H) array or None
    """

    def __init__(self, K: int, H: int, random: bool) -> None:
        super().__init__(K, H)
        self.rewards: Array | None = np.zeros((K, H)) if random else None

    def _arrays(self) -> tuple[Array, ...]:
        return super()._arrays() if self.rewards is None else (*super()._arrays(), self.rewards)


class EpisodicEnvironment(BlockSimulator[Public]):
    """`begin_episode`, then `step` H times or `play`, until K episodes are over; arguments as for `EpisodeSimulator`."""

    def __init__(
        self, instance: Instance, transcript: EpisodicTranscript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        truth = instance.truth
        self._start = cumulative(instance.start)
        self._means, self._drawn = truth.rewards, transcript.rewards
        luck = 0 if truth.law is None else instance.public.H
        super().__init__(instance.public, truth.kernel, transcript, rng, agent_rng, before=1, after=luck)
        if truth.law is not None:
            self._support, self._laws = truth.law.support, truth.law.cumulative(self._H)

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
            r_h(s, a), or a number drawn from its law.

        Raises
        ------
        ContractError
            If there is no such action or no episode in progress.
        """
        k = self.episode
        h, row, following = self._advance(action)
        if self._drawn is None:
            return following, float(self._means[h, row])
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
        law = self._laws[at]
        self._drawn[done] = self._support[(law <= numbers[:, -self._H :, None]).sum(axis=-1)]
        return self._drawn[done].copy()
