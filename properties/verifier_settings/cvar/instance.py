"""Low-rank MDP with a risk level: its public part and its truth.

Steps are counted from 0 here and from 1 in what users see. Arrays of models have a leading axis of length M = |F|: the class is
a product over steps, so the model may change from step to step.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.base.errors import ContractError, InternalError
from verifier.model.simulation import Simulation
from verifier_settings.cvar import augmented
from verifier_settings.cvar.augmented import Grid, cvar_of_laws
from verifier_settings.views import Features, Problem

LARGEST_ENUMERATION = 12
"""Largest number of states with which the norm of sum_s psi(s) g(s) is maximised over all g: S -> {0, 1}, above it is bounded."""


@dataclass(frozen=True, eq=False)
class Public(Features):
    """Public part of an instance.

    Symbols as in the paper: ``S, A`` numbers of states and actions, ``H`` steps, ``K`` iterations, ``tau`` the risk level,
    ``delta`` the failure probability.

    Attributes
    ----------
    start : int
        The fixed initial state s_1.
    phi : (M, H-1, S*A, d) array
        Features of the models of the class F, row ``s*A + a``.
    psi : (M, H-1, d, S) array
        Their measures: model i has the kernel phi[i, h] psi[i, h] at step h.
    reward : (H, S*A, m+1) array
        Probability that the reward, rounded up to a multiple of 1/m, is j/m. Where `beta` is absent rewards are such multiples.
    beta : (H, S*A, 2) array, optional
        Parameters of the Beta laws of continuous rewards.
    m, q : int
        1/m is the fine step, ups = q/m the discretisation step of ELLA and CVaR-LSVI; q need not divide m.
    ridge_scale : float
        The constant C of lambda = C d log(|F| H K / delta).
    T1, T2 : int
        Planning and evaluation episodes of CVaR-LSVI.
    """

    S: int
    A: int
    H: int
    K: int
    tau: float
    delta: float
    start: int
    phi: Array
    psi: Array
    reward: Array
    beta: Array | None
    m: int
    q: int
    ridge_scale: float
    T1: int
    T2: int

    @property
    def M(self) -> int:
        """|F|, the number of models per step."""
        return int(self.phi.shape[0])

    @property
    def ups(self) -> float:
        """The discretisation step q/m."""
        return self.q / self.m

    @cached_property
    def fine(self) -> Grid:
        """The grid of multiples of 1/m."""
        return Grid(self.H, self.m)

    @cached_property
    def coarse(self) -> Grid:
        """The grid of multiples of q/m."""
        return Grid(self.H, self.m, self.q)

    @cached_property
    def coarse_reward(self) -> Array:
        """(H, X, n+1) law of the reward rounded up to the coarse grid, the paper's r-bar."""
        return self.coarse.round_up(self.reward)

    @property
    def log_class(self) -> float:
        """log(|F| H K / delta): a union over all steps and iterations.

        The paper has k for K; the sum over k of delta / k diverges, so its events would not hold for all k at once.
        """
        return math.log(self.M * self.H * self.K / self.delta)

    @property
    def ridge(self) -> float:
        """lambda = C d log(|F| H K / delta), the paper's lambda_k with K for k."""
        return self.ridge_scale * self.d * self.log_class

    @cached_property
    def kernels(self) -> Array:
        """(M, H-1, X, S) the kernels of all models."""
        return np.matmul(self.phi, self.psi)

    @cached_property
    def excluded(self) -> Array:
        """(M, H-1, X*S) 1 where a model gives a transition probability zero, else 0."""
        return (self.kernels <= 0).astype(float).reshape(self.M, self.H - 1, -1)

    @cached_property
    def log_kernels(self) -> Array:
        """(M, H-1, X*S) logarithms of the kernels, 0 where a model excludes a transition."""
        return np.log(np.where(self.kernels > 0, self.kernels, 1.0)).reshape(self.M, self.H - 1, -1)


