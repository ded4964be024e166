"""Data made of the trajectories of an iteration, by their order in Algorithm 1.

The order is a convention of this setting: which data set a transition belongs to is told by nothing else.

With steps from 0, the first trajectory of an iteration gives D~_0; the j-th after it follows the policy up to step j - 1, whose
transition goes to D_{j-1}, and its next transition goes to D~_j. Trajectories beyond the H-th belong to no dataset.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.base.errors import ContractError
from verifier_settings.cvar.instance import Public

Trajectory: TypeAlias = tuple[list[int], list[int], list[int]]
"""States visited, actions, reward indices."""

Rolls: TypeAlias = tuple[Array, Array, Array]
"""Rolls of the H trajectories of iterations, as integer arrays, see `padded`."""


def require_order(trajectories: list[Trajectory], H: int, where: str) -> None:
    """Check that the trajectories of an iteration come in the order of Algorithm 1, as far as their lengths tell.

    The j-th, counted from 0, takes j + 1 steps at least, and the last one H - 1.

    Raises
    ------
    ContractError
        If they are long enough in another order only. Those that are too short in any order are no matter of conventions.
    """
    due = [min(j + 1, max(H - 1, 1)) for j in range(H)]
    made = [len(actions) for _, actions, _ in trajectories[:H]]
    enough = len(made) == H and all(n >= least for n, least in zip(sorted(made), due, strict=True))
    if enough and any(n < least for n, least in zip(made, due, strict=True)):
        raise ContractError(
            f"{where}: the trajectories take {made} steps, expected at least {due}; play them in the order of Algorithm 1, "
            "the one of D~_1 first and then that of each h = 1, ..., H-1"
        )


class Datasets:
    """Transition counts of D_h and D~_h.

    Attributes
    ----------
    D, Dt : (H-1, X, S) arrays
    """

    def __init__(self, public: Public) -> None:
        self._A, self._H = public.A, public.H
        self.D: Array = np.zeros((public.H - 1, public.X, public.S))
        self.Dt: Array = np.zeros_like(self.D)

    def copy(self) -> Datasets:
        """An independent copy."""
        return deepcopy(self)

    def add(self, trajectories: list[Trajectory]) -> None:
        """Add the trajectories of an iteration."""
        self.add_rolls(padded([trajectories], self._H))

    def add_rolls(self, rolls: Rolls) -> tuple[Array, Array]:
        """Add the trajectories of p iterations; D and D~ after each of them, (p, H-1, X, S)."""
        h = np.arange(self._H - 1)
        after = (
            self.D + np.cumsum(self._transitions(rolls, h + 1), axis=0),
            self.Dt + np.cumsum(self._transitions(rolls, h), axis=0),
        )
        self.D, self.Dt = after[0][-1].copy(), after[1][-1].copy()
        return after

    def _transitions(self, rolls: Rolls, of: IntArray) -> Array:
        """(p, H-1, X, S) the transition of step h in the trajectory `of[h]` of each iteration; none where it was not played."""
        states, actions, _ = rolls
        h = np.arange(self._H - 1)
        here, action, following = states[:, of, h].astype(np.int64), actions[:, of, h], states[:, of, h + 1]
        played = np.nonzero(action >= 0)
        found = np.zeros((len(states), *self.D.shape))
        found[(*played, (here * self._A + action)[played], following[played])] = 1.0
        return found


NONE: Trajectory = ([], [], [])
"""Trajectory of which nothing was played."""


def padded(iterations: Sequence[list[Trajectory]], H: int) -> Rolls:
    """States (p, H, H+1), actions and rewards (p, H, H) of the first H trajectories of p iterations, -1 where nothing was played.

    Kept for the whole run, hence as 16-bit integers: states, actions and reward atoms are far fewer than 32768.
    """
    full = [[*trajectories[:H], *[NONE] * (H - len(trajectories))] for trajectories in iterations]

    def part(number: int, length: int) -> Array:
        rows = [[[*one[number], *[-1] * (length - len(one[number]))] for one in trajectories] for trajectories in full]
        return np.array(rows, dtype=np.int16)

    return part(0, H + 1), part(1, H), part(2, H)
