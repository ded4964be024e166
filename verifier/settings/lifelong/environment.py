"""The metered simulator of a contextual MDP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import IntArray
from verifier.settings.blocks import BlockSimulator
from verifier.settings.lifelong.instance import Instance, Public
from verifier.settings.simulator import Transcript


class LifelongEnvironment(BlockSimulator[Public]):
    """`begin_episode`, then `step` H times or `play`, until K episodes are over; further arguments as for `BlockSimulator`.

    Parameters
    ----------
    instance : Instance
    task : callable
        Maps episodes (n,), from 0, to their initial states and contexts (n,).
    """

    def __init__(
        self,
        instance: Instance,
        transcript: Transcript,
        task: Callable[[IntArray], tuple[IntArray, IntArray]],
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
        states, contexts = self._tasks(np.array([self._require_next()]))
        state, context = int(states[0]), int(contexts[0])
        self._begin(state, context)
        return state, context

    def _tasks(self, episodes: IntArray) -> tuple[IntArray, IntArray]:
        return self._task(episodes)
