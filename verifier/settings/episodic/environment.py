"""The metered simulator of an episodic MDP."""

from __future__ import annotations

import numpy as np

from verifier.settings.episodic.instance import Instance, Public
from verifier.settings.simulator import NoiselessSimulator, Transcript, cumulative


class EpisodicEnvironment(NoiselessSimulator[Public]):
    """`begin_episode`, then `step` H times, K times over; arguments as for `NoiselessSimulator`."""

    def __init__(
        self, instance: Instance, transcript: Transcript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        public, truth = instance.public, instance.truth
        super().__init__(public, truth.kernel, truth.rewards[..., None], transcript, rng, agent_rng)
        self._start = cumulative(instance.start)

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
