"""Discounted MDP: its public part and its truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, IntArray, cached_property
from verifier.base.errors import ContractError
from verifier.model.simulation import Simulation
from verifier_settings.discounted import solver
from verifier_settings.views import Problem


@dataclass(frozen=True, eq=False)
class Public:
    """Public part of an instance.

    Symbols as in the paper: ``X, A`` numbers of states and actions, ``gamma`` the discount factor, ``T`` steps, ``ridge`` the
    regulariser lambda, ``delta`` the failure probability of the confidence sets (1/T in the paper).

    Attributes
    ----------
    reward : (X, A) array
        r(x,a) in [0, 1], known.
    psi : (X*A, X, d) array
        Features of a linear mixture, P(x'|x,a) = <theta, psi(x,a,x')> (Assumption 5.3); d = 0 where there are none.
    B : float
        The declared bound of ||theta|| and of ||sum_x' psi(x,a,x') V(x')|| / H; infinite where d = 0.
    initial_policy : (X, A) array
        pi_0.
    """

    X: int
    A: int
    T: int
    gamma: float
    ridge: float
    delta: float
    reward: Array
    psi: Array
    B: float
    initial_policy: Array

    @property
    def H(self) -> float:
        """The effective horizon 1/(1-g)."""
        return 1.0 / (1.0 - self.gamma)

    @property
    def d(self) -> int:
        """Dimension of psi."""
        return int(self.psi.shape[2])


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth of an instance.

    Attributes
    ----------
    P : (X*A, X) array
        Transition kernel, row ``x*A + a``.
    start : (X,) array
        nu_0, the law of the first state and of the state after a reset.
    theta : (d,) array
        Its coefficients in psi.
    Q, V : (X, A) and (X,) arrays
        Q* and V*, unnormalised: in [0, H].
    policy : (X,) int array
        A deterministic optimal policy.
    """

    P: Array
    start: Array
    theta: Array
    Q: Array
    V: Array
    policy: IntArray


@dataclass(frozen=True)
class Instance(Problem[Public, Truth]):
    """A discounted MDP."""

    @cached_property
    def optimal_occupancy(self) -> Array:
        """(X, A) mu*, the occupancy of the optimal policy."""
        public, truth = self.public, self.truth
        return solver.occupancy(truth.P, np.eye(public.A)[truth.policy], truth.start, public.gamma)

    @cached_property
    def initial_entropy(self) -> float:
        """H(pi*||pi_0) = <nu*, KL(pi* || pi_0)>; infinite if pi_0 excludes an action of pi* at a state it visits."""
        mu = self.optimal_occupancy
        met = mu > 0
        with np.errstate(divide="ignore"):  # log 0 where pi_0 excludes an action
            return float(-(mu[met] * np.log(self.public.initial_policy[met])).sum())

    @cached_property
    def optimal_return(self) -> float:
        """<mu*, r> = (1-g) <nu_0, V*>, the best return per step, in [0, 1]."""
        return float((self.optimal_occupancy * self.public.reward).sum())


def make(
    *,
    P: Array,
    reward: Array,
    start: Array,
    gamma: float,
    T: int,
    psi: Array | None = None,
    theta: Array | None = None,
    B: float = np.inf,
    ridge: float = 1.0,
    delta: float | None = None,
    initial_policy: Array | None = None,
) -> Instance:
    """Build an instance with its exact values.

    Parameters
    ----------
    P : (X*A, X) array
        Transition kernel, row ``x*A + a``.
    reward : (X, A) array
    start : (X,) array
        nu_0.
    gamma : float
        In (0, 1).
    T : int
        Steps, at least 1.
    psi : (X*A, X, d) array, optional
        Features of a linear mixture.
    theta : (d,) array, optional
        Coefficients with P = psi theta; with `psi` only.
    B : float
        Declared norm bound of the mixture.
    ridge : float
        lambda.
    delta : float, optional
        1/T by default, as in the paper; 1/2 for T = 1.
    initial_policy : (X, A) array, optional
        Uniform by default.

    Raises
    ------
    ContractError
        If shapes disagree or gamma, T are out of range. Whether the assumptions hold is not checked here: assumption claims do
        that, and instances that break them exist on purpose.
    """
    X, A = reward.shape
    psi = np.zeros((X * A, X, 0)) if psi is None else psi
    theta = np.zeros(psi.shape[2]) if theta is None else theta
    pi = np.full((X, A), 1.0 / A) if initial_policy is None else initial_policy
    if P.shape != (X * A, X) or start.shape != (X,) or psi.shape != (X * A, X, len(theta)) or pi.shape != (X, A):
        raise ContractError(
            f"P {P.shape}, reward {reward.shape}, start {start.shape}, psi {psi.shape}, theta {theta.shape}, initial policy "
            f"{pi.shape} do not fit; expected (X*A,X), (X,A), (X,), (X*A,X,d), (d,), (X,A)"
        )
    if not 0.0 < gamma < 1.0 or T < 1:
        raise ContractError(f"gamma is {gamma} and T is {T}; expected 0 < gamma < 1 and T >= 1")
    public = Public(
        X=X, A=A, T=T, gamma=gamma, ridge=ridge, delta=1.0 / max(T, 2) if delta is None else delta, reward=reward, psi=psi, B=B,
        initial_policy=pi,
    )  # fmt: skip
    Q, V, policy = solver.optimal(P, reward, gamma)
    for array in (P, reward, start, psi, theta, pi):
        array.flags.writeable = False
    return Instance(public, Truth(P, start, theta, Q, V, policy))


def simulation(instance: Instance) -> Simulation:
    """Tables of an instance: one episode that never ends."""
    start, reward = np.asarray(instance.truth.start)[:, None], instance.public.reward.ravel()
    return Simulation(instance.truth.P[None], start, lambda h, row, w, rng: float(reward[row]), None)
