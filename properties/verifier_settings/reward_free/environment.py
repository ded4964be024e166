"""The metered simulator of the exploration phase, and what reveals rewards in the planning phase."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier_settings.reward_free.instance import Instance, Public
from verifier_settings.simulator import EpisodeSimulator, Transcript, cumulative


class RewardFreeEnvironment(EpisodeSimulator[Public]):
    """`begin_episode`, then `step` H times, K times over; then `reveal`, ``public.rewards`` times.

    Further arguments as for `EpisodeSimulator`.

    Parameters
    ----------
    instance : Instance
    reward : callable
        Maps the number of a reward, from 0, to its parameter.
    """

    offers = (*EpisodeSimulator.offers, "reveal")

    def __init__(
        self,
        instance: Instance,
        transcript: Transcript,
        reward: Callable[[int], Array],
        rng: np.random.Generator,
        agent_rng: np.random.Generator,
    ) -> None:
        super().__init__(instance.public, instance.truth.P, transcript, rng, agent_rng)
        self._start = cumulative(instance.start)
        self._theta, self._rewards = reward, instance.public.rewards
        self._revealed = 0

    @property
    def revealed(self) -> int:
        """Number of rewards that have been revealed."""
        return self._revealed

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
        return self._begin_from(self._start)

    def step(self, action: int) -> int:
        """Play an action.

        Parameters
        ----------
        action : int
            0..A-1.

        Returns
        -------
        int
            The next state; there are no rewards.

        Raises
        ------
        ContractError
            If there is no such action or no episode in progress.
        """
        return self._advance(action)[2]

    def reveal(self) -> Array:
        """The next reward to plan for.

        Returns
        -------
        (H, d) array
            theta, with r_h(s,a) = <phi(s,a), theta_h>.

        Raises
        ------
        ContractError
            Before all K episodes have been played, before a plan for the last reward was yielded, or when there are no more.
        """
        if self.episode < self._K:
            raise ContractError(f"reveal called after {self.episode} of K = {self._K} episodes; play all of them first")
        if self._revealed >= self._rewards:
            raise ContractError(f"reveal called for reward {self._revealed + 1}, but there are {self._rewards}; stop there")
        theta = self._theta(self._revealed)
        self._revealed += 1
        return theta
