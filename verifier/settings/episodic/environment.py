"""The metered simulator of an episodic MDP."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from verifier.settings.episodic.instance import Instance, Public
from verifier.settings.simulator import EpisodeSimulator, Transcript


class EpisodicEnvironment(EpisodeSimulator):
    """What an algorithm talks to: `begin_episode`, then `step` H times, K times over.

    Parameters
    ----------
    instance : Instance
    transcript : Transcript
        Filled in as the run goes.
    rng : numpy.random.Generator
        Draws the transitions and the initial states.
    agent_rng : numpy.random.Generator
        The agent's own.

    Attributes
    ----------
    public : Public
        What the agent may know.
    rng : numpy.random.Generator
        The agent's own generator, the only source of randomness it may use.
    """

    offers: ClassVar[tuple[str, ...]] = ("public", "rng", "begin_episode", "step", "episode")

    def __init__(
        self, instance: Instance, transcript: Transcript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        public, truth = instance.public, instance.truth
        super().__init__(truth.kernel, np.broadcast_to(truth.reward[:, None], (public.H, len(truth.reward), 1)), transcript, rng)
        self.public: Public = public
        self.rng = agent_rng
        law = np.cumsum(instance.start)
        self._start = law / law[-1]

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
        self._require_next()
        state = int(self._start.searchsorted(self._uniform.random(), side="right"))
        self._begin(state, 0)
        return state
