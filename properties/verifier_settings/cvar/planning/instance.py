"""Planning problem: a known model with rewards on a grid, bonuses and an initial budget."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.base.errors import ContractError
from verifier_settings.cvar import augmented, regression
from verifier_settings.cvar.augmented import Grid
from verifier_settings.views import Features, Problem


@dataclass(frozen=True, eq=False)
class Public(Features):
    """The whole problem: a planner knows its model and what it draws from it is simulation.

    Attributes
    ----------
    S, A : int
        Numbers of states and actions.
    grid : Grid
        Rewards and budgets; its step is the paper's upsilon.
    phi : (H-1, S*A, d) array
    psi : (H-1, d, S) array
        The model.
    reward : (H, S*A, n+1) array
        Law of the reward index.
    bonus : (H, S*A) array
        b-hat.
    budget : int
        i_1, the initial budget index.
    start : int
        s_1.
    T1, T2 : int
        Episodes for planning, and for evaluating each policy.
    delta : float
        Failure probability.
    ridge : float
        lambda, 1 in the paper.
    """

    S: int
    A: int
    grid: Grid
    phi: Array
    psi: Array
    reward: Array
    bonus: Array
    budget: int
    start: int
    T1: int
    T2: int
    delta: float
    ridge: float = 1.0

    @property
    def H(self) -> int:
        """Steps."""
        return self.grid.H

    @property
    def D(self) -> int:
        """Length of phibar, d (n+1)."""
        return self.d * (self.grid.n + 1)

    @cached_property
    def lowest(self) -> float:
        """Lower bound of all values: minus the sum over steps of the largest bonus, or -H if that is lower (Line 8)."""
        return -max(float(self.H), float(self.bonus.max(axis=1).sum()))

    @cached_property
    def features(self) -> Array:
        """(H, X, D) phibar."""
        return regression.features(self.phi, self.reward)

    @cached_property
    def P(self) -> Array:
        """(H-1, X, S) the kernel."""
        return np.matmul(self.phi, self.psi)


@dataclass(frozen=True, eq=False)
class Truth:
    """The exact solution.

    Attributes
    ----------
    V : (H+1, S, N+1) array
        V*, the least values with bonus.
    policy : (H, S, N+1) int array
        A policy that attains them.
    """

    V: Array
    policy: IntArray


@dataclass(frozen=True)
class Instance(Problem[Public, Truth]):
    """A planning problem with its solution."""

    @cached_property
    def feature_norm(self) -> Array:
        """(H, X) ||phibar(s,a)||, at most 1."""
        return np.linalg.norm(self.public.features, axis=2)

    @cached_property
    def parameter_norm(self) -> Array:
        """(H, N+1) ||theta_h(i)|| of V*_{h+1}, at most sqrt(D) times the largest |V*|."""
        V, public = self.truth.V, self.public
        return np.stack(
            [np.linalg.norm(regression.parameter(public.psi, V[h + 1], h, public.grid), axis=0) for h in range(public.H)]
        )


def make(
    *,
    phi: Array,
    psi: Array,
    reward: Array,
    A: int,
    bonus: Array | None = None,
    budget: int | None = None,
    m: int | None = None,
    q: int = 1,
    start: int = 0,
    T1: int = 100,
    T2: int = 100,
    delta: float = 0.1,
) -> Instance:
    """Build a planning problem and solve it exactly.

    Parameters
    ----------
    phi, psi, A : arrays and int
        As in `Public`.
    reward : (H, S*A, m+1) array
        Laws on the grid of 1/m; they are rounded up to the grid of q/m.
    bonus : (H, S*A) array, optional
        Zero by default.
    budget : int, optional
        Index on the grid of q/m; half the largest one by default.

    Raises
    ------
    ContractError
        If shapes or ranges do not fit.
    """
    (H, X, atoms), S = reward.shape, psi.shape[-1]
    grid = Grid(H, (atoms - 1) if m is None else m, q)
    bonuses = np.zeros((H, X)) if bonus is None else np.array(bonus, dtype=float)
    i1 = grid.N // 2 if budget is None else budget
    if phi.shape[:2] != (H - 1, X) or psi.shape[:2] != (H - 1, phi.shape[2]) or X != S * A or bonuses.shape != (H, X):
        raise ContractError(f"phi {phi.shape}, psi {psi.shape}, reward {reward.shape}, bonus {bonuses.shape} do not fit A = {A}")
    if grid.m != atoms - 1 or not 0 <= i1 <= grid.N or min(T1, T2) < 1:
        raise ContractError(
            f"m = {grid.m}, budget {i1}, T1 = {T1}, T2 = {T2}; expected m = {atoms - 1}, a budget 0..{grid.N} "
            "and positive numbers of episodes"
        )
    law = grid.round_up(reward)
    for array in (phi, psi, law, bonuses):
        array.flags.writeable = False
    public = Public(S, A, grid, phi, psi, law, bonuses, i1, start, T1, T2, delta)
    V, policy = augmented.optimal(public.P, law, bonuses, grid, S)
    return Instance(public, Truth(V, policy))
