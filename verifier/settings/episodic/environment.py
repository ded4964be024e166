"""The metered simulator of an episodic MDP."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.settings.episodic.instance import Instance, Public
from verifier.settings.simulator import EpisodeSimulator, Transcript, cumulative


class EpisodicTranscript(Transcript):
    """With the rewards, where these are random.

    Attributes
    ----------
    rewards : (K, H) array or None
    """

    def __init__(self, K: int, H: int, random: bool) -> None:
        super().__init__(K, H)
        self.rewards: Array | None = np.zeros((K, H)) if random else None

    def _arrays(self) -> tuple[Array, ...]:
        return super()._arrays() if self.rewards is None else (*super()._arrays(), self.rewards)


class EpisodicEnvironment(EpisodeSimulator[Public]):
    """`begin_episode`, then `step` H times, K times over; arguments as for `EpisodeSimulator`."""

    def __init__(
        self, instance: Instance, transcript: EpisodicTranscript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        truth = instance.truth
        super().__init__(instance.public, truth.kernel, transcript, rng, agent_rng)
        self._start = cumulative(instance.start)
        self._means, self._drawn = truth.rewards, transcript.rewards
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
        state = self._begin_from(self._start)
        if self._drawn is not None:
            self._luck = self._uniform.random(self._H)
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
        reward = float(self._support[int(self._laws[h, row].searchsorted(self._luck[h], side="right"))])
        self._drawn[k, h] = reward
        return following, reward
