"""Sums over what an agent has played, and the fields of plans that are made of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.episodic.environment import EpisodicEnvironment
from verifier_settings.episodic.instance import Public

MADE = frozenset({"gram", "estimate"})
"""Fields of plans that are made here of an agent's data; no array of an agent is read as one."""


class KeptEnvironment:
    """Environment that adds up what is played in it.

    Parameters
    ----------
    env : EpisodicEnvironment
    public : Public
    regresses : bool
        Whether least squares will be made of it.

    Attributes
    ----------
    visits : (S*A,) array
        Visits of each pair, over all steps.
    gram : (H, d, d) array
        lambda I + sum phi phi' of each step.
    earned : (H, d) array
        Sum of phi r.
    moved : (H, d, S) array
        Sum of phi at each next state.
    """

    def __init__(self, env: EpisodicEnvironment, public: Public, regresses: bool) -> None:
        self.rng, self.public, self._env, self._regresses = env.rng, public, env, regresses
        self.visits: Array = np.zeros(public.S * public.A)
        self.gram: Array = np.tile(public.ridge * np.eye(public.d), (public.H, 1, 1))
        self.earned: Array = np.zeros((public.H, public.d))
        self.moved: Array = np.zeros((public.H, public.d, public.S))
        self._h, self._state = 0, 0

    def begin_episode(self) -> int:
        """Start the next episode."""
        self._h, self._state = 0, self._env.begin_episode()
        return self._state

    def step(self, action: int) -> tuple[int, float]:
        """Play an action, and keep what came of it."""
        following, reward = self._env.step(action)
        h, pair = self._h, self._state * self.public.A + action
        self.visits[pair] += 1.0
        if self._regresses:
            phi = self.public.phi[pair]
            self.gram[h] += np.outer(phi, phi)
            self.earned[h] += phi * reward
            self.moved[h, :, following] += phi
        self._h, self._state = h + 1, following
        return following, reward

    def made(self, V: Array) -> dict[str, Any]:
        """Fields of `MADE`: Gram matrices, and least squares of r + V_{h+1} on phi."""
        moments = self.earned + np.matmul(self.moved, V[1:, :, None])[..., 0]
        return {"gram": self.gram.copy(), "estimate": np.linalg.solve(self.gram, moments[..., None])[..., 0]}

    def finite(self, Q: Array) -> Array:
        """Action values with a number for what is not finite at a pair that was never played: one more than the largest one.

        The index of an arm that was never played is infinite in many codes, or 0 / 0. It counts for more than any other.
        """
        unplayed = (self.visits == 0).reshape(Q.shape[1:]) & ~np.isfinite(Q)
        return np.where(unplayed, np.max(Q, where=np.isfinite(Q), initial=self.public.high) + 1.0, Q)
