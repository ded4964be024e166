"""Structure of a factored problem: the cells of every scope, factor by factor, and the order in which factors are integrated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.factored import Public


@dataclass(frozen=True)
class Stage:
    """Stage of a sweep: one factor of the next state, where those after it have been integrated.

    Arrays over the joint cells of this factor's scope and of all later ones, u of them.

    Attributes
    ----------
    cell : (u,) int array
        The cell of this factor's own scope, among those of all factors.
    later : (u,) int array
        The joint cell of the later scopes.
    """

    cell: IntArray
    later: IntArray


@dataclass(frozen=True)
class Structure:
    """Scopes as indices.

    Attributes
    ----------
    states : tuple of int
        Sizes of the n factors of the next state.
    values : (n, S) int array
        The value of each of them in every state.
    transitions : (n, X) int array
        The cell of every pair in the scope of each transition factor, counted through all factors.
    transition_sizes : tuple of int
        How many cells each has.
    rewards : (m, X) int array
        The same of the parts of the reward.
    reward_sizes : tuple of int
    """

    states: tuple[int, ...]
    values: IntArray
    transitions: IntArray
    transition_sizes: tuple[int, ...]
    rewards: IntArray
    reward_sizes: tuple[int, ...]

    @cached_property
    def support(self) -> IntArray:
        """(cells,) |S_j| of the factor that a transition cell belongs to."""
        return np.repeat(self.states, self.transition_sizes)

    @cached_property
    def cells_of_part(self) -> IntArray:
        """(cells,) how many cells the scope has that a reward cell belongs to."""
        return np.repeat(self.reward_sizes, self.reward_sizes)

    @cached_property
    def first(self) -> IntArray:
        """(cells,) where the row of a transition cell begins, if all rows stand one after the other."""
        return np.concatenate([[0], np.cumsum(self.support)[:-1]])

    @cached_property
    def padded(self) -> IntArray:
        """(n, X, B) where the rows stand at every pair, of the length B of the longest; -1 past the end of a row."""
        place = np.arange(max(self.states))
        inside = place < np.array(self.states)[:, None, None]
        return np.where(inside, self.first[self.transitions][..., None] + place, -1)

    @cached_property
    def sweep(self) -> tuple[tuple[Stage, ...], IntArray]:
        """The stages, from the last factor to the first, and (X,) the joint cell of every pair at the end."""
        stages, joint = [], np.zeros(self.transitions.shape[1], dtype=np.int64)
        for cells in self.transitions[::-1]:
            both = cells * (joint.max() + 1) + joint
            _, some, joint_here = np.unique(both, return_index=True, return_inverse=True)
            stages.append(Stage(cells[some], joint[some]))
            joint = joint_here.ravel()
        return tuple(stages), joint


def factored(public: Public) -> Structure:
    """The structure the agent is told."""
    transitions, rewards = public.transition_scopes, public.reward_scopes
    sizes, parts = tuple(map(public.cell_count, transitions)), tuple(map(public.cell_count, rewards))
    return Structure(
        public.state_sizes, public.state_factors().T, _through([public.cells(scope) for scope in transitions], sizes), sizes,
        _through([public.cells(scope) for scope in rewards], parts), parts,
    )  # fmt: skip


def flat(public: Public) -> Structure:
    """Structure with one factor, one reward, one cell for each pair: n = m = d = 1."""
    pairs, state = np.arange(public.X)[None], np.arange(public.S)[None]
    return Structure((public.S,), state, pairs, (public.X,), pairs, (public.X,))


def _through(cells: Sequence[Array], sizes: Sequence[int]) -> IntArray:
    """Cells of several scopes, counted through all of them."""
    return np.stack(cells) + np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)[:, None]
