"""The metered simulator of a contextual MDP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.settings.lifelong.instance import Instance, Public
from verifier.settings.simulator import NoiselessSimulator, Transcript


class LifelongEnvironment(NoiselessSimulator[Public]):
    """`begin_episode`, then `step` H times, K times over; further arguments as for `NoiselessSimulator`.

    Parameters
    ----------
    instance : Instance
    task : callable
        Maps the episode (from 0) to (initial state, context).
    """

    offers = (*NoiselessSimulator.offers, "at_start")

    def __init__(
        self,
        instance: Instance,
        transcript: Transcript,
        task: Callable[[int], tuple[int, int]],
        rng: np.random.Generator,
        agent_rng: np.random.Generator,
    ) -> None:
        super().__init__(instance.public, instance.truth.P, instance.public.reward, transcript, rng, agent_rng)
        self._task = task

    def begin_episode(self) -> tuple[int, int]:
        """Start the next episode.

        Returns
        -------
        state, context : int
            s_1 and w, both in force for this episode.

        Raises
        ------
        ContractError
            If the previous episode is unfinished or all K have been played.
        """
        state, context = self._task(self._require_next())
        self._begin(state, context)
        return state, context
