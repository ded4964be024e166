"""Episodic algorithms that follow another agent, step by step or in blocks of episodes (`verifier_settings.followed`)."""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.algorithm import Algorithm
from verifier.model.width import Radius
from verifier_settings import drawn, followed
from verifier_settings.episodic import tolerances
from verifier_settings.episodic.instance import Public
from verifier_settings.episodic.plan import EpisodicPlan
from verifier_settings.episodic.runs import Run
from verifier_settings.followed import AstrayError
from verifier_settings.limits import limits


class Played(followed.Played, Protocol):
    """History of an agent: states (K, H+1), actions (K, H) and rewards (K, H)."""

    @property
    def rewards(self) -> Array:
        """Rewards that were paid."""


class FollowedEnvironment(followed.FollowedEnvironment[Public]):
    """Environment that tells what happened to another agent, whatever is played."""

    _played: Played

    def stop(self) -> None:
        """End of the run, which the other agent has not ended there.

        Raises
        ------
        AstrayError
            Always.
        """
        raise AstrayError(f"the algorithm stops after {self.episode} episodes, and the agent plays on")

    def start(self, k: int) -> int:
        """First state."""
        return int(self._played.states[k, 0])

    def paid(self, k: int, h: int) -> float:
        """Reward."""
        return float(self._played.rewards[k, h])

    def rounding(self, plan: EpisodicPlan, done: slice) -> Array:
        """(n,) rounding of a value."""
        return np.asarray(tolerances.chain(self.public, np.arange(done.start, done.stop)))

    def play(
        self, policy: IntArray, weight: Array | float | None = None, visits: Array | float | None = None
    ) -> tuple[IntArray, IntArray, Array]:
        """Episodes of the other agent up to the same limits, as `EpisodicEnvironment.play` has them.

        Raises
        ------
        AstrayError
            If the policy is not that of the plan.
        """
        if not np.array_equal(policy, self._led):
            raise AstrayError(f"episode {self.episode + 1}: a policy is played that is not that of the plan")
        public, played, first = self.public, self._played, self.episode
        pairs = played.states[first:, :-1] * public.A + played.actions[first:]
        until = limits(weight, visits, {"H": public.H, "S*A": public.S * public.A})
        n = min(until.reached(pairs, np.zeros(len(pairs), dtype=np.int64)) + 1, len(pairs)) if until else 1
        self._step, self.episode = public.H, first + n
        done = slice(first, first + n)
        return played.states[done].copy(), played.actions[done].copy(), played.rewards[done].copy()


follow = partial(followed.follow, FollowedEnvironment)


def handed(algorithm: type[Algorithm], view: Run) -> Radius:
    """Width that an agent was handed, the same at all steps, as the published one is; 0 of an algorithm that has none."""
    if not algorithm.width_names:
        return lambda of, step, target: 0.0
    asked = np.concatenate([view.series.width.ravel(), view.applied.ravel()])
    width = float(asked[np.isfinite(asked)][0])
    return lambda of, step, target: width


decisions = partial(followed.decisions, follow, handed)
draw = partial(drawn.draw, FollowedEnvironment)
drawn_decisions = partial(drawn.decisions, draw, handed)
