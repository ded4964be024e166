"""The metered environment: the unknown MDP, the likelihood oracle, and simulators of learned models."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier_settings.cvar.instance import Instance, Public
from verifier_settings.cvar.likelihood import maximum_likelihood
from verifier_settings.cvar.simulator import Simulator
from verifier_settings.simulator import Environment, cumulative


@dataclass(frozen=True, eq=False)
class Meters:
    """Totals that an algorithm has used up to now.

    Attributes
    ----------
    trajectories, steps : int
        In the unknown MDP.
    mle_calls : (H-1,) int array
        Calls of the likelihood oracle, by step.
    planner_calls : int
        Simulators opened, one for each call of CVaR-LSVI.
    simulated : (2,) int array
        Episodes simulated in learned models, for regression and for evaluation.
    """

    trajectories: int
    steps: int
    mle_calls: IntArray
    planner_calls: int
    simulated: IntArray


class Transcript:
    """Everything that happened in the unknown MDP, kept by the harness.

    Attributes
    ----------
    current : list of (states, actions, rewards)
        Trajectories since the transcript was last taken: states visited, actions, reward indices on the grid of 1/m. An episode
        the algorithm broke off is as long as it was played.
    """

    def __init__(self) -> None:
        self.current: list[tuple[list[int], list[int], list[int]]] = []
        self._sha = hashlib.sha256()

    def take(self) -> list[tuple[list[int], list[int], list[int]]]:
        """Hand over the trajectories of an iteration and start the next one."""
        taken, self.current = self.current, []
        if taken:  # whoever plays on in the last one adds nothing to it
            states, actions, rewards = taken[-1]
            taken[-1] = (states[:], actions[:], rewards[:])
        self._sha.update(repr(taken).encode())
        return taken

    def digest(self) -> str:
        """SHA-256 of what was taken so far, 16 hexadecimal digits."""
        return self._sha.hexdigest()[:16]


class CVaREnvironment(Environment[Public]):
    """The unknown MDP, the likelihood oracle and simulators of learned models.

    `reset` and `step` play the unknown MDP, `mle` asks the likelihood oracle, `simulator` opens a simulator of a learned model.
    All of it is counted. A trajectory may be broken off at any step by the next `reset`.

    Parameters
    ----------
    instance : Instance
    transcript : Transcript
        Filled in as the run goes.
    rng, agent_rng : numpy.random.Generator
        The environment's and the agent's own; simulators draw from that of the agent.
    """

    offers = (*Environment.offers, "reset", "step", "mle", "simulator")

    def __init__(
        self, instance: Instance, transcript: Transcript, rng: np.random.Generator, agent_rng: np.random.Generator
    ) -> None:
        public = instance.public
        super().__init__(public, agent_rng)
        self._public, self._harness, self._transcript = public, rng, transcript
        self._next, self._reward = cumulative(instance.truth.P), cumulative(public.reward)
        self._H, self._A, self._m = public.H, public.A, public.m
        self._h, self._state = self._H, public.start
        self._trajectories = self._steps = 0
        self._simulators = 0
        self._simulated: IntArray = np.zeros(2, dtype=np.int64)
        self._mle_calls: IntArray = np.zeros(self._H - 1, dtype=np.int64)
        self._handed: dict[int, Array] = {}
        self._opened: list[tuple[IntArray, Simulator]] = []
        self.open_simulator: Simulator | None = None

    def reset(self) -> int:
        """Start a trajectory; returns s_1."""
        self._h, self._state = 0, self._public.start
        self._draws = self._harness.random(2 * self._H)
        self._current: tuple[list[int], list[int], list[int]] = ([self._state], [], [])
        self._transcript.current.append(self._current)
        self._trajectories += 1
        return self._state

    def step(self, action: int) -> tuple[int, float]:
        """Play an action.

        Parameters
        ----------
        action : int
            0..A-1.

        Returns
        -------
        next_state : int
            -1 after the last step, when nothing is left to be seen.
        reward : float
            In [0, 1].

        Raises
        ------
        ContractError
            If there is no such action, or no trajectory in progress.
        """
        h = self._h
        if not isinstance(action, (int, np.integer)) or not 0 <= action < self._A:
            raise ContractError(f"step({action!r}): expected an action 0..{self._A - 1}")
        if h >= self._H:
            raise ContractError(f"step called without a trajectory in progress (each has {self._H} steps); call reset")
        x = self._state * self._A + int(action)
        j, reward = self._earn(h, x)
        following = int(self._next[h, x].searchsorted(self._draws[2 * h + 1], side="right")) if h < self._H - 1 else -1
        states, actions, rewards = self._current
        states.append(following)
        actions.append(int(action))
        rewards.append(j)
        self._state, self._h = following, h + 1
        self._steps += 1
        return following, reward

    def _earn(self, h: int, x: int) -> tuple[int, float]:
        """The reward, and its index when rounded up to the grid of 1/m."""
        if self._public.beta is None:
            j = int(self._reward[h, x].searchsorted(self._draws[2 * h], side="right"))
            return j, j / self._m
        reward = float(self._harness.beta(*self._public.beta[h, x]))
        return int(np.ceil(reward * self._m)), reward

    def mle(self, h: int, counts: Array) -> int:
        """The likelihood oracle: index of the model of step h that makes these transitions most likely.

        Parameters
        ----------
        h : int
            Step from 0, below H-1.
        counts : (S*A, S) array
            How often each transition is in the data.

        Returns
        -------
        int
            The first maximiser; models whose likelihoods differ by rounding only count as equal.
        """
        given, expected = np.array(counts, dtype=float), (self._public.X, self._public.S)
        if not 0 <= h < self._H - 1 or given.shape != expected or not (given >= 0).all():
            raise ContractError(
                f"mle(h={h}) was called with counts of shape {given.shape}; expected a step 0..{self._H - 2} and counts of shape "
                f"{expected} that are not negative"
            )
        self._mle_calls[h] += 1
        self._handed[h] = given
        return maximum_likelihood(self._public, h, given)

    def simulator(self, models: IntArray) -> Simulator:
        """A simulator of the learned model with rewards rounded up to the coarse grid.

        Parameters
        ----------
        models : (H-1,) ints
            Index of the model of each step.
        """
        public, chosen = self._public, np.array(models)
        if chosen.shape != (self._H - 1,) or not ((chosen >= 0) & (chosen < public.M)).all():
            raise ContractError(f"simulator({models!r}): expected {self._H - 1} indices of models, each below {public.M}")
        P = public.kernels[chosen, np.arange(self._H - 1)]
        self.open_simulator = Simulator(P, public.coarse_reward, public.coarse, public.start, self.rng, self._simulated)
        self.simulated_models = chosen
        self._opened.append((chosen, self.open_simulator))
        self._simulators += 1
        return self.open_simulator

    def meters(self) -> Meters:
        """The counters."""
        return Meters(self._trajectories, self._steps, self._mle_calls.copy(), self._simulators, self._simulated.copy())

    def take_handed(self) -> dict[int, Array]:
        """The data last handed to the likelihood oracle at each step since this was last called."""
        handed, self._handed = self._handed, {}
        return handed

    def take_simulators(self) -> list[tuple[IntArray, Simulator]]:
        """Models and simulators opened since this was last called."""
        opened, self._opened = self._opened, []
        return opened
