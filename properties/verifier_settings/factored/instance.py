"""Factored MDP: its public part and its truth.

A state is a tuple of factors, and so is an action; both have a flat number, the C-order ravel of the tuple. A *scope* is a tuple
of coordinates of x = (s, a): the factors of the state come first, 0..n-1, then those of the action. A *cell* of a scope is a
value of these coordinates, in the order the scope lists them, with the C-order ravel for its number; the empty scope has one
cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import TypeAlias

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property, frozen
from verifier.base.errors import ContractError, UsageError
from verifier.model.simulation import Simulation
from verifier_settings import mdp
from verifier_settings.factored.elimination import Elimination
from verifier_settings.factored.products import product, variances
from verifier_settings.initial import initial_law, require_run
from verifier_settings.simulator import cumulative, cumulative_kernel
from verifier_settings.tables import Chain
from verifier_settings.views import Problem

Scope: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Public:
    """Public part of an instance: sizes and scopes, and neither laws nor supports of rewards.

    ``H`` steps, ``K`` episodes, ``delta`` the failure probability. Rows of arrays over pairs are ``s*A + a``.

    Attributes
    ----------
    state_sizes, action_sizes : tuple of int
        Numbers of values of the factors of states and of actions.
    transition_scopes : tuple of Scope
        What each factor of the next state depends on.
    reward_scopes : tuple of Scope
        What each part of the reward depends on.
    """

    state_sizes: tuple[int, ...]
    action_sizes: tuple[int, ...]
    transition_scopes: tuple[Scope, ...]
    reward_scopes: tuple[Scope, ...]
    H: int
    K: int
    delta: float

    @property
    def S(self) -> int:
        """Number of flat states."""
        return prod(self.state_sizes)

    @property
    def A(self) -> int:
        """Number of flat actions."""
        return prod(self.action_sizes)

    @property
    def X(self) -> int:
        """Number of state-action pairs."""
        return self.S * self.A

    @property
    def n(self) -> int:
        """Number of factors of a state."""
        return len(self.state_sizes)

    @property
    def m(self) -> int:
        """Number of parts of a reward."""
        return len(self.reward_scopes)

    @property
    def T(self) -> int:
        """Number of steps, K*H."""
        return self.K * self.H

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of values of all coordinates of a pair."""
        return self.state_sizes + self.action_sizes

    def cell_count(self, scope: Scope) -> int:
        """Number of cells of a scope."""
        return prod(self.sizes[i] for i in scope)

    def cells(self, scope: Scope) -> IntArray:
        """(X,) the cell of a scope that each pair is in."""
        return _cells(self.sizes, scope)

    def state_factors(self) -> IntArray:
        """(S, n) the factors of each flat state."""
        return np.stack(np.unravel_index(np.arange(self.S), self.state_sizes), axis=1)


@lru_cache(maxsize=256)
def _cells(sizes: tuple[int, ...], scope: Scope) -> IntArray:
    coordinates = np.unravel_index(np.arange(prod(sizes)), sizes)
    cell = np.zeros(prod(sizes), dtype=np.int64)
    for i in scope:
        cell = cell * sizes[i] + coordinates[i]
    return frozen(cell)


@dataclass(frozen=True, eq=False)
class RewardPart:
    """The law of a part of the reward, on a finite support.

    Attributes
    ----------
    support : (v,) array
        Values in [0, 1].
    law : (cells, v) array
        Their probabilities in each cell of its scope.
    """

    support: Array
    law: Array

    @property
    def mean(self) -> Array:
        """(cells,) expected reward."""
        return np.asarray(self.law @ self.support)


Factor: TypeAlias = tuple[Scope, Array]
"""Scope and law (cells, S_j) of a factor of the next state."""