@dataclass(frozen=True, eq=False)
class Planned:
    """The exact solution of an augmented MDP.

    Attributes
    ----------
    grid : Grid
    V : (H+1, S, N+1) array
        Least values E[(c - sum of rewards)^+].
    policy : (H, S, N+1) int array
        The action that attains them.
    objective : (N+1,) array
        c - V_1(s_1, c) / tau.
    budget : int
        Index of the first maximiser of the objective.
    cvar : float
        The maximum: CVaR* of the MDP with rewards on this grid.
    """

    grid: Grid
    V: Array
    policy: IntArray
    objective: Array
    budget: int
    cvar: float


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth of an instance.

    Attributes
    ----------
    index : (H-1,) int array
        Which model of the class is true, by step.
    P : (H-1, X, S) array
        The true kernel.
    fine : Planned
        Optimum on the grid of 1/m: exact for rewards on that grid, else an upper bound of CVaR* by at most `bracket`.
    coarse : Planned
        Optimum for rewards rounded up to the coarse grid.
    bracket : float
        0 for rewards on the grid. For continuous rewards H/m: with R^ the return with each reward rounded up to the grid, the
        return rounded down is R^ - H/m almost surely, so CVaR(R^) - H/m <= CVaR(R) <= CVaR(R^) for every policy.
    """

    index: IntArray
    P: Array
    fine: Planned
    coarse: Planned
    bracket: float


@dataclass(frozen=True)
class Instance(Problem[Public, Truth]):
    """A low-rank MDP with its model class."""

    @cached_property
    def feature_norm(self) -> Array:
        """(M, H-1, X) ||phi(s,a)||, at most 1."""
        return np.linalg.norm(self.public.phi, axis=3)

    @cached_property
    def measure_norm(self) -> Array:
        """(M, H-1) max over g: S -> [0, 1] of ||sum_s psi(s) g(s)||, at most sqrt(d).

        The maximum of a convex function over a cube is at a corner. Up to 12 states all corners are tried; above, each
        coordinate is maximised by itself, which is exact where psi has no negative entry and an upper bound elsewhere.
        """
        psi, S = self.public.psi, self.public.S
        if S > LARGEST_ENUMERATION or (psi >= 0).all():
            signed = np.maximum(np.maximum(psi, 0.0).sum(axis=3), np.maximum(-psi, 0.0).sum(axis=3))
            return np.linalg.norm(signed, axis=2)
        corners = np.array(list(itertools.product((0.0, 1.0), repeat=S))).T
        return np.linalg.norm(np.matmul(psi, corners), axis=2).max(axis=-1)


def make(
    *,
    phi: Array,
    psi: Array,
    index: IntArray | list[int],
    A: int,
    K: int,
    tau: float,
    reward: Array | None = None,
    beta: Array | None = None,
    m: int | None = None,
    q: int = 1,
    delta: float = 0.1,
    start: int = 0,
    ridge_scale: float = 1.0,
    T1: int = 30,
    T2: int = 200,
) -> Instance:
    """Build an instance with its exact truth.

    Parameters
    ----------
    phi, psi : arrays
        The model class, shapes as in `Public`.
    index : (H-1,) ints
        The true model of each step.
    A, K : int
    tau : float
        Risk level in (0, 1].
    reward : (H, S*A, m+1) array
        Laws of rewards on the grid of 1/m; or
    beta, m : (H, S*A, 2) array, int
        Beta laws of continuous rewards, and the fine grid on which the truth is bracketed.
    q, delta, start, ridge_scale, T1, T2 : numbers
        As in `Public`.

    Raises
    ------
    ContractError
        If shapes or ranges do not fit. Whether the assumptions hold is not checked here: assumption claims do that, and instances
        that break them exist on purpose.
    InternalError
        If two routes to the truth disagree.
    """
    if (reward is None) == (beta is None) or (beta is not None and m is None):
        raise ContractError("give either `reward`, laws on a grid, or `beta` and `m`, continuous laws and a fine grid")
    law = beta_law(beta, int(m or 0)) if beta is not None else np.asarray(reward, dtype=float)
    (M, steps, X, d), S = phi.shape, psi.shape[-1]
    H = steps + 1
    if psi.shape != (M, steps, d, S) or X != S * A or law.ndim != 3 or law.shape[:2] != (H, X) or len(index) != steps:
        raise ContractError(
            f"phi {phi.shape}, psi {psi.shape}, rewards {law.shape}, index of length {len(index)} do not fit A = {A}; "
            "expected (M,H-1,S*A,d), (M,H-1,d,S), (H,S*A,m+1), H-1"
        )
    atoms = law.shape[2] - 1
    if not 1 <= q <= atoms or not 0 < tau <= 1 or not 0 <= start < S or not 0 < delta < 1 or min(K, T1, T2) < 1:
        raise ContractError(
            f"q = {q}, tau = {tau}, start = {start}, delta = {delta}, K = {K}, T1 = {T1}, T2 = {T2}; expected "
            f"1 <= q <= m = {atoms}, 0 < tau <= 1, a state below {S}, 0 < delta < 1 and positive numbers of iterations and "
            "episodes"
        )
    for array in (phi, psi, law, beta):
        if array is not None:
            array.flags.writeable = False
    public = Public(S, A, H, K, tau, delta, start, phi, psi, law, beta, atoms, q, ridge_scale, T1, T2)
    chosen = np.array(index, dtype=np.int64)
    P = public.kernels[chosen, np.arange(steps)]
    truth = Truth(
        index=chosen,
        P=P,
        fine=planned(P, law, None, public, public.fine),
        coarse=planned(P, public.coarse_reward, None, public, public.coarse),
        bracket=0.0 if beta is None else H / atoms,
    )
    return Instance(public, truth)


def planned(P: Array, r: Array, b: Array | None, public: Public, grid: Grid) -> Planned:
    """Solve an augmented MDP exactly; without bonuses the optimum is confirmed by the return law of its policy."""
    V, policy = augmented.optimal(P, r, b, grid, public.S)
    objective = grid.levels - V[0, public.start] / public.tau
    budget = int(objective.argmax())
    if b is None:
        law = augmented.return_law(P, r, policy, np.array(budget), public.start, Grid(grid.H, grid.n), public.S)
        residual = abs(float(cvar_of_laws(grid.levels, law, public.tau)) - float(objective[budget]))
        allowed = augmented.rounding(public.S, grid) / public.tau
        if not residual <= allowed:
            raise InternalError(f"two routes to CVaR* differ by {residual:.1e}, expected at most {allowed:.1e}")
    return Planned(grid, V, policy, objective, budget, float(objective[budget]))


def beta_law(parameters: Array, m: int) -> Array:
    """Laws (H, X, m+1) of Beta rewards, parameters (H, X, 2), rounded up to multiples of 1/m: differences of their cdf."""
    from scipy.special import betainc

    cdf = betainc(parameters[..., :1], parameters[..., 1:], np.arange(m + 1) / m)
    return np.concatenate([cdf[..., :1], np.diff(cdf, axis=-1)], axis=-1)


def simulation(instance: Instance) -> Simulation:
    """Tables of an instance: episodes of H steps with random rewards; nothing follows the last one, the state stays."""
    public = instance.public
    start = np.eye(public.S)[public.start][:, None]

    def reward(h: int, row: int, w: int, rng: np.random.Generator) -> float:
        if public.beta is None:
            law = np.maximum(public.reward[h, row], 0.0)
            return float(rng.choice(len(law), p=law / law.sum())) / public.m
        return float(rng.beta(*public.beta[h, row]))

    stay = np.repeat(np.eye(public.S), public.A, axis=0)[None]
    return Simulation(np.concatenate([instance.truth.P, stay]), start, reward, public.H)
