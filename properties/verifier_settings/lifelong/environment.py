"""The metered simulator of a contextual MDP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.blocks import BlockSimulator, Episodes
from verifier_settings.lifelong.instance import Instance, Public
from verifier_settings.simulator import Transcript


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
        self._reward = instance.public.reward
        super().__init__(instance.public, instance.truth.P, transcript, rng, agent_rng, contexts=self._reward.shape[2])
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
        states, contexts = self._task(np.array([self._next()]))
        state, context = int(states[0]), int(contexts[0])
        self._begin(state, context)
        return state, context

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
            r_h(s, a, w), without noise.

        Raises
        ------
        ContractError
            If there is no such action or no episode in progress.
        """
        h, row, following = self._advance(action)
        return following, float(self._reward[h, row, self._context])

    def play(self, policy: IntArray, weight: Array | float | None = None, visits: Array | float | None = None) -> Episodes:
        """Play the episode that has just begun, and those after it until a limit is reached or the run is over.

        What happens is what `begin_episode` and `step` would have made of the same actions.

        Parameters
        ----------
        policy : (H, S, C) int array
            Actions by step, state and context; one column (C = 1) is for all contexts.
        weight : float or array, optional
            Not negative; broadcasts to (H, S*A, W). The last episode is the first after which, at some step, the weights of the
            pairs met there (in the context of their episodes) add up to more than 1, in this call.
        visits : float or array, optional
            At least 1; broadcasts to (S*A,), or has two axes and broadcasts to (H, S*A). The last episode is the first after
            which some pair has been met so often in this call, over all steps or at one.

        Returns
        -------
        contexts, states, actions, rewards : (n,), (n, H+1), (n, H) and (n, H) arrays
            n >= 1 episodes; one without a limit.

        Raises
        ------
        ContractError
            If no episode has just begun, or an argument is of another shape or range.
        """
        return self._play(policy, weight, visits)

    def _tasks(self, episodes: IntArray, numbers: Array) -> tuple[IntArray, IntArray]:
        return self._task(episodes)

    def _paid(self, done: slice, numbers: Array) -> Array:
        return np.asarray(self._reward[np.arange(self._H), self._pairs(done), self._transcript.contexts[done, None]])
