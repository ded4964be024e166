"""The metered simulator of a factored MDP, whose rewards are random and observed part by part."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.factored.instance import Instance, Public
from verifier_settings.simulator import EpisodeSimulator, Transcript, cumulative


class FactoredTranscript(Transcript):
    """Transcript with the rewards.

    Attributes
    ----------
    outcomes : (K, H, m) int array
        Which entry of its support each part of the reward was.
    """

    def __init__(self, K: int, H: int, m: int) -> None:
        super().__init__(K, H)
        self.outcomes: IntArray = np.zeros((K, H, m), dtype=np.int64)

    def _arrays(self) -> tuple[Array, ...]:
        return (*super()._arrays(), self.outcomes)


class FactoredEnvironment(EpisodeSimulator[Public]):
    """`begin_episode`, then `step` H times, K times over; arguments as for `EpisodeSimulator`."""

    def __init__(
        self, instance: Instance, transcript: FactoredTranscript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        super().__init__(instance.public, instance.truth.kernel, transcript, rng, agent_rng, instance.drawn_moves)
        self._start = instance.start
        self._outcomes = transcript.outcomes
        self._parts = instance.drawn_rewards

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
        state = self._begin_from(cumulative(self._start[self._require_next()]))
        self._luck = self._uniform.random((self._H, len(self._parts)))
        return state

    def step(self, action: int) -> tuple[int, Array]:
        """Play an action.

        Parameters
        ----------
        action : int
            0..A-1.

        Returns
        -------
        next_state : int
        rewards : (m,) array
            The parts of the reward, each drawn from its own law; the reward is their mean.

        Raises
        ------
        ContractError
            If there is no such action or no episode in progress.
        """
        k = self.episode
        h, row, following = self._advance(action)
        rewards = np.empty(len(self._parts))
        for i, (support, law) in enumerate(self._parts):
            drawn = int(law[row].searchsorted(self._luck[h, i], side="right"))
            self._outcomes[k, h, i] = drawn
            rewards[i] = support[drawn]
        return following, rewards
