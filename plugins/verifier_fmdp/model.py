"""The empirical model of section 2: what is counted in every cell, and what is estimated from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_fmdp.structure import Structure

ValueT = TypeVar("ValueT")


class Counts:
    """Counts of all steps, cell by cell.

    Attributes
    ----------
    transitions : (entries,) array
        N(c, v), the values of one cell after the other.
    rewards, squares, reward_visits : (cells,) arrays
        Sums of r_i and of r_i^2, and how many there are.
    """

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self.transitions: Array = np.zeros(structure.support.sum())
        self.rewards, self.squares, self.reward_visits = np.zeros((3, sum(structure.reward_sizes)))

    def add(self, pairs: IntArray, following: IntArray, rewards: Array) -> None:
        """Count steps: pairs (H,), next states (H,) and the parts of the rewards (H, m)."""
        structure = self._structure
        entries = structure.first[structure.transitions[:, pairs]] + structure.values[:, following]
        np.add.at(self.transitions, entries, 1.0)
        cells = structure.rewards[:, pairs]
        np.add.at(self.reward_visits, cells, 1.0)
        np.add.at(self.rewards, cells, rewards.T)
        np.add.at(self.squares, cells, rewards.T**2)


class Moments(NamedTuple):
    """Moments of two functions f and g under the estimated law of the next state, at every pair, in a fixed order of the factors.

    Attributes
    ----------
    f, g : (X,) arrays
        E f and E g.
    variances : (n, X) array
        sigma^2_i(f) = E_{1:i-1} Var_i E_{i+1:n} f.
    squares : (n, X) array
        E_{1:i} (E_{i+1:n} g)^2.
    """

    f: Array
    g: Array
    variances: Array
    squares: Array


@dataclass(frozen=True)
class Model:
    """Estimates at the start of an episode.

    Attributes
    ----------
    structure : Structure
    visits, reward_visits : (cells,) arrays
        N of the cells of the transition and of the reward scopes.
    kernel : (entries,) array
        Phat_j(v | c), one row after the other; zeros where nothing was seen.
    reward, reward_variance : (cells,) arrays
        Rhat_i, 1 where nothing was seen, and the empirical variance.
    """

    structure: Structure
    visits: Array
    reward_visits: Array
    kernel: Array
    reward: Array
    reward_variance: Array
    _done: dict[tuple[str, float], Any] = field(default_factory=dict, repr=False)

    def once(self, formula: Callable[[Model, float], ValueT], L: float) -> ValueT:
        """A formula in the model and the logarithm L alone, evaluated once for the steps that have the same L."""
        key = formula.__name__, L
        if key not in self._done:
            self._done[key] = formula(self, L)
        return cast(ValueT, self._done[key])

    def at_factors(self, of_cells: Array) -> Array:
        """(n, X) something of the cells of the transition scopes, at every pair."""
        return np.asarray(of_cells[self.structure.transitions])

    def at_parts(self, of_cells: Array) -> Array:
        """(m, X) the same of the reward scopes."""
        return np.asarray(of_cells[self.structure.rewards])

    @cached_property
    def mean_reward(self) -> Array:
        """(X,) Rhat, the mean of the parts."""
        return self.at_parts(self.reward).mean(axis=0)

    @cached_property
    def rows(self) -> tuple[Array, ...]:
        """Estimated laws (|S_j|, u) of the factor at the joint cells, for each stage of the sweep."""
        structure = self.structure
        first = (structure.first[stage.cell] for stage in structure.sweep[0])
        return tuple(
            self.kernel[start + np.arange(size)[:, None]] for start, size in zip(first, structure.states[::-1], strict=True)
        )

    def expectation(self, f: Array) -> Array:
        """(X,) Phat f, one factor after the other from the last to the first."""
        stages, joint = self.structure.sweep
        f = f.reshape(*self.structure.states, 1)
        for stage, row in zip(stages, self.rows, strict=True):
            f = (f[..., stage.later] * row).sum(axis=-2)
        return np.asarray(f[joint])

    def moments(self, f: Array, g: Array) -> Moments:
        """Moments sigma^2_i of f and u_i of g in one sweep; what belongs to factors already integrated is carried along."""
        stages, joint = self.structure.sweep
        means = np.stack([f, g]).reshape(2, *self.structure.states, 1)
        carried = means[:0]
        for stage, row in zip(stages, self.rows, strict=True):
            integrand = np.concatenate([means, means**2, carried])
            integrated = (integrand[..., stage.later] * row).sum(axis=-2)
            means, squares, carried = integrated[:2], integrated[2:4], integrated[4:]
            carried = np.concatenate([self.spread(squares[:1], means[:1]), squares[1:], carried])
        (f, g), carried = means[:, joint], carried[:, joint]
        return Moments(f, g, carried[::2], carried[1::2])

    def spread(self, square: Array, mean: Array) -> Array:
        """A variance from the second and the first moment."""
        return np.maximum(square - mean**2, 0.0)
