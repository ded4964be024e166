"""The metered simulator of an MDP with knapsacks."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.knapsack.instance import Instance, Public
from verifier_settings.simulator import EpisodeSimulator, Transcript, cumulative


class KnapsackTranscript(Transcript):
    """Transcript with rewards, costs and lengths of episodes; of steps that were not played all entries are 0.

    Attributes
    ----------
    outcomes : (K, H) int array
        Which entry of its support each reward was.
    costs : (K, H, d) int array
        Which entry of its support each cost was.
    lengths : (K,) int array
        Steps of each episode.
    late : (K,) int array
        How often a step was asked for after an episode had ended by a cost.
    """

    def __init__(self, K: int, H: int, d: int) -> None:
        super().__init__(K, H)
        self.outcomes: IntArray = np.zeros((K, H), dtype=np.int64)
        self.costs: IntArray = np.zeros((K, H, d), dtype=np.int64)
        self.lengths: IntArray = np.zeros(K, dtype=np.int64)
        self.late: IntArray = np.zeros(K, dtype=np.int64)

    def _arrays(self) -> tuple[Array, ...]:
        return (*super()._arrays(), self.outcomes, self.costs, self.lengths, self.late)


class KnapsackEnvironment(EpisodeSimulator[Public]):
    """`begin_episode`, then `step` until the episode is over, K times over; arguments as for `EpisodeSimulator`.

    An agent that goes on after a cost has ended the episode, for at most the rest of the H steps, changes nothing: nothing is
    paid and nobody moves. But it is counted.
    """

    def __init__(
        self, instance: Instance, transcript: KnapsackTranscript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        public, truth = instance.public, instance.truth
        kernel = np.broadcast_to(truth.P, (public.H, *truth.P.shape))
        super().__init__(public, kernel, transcript, rng, agent_rng)
        self._record = transcript
        self._start = cumulative(instance.start)
        self._supports = [np.array(support) for support in public.supports]
        self._budgets = np.array(public.budgets)
        self._laws = [cumulative(law) for law in truth.costs]
        self._rewards, self._reward_law = truth.part.support, cumulative(truth.part.law)
        self._over, self._calls = False, self._H

    def begin_episode(self) -> int:
        """Start the next episode, with the whole budget.

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
        self._luck = self._uniform.random((self._H, len(self._laws) + 1))
        self._left = self._budgets.copy()
        self._over, self._calls = False, 0
        return state

    def step(self, action: int) -> tuple[int, float, IntArray, bool]:
        """Play an action.

        Parameters
        ----------
        action : int
            0..A-1.

        Returns
        -------
        next_state : int
        reward : float
            Also that of the step that ends the episode.
        costs : (d,) int array
            In units.
        over : bool
            Whether the episode is over, after H steps or because a cumulative cost exceeds its budget.

        Raises
        ------
        ContractError
            If there is no such action, no episode in progress, or H steps were asked for.
        """
        k = self.episode
        if self._over and self._calls < self._H:
            self._calls += 1
            self._record.late[k - 1] += 1
            return self._state, 0.0, np.zeros(len(self._laws), dtype=np.int64), True
        h, row, following = self._advance(action)
        self._calls += 1
        costs = np.array([self._cost(k, h, row, i) for i in range(len(self._laws))])
        drawn = int(self._reward_law[row].searchsorted(self._luck[h, -1], side="right"))
        self._record.outcomes[k, h] = drawn
        self._record.lengths[k] = h + 1
        self._left -= costs
        if (self._left < 0).any():
            self._stop()
            self._over = True
        return following, float(self._rewards[drawn]), costs, self.episode > k

    def _cost(self, k: int, h: int, row: int, i: int) -> int:
        drawn = int(self._laws[i][row].searchsorted(self._luck[h, i], side="right"))
        self._record.costs[k, h, i] = drawn
        return int(self._supports[i][drawn])