Part: TypeAlias = tuple[Scope, RewardPart]
"""Scope and law of a part of the reward."""


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth of an instance.

    Attributes
    ----------
    factors : tuple of (cells, S_j) arrays
        The law of each factor of the next state, in each cell of its scope.
    parts : tuple of RewardPart
        The laws of the parts of the reward; the reward is their mean.
    P : (X, S) array
        Transition kernel, the product of the factors.
    kernel : (H, X, S) array
        The same for every step (a view).
    part_means : (m, X) array
        Expected reward of each part at each pair.
    reward : (X,) array
        Expected reward.
    Q : (H, S, A) array
        Q*.
    V : (H+1, S) array
        V*.
    """

    factors: tuple[Array, ...]
    parts: tuple[RewardPart, ...]
    P: Array
    kernel: Array
    part_means: Array
    reward: Array
    Q: Array
    V: Array


@dataclass(frozen=True, eq=False)
class Instance(Problem[Public, Truth]):
    """A factored MDP.

    Parameters
    ----------
    public : Public
    truth : Truth
    start : (K, S) array
        Law of the initial state of each episode.
    redraw : callable, optional
        Draws the instance of each trial, where a statement is about the mean over several; `public` is the same for all.
    """

    start: Array
    redraw: Callable[[np.random.Generator], Instance] | None = None

    def drawn(self, rng: np.random.Generator) -> Instance:
        """The instance of one trial."""
        return self if self.redraw is None else replace(self.redraw(rng), public=self.public)

    @cached_property
    def drawn_moves(self) -> Array:
        """(H, X, S) the cumulative probabilities that next states are drawn from."""
        return cumulative_kernel(self.truth.kernel)

    @cached_property
    def drawn_rewards(self) -> list[tuple[Array, Array]]:
        """Support of each part of the reward, and the cumulative probabilities to draw from it at each pair, (X, v)."""
        scoped = zip(self.truth.parts, self.public.reward_scopes, strict=True)
        return [(frozen(part.support), frozen(cumulative(part.law)[self.public.cells(scope)])) for part, scope in scoped]

    @cached_property
    def rows(self) -> tuple[Array, ...]:
        """The law of each factor of the next state at each pair: n arrays (X, S_j)."""
        scopes = self.public.transition_scopes
        return tuple(factor[self.public.cells(scope)] for factor, scope in zip(self.truth.factors, scopes, strict=True))

    @cached_property
    def order(self) -> Elimination:
        """Order in which factors are integrated out, where their laws are given by cell."""
        return Elimination([self.public.cells(scope) for scope in self.public.transition_scopes], self.public.state_sizes)

    @cached_property
    def marginals(self) -> tuple[Array, ...]:
        """E over all factors of the next state but j of V*_{h+1}, as a function of factor j: n arrays (H, S_j, X)."""
        return self.order.marginals(self.truth.factors, self.truth.V[1:])

    @cached_property
    def variances(self) -> Array:
        """(n, H, X) sigma_j^2(V*_{h+1})."""
        return np.asarray(variances(self.rows, self.truth.V[1:]))


def make(
    state_sizes: Sequence[int],
    action_sizes: Sequence[int],
    factors: Sequence[Factor],
    parts: Sequence[Part],
    *,
    H: int,
    K: int,
    start: Array | int = 0,
    delta: float = 0.1,
) -> Instance:
    """Build an instance from its tables.

    Parameters
    ----------
    state_sizes, action_sizes : sequence of int
        Numbers of values of the factors.
    factors : sequence of Factor
        One for each factor of the state.
    parts : sequence of Part
        One at least.
    H, K : int
        Steps and episodes.
    start : int or array
        Initial state, or its law (S,), or its law in each episode (K, S).
    delta : float
        Failure probability.

    Raises
    ------
    ContractError
        If a scope names no coordinate or one twice, shapes disagree, a row is no law, or a reward leaves [0, 1].
    """
    public = Public(
        tuple(state_sizes), tuple(action_sizes), tuple(tuple(scope) for scope, _ in factors),
        tuple(tuple(scope) for scope, _ in parts), H, K, delta,
    )  # fmt: skip
    _check(public, [law for _, law in factors], [part for _, part in parts])
    laws = tuple(frozen(np.asarray(law, dtype=float)) for _, law in factors)
    P = product([law[public.cells(scope)] for law, scope in zip(laws, public.transition_scopes, strict=True)])
    means = np.stack([part.mean[public.cells(scope)] for scope, part in parts])
    reward, kernel = means.mean(axis=0), np.broadcast_to(P, (H, *P.shape))
    Q, V = mdp.optimal_values(kernel, np.broadcast_to(reward[:, None], (H, public.X, 1)))
    each_episode = np.ndim(start) == 2
    law = np.stack([initial_law(law, public.S) for law in np.asarray(start)]) if each_episode else initial_law(start, public.S)
    require_run(H, K, delta)
    truth = Truth(laws, tuple(part for _, part in parts), P, kernel, means, reward, Q[..., 0], V[..., 0])
    return Instance(public, truth, np.broadcast_to(law, (K, public.S)))


def from_chain(found: Chain, *, H: int, K: int) -> Instance:
    """An instance of one factor and one reward, which depend on everything.

    Raises
    ------
    UsageError
        If a reward leaves [0, 1].
    """
    if found.support[0] < 0 or found.support[-1] > 1:
        raise UsageError(
            f"rewards of the table lie in [{found.support[0]:g}, {found.support[-1]:g}], expected [0, 1]; the setting 'episodic' "
            "takes others"
        )
    X, S = found.P.shape
    part = RewardPart(found.support, found.law)
    return make((S,), (X // S,), [((0, 1), found.P)], [((0, 1), part)], H=H, K=K, start=found.start)


def simulation(instance: Instance) -> Simulation:
    """Tables of an instance: flat states and actions, and an initial law that is the mean of those of the K episodes."""
    public, truth = instance.public, instance.truth
    laws = instance.drawn_rewards

    def reward(h: int, row: int, w: int, rng: np.random.Generator) -> float:
        return float(np.mean([support[law[row].searchsorted(rng.random(), side="right")] for support, law in laws]))

    return Simulation(truth.P[None], instance.start.mean(axis=0)[:, None], reward, public.H)


def _check(public: Public, laws: Sequence[Array], parts: Sequence[RewardPart]) -> None:
    if len(laws) != public.n or not parts:
        raise ContractError(f"there are {len(laws)} factor laws and {len(parts)} reward parts; expected n = {public.n}, and one")
    for scope in (*public.transition_scopes, *public.reward_scopes):
        if len(set(scope)) != len(scope) or not all(0 <= i < len(public.sizes) for i in scope):
            raise ContractError(f"scope {scope} does not name distinct coordinates 0..{len(public.sizes) - 1}")
    for j, (scope, law) in enumerate(zip(public.transition_scopes, laws, strict=True)):
        _require_laws(law, (public.cell_count(scope), public.state_sizes[j]), f"factor {j + 1}")
    for i, (scope, part) in enumerate(zip(public.reward_scopes, parts, strict=True)):
        _require_laws(part.law, (public.cell_count(scope), len(part.support)), f"reward part {i + 1}")
        if part.support.min() < 0 or part.support.max() > 1:
            raise ContractError(f"reward part {i + 1} has support {part.support}, expected values in [0, 1]")


def _require_laws(law: Array, shape: tuple[int, int], where: str) -> None:
    if np.shape(law) != shape or not (np.min(law) >= 0 and np.allclose(np.sum(law, axis=1), 1.0, atol=1e-9)):
        raise ContractError(f"{where} has laws of shape {np.shape(law)}, expected {shape} with rows that are probability laws")


def over_scopes(public: Public, scopes: Sequence[Scope], per_cell: Callable[[int], Array]) -> Array:
    """Array of a quantity per cell of each scope, looked up at all pairs: (..., len(scopes), X)."""
    return np.stack([np.take(per_cell(i), public.cells(scope), axis=-1) for i, scope in enumerate(scopes)], axis=-2)
