"""Lifelong algorithms that follow another agent (`verifier_settings.followed`), which was given the same tasks.

Algorithms of this setting play whole episodes, and have their data from what `play` returns. So no plan is made to take the
actions of the other agent, and what an algorithm would have done is the policy that it plays, even where its plan has another.
"""

from __future__ import annotations

from functools import partial
from typing import Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.algorithm import Algorithm
from verifier.model.width import Radius
from verifier_settings import followed
from verifier_settings.blocks import Episodes
from verifier_settings.followed import AstrayError, Index
from verifier_settings.lifelong import tolerances
from verifier_settings.lifelong.instance import Public
from verifier_settings.lifelong.plan import LifelongPlan
from verifier_settings.lifelong.run import Run
from verifier_settings.limits import limits


class Played(followed.Played, Protocol):
    """History of an agent: states (K, H+1), actions (K, H) and contexts (K,)."""

    @property
    def contexts(self) -> IntArray:
        """Contexts of the episodes."""


class FollowedEnvironment(followed.FollowedEnvironment[Public]):
    """Environment that tells what happened to another agent, whatever is played; arguments as of the class it derives from."""

    _played: Played

    def __init__(self, public: Public, played: Played, whole: Public) -> None:
        super().__init__(public, played, whole)
        pairs = played.states[:, :-1] * public.A + played.actions
        self._pairs, self._rewards = pairs, whole.reward[np.arange(public.H), pairs, played.contexts[:, None]]
        self._own = np.full(pairs.shape, -1)

    def start(self, k: int) -> tuple[int, int]:
        """First state, and the context."""
        return int(self._played.states[k, 0]), int(self._played.contexts[k])

    def paid(self, k: int, h: int) -> float:
        """Reward, which follows from pair and context."""
        return float(self._rewards[k, h])

    def rounding(self, plan: LifelongPlan, done: slice) -> Array:
        """(n,) rounding of a value, with what the program leaves where there is one."""
        program = 0.0 if plan.xi is None else tolerances.PROGRAM * self.public.H
        return np.asarray(tolerances.chain(self.public, np.arange(done.start, done.stop))) + program

    def places(self, plan: LifelongPlan, done: slice) -> Index:
        """Indices of these episodes: step, state and column of the context.

        Raises
        ------
        AstrayError
            If the plan is for other contexts.
        """
        serves = plan.contexts == self._played.contexts[done, None]
        if not serves.any(axis=1).all():
            raise AstrayError(f"episode {done.start + int(serves.any(axis=1).argmin()) + 1}: its plan is for another task")
        return *super().places(plan, done), serves.argmax(axis=1)[:, None]

    def lead(self, plan: LifelongPlan) -> None:
        """Do nothing: the policy that is played says what the algorithm does."""

    def own(self, plan: LifelongPlan, done: slice) -> IntArray:
        """(n, H) the actions of the policies that were played."""
        return self._own[done]

    def step(self, action: int) -> tuple[int, float]:
        """Refuse a step.

        Raises
        ------
        AstrayError
            Always: an algorithm that plays step by step would have to be made to take the other agent's actions.
        """
        raise AstrayError("it plays step by step; in this setting whole episodes are followed, those of `env.play`")

    def play(self, policy: IntArray, weight: Array | float | None = None, visits: Array | float | None = None) -> Episodes:
        """Episodes of the other agent up to the same limits, as `LifelongEnvironment.play` has them."""
        public, played, first = self.public, self._played, self.episode
        until = limits(weight, visits, {"H": public.H, "S*A": public.S * public.A, "W": public.W})
        left = slice(first, None)
        n = min(until.reached(self._pairs[left], played.contexts[left]) + 1, len(played.actions) - first) if until else 1
        self._step, self.episode = public.H, first + n
        done = slice(first, first + n)
        states, column = played.states[done], played.contexts[done, None] if policy.shape[2] > 1 else 0
        self._own[done] = policy[np.arange(public.H), states[:, :-1], column]
        return played.contexts[done].copy(), states.copy(), played.actions[done].copy(), self._rewards[done].copy()


follow = partial(followed.follow, FollowedEnvironment)


def handed(algorithm: type[Algorithm], view: Run) -> Radius:
    """Widths of an algorithm, in the proportion to the published ones that those of the agent have."""
    return followed.in_proportion(algorithm, view.public, float(view.series.width[0, 0]))


decisions = partial(followed.decisions, follow, handed)
