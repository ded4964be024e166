"""Finite-horizon MDP: its public part and its truth.

Transitions and rewards are the same at every step, unless they are given step by step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from verifier.base.arrays import Array, IntArray, frozen
from verifier.base.errors import ContractError
from verifier.model.simulation import Simulation
from verifier_settings import mdp
from verifier_settings.episodic.rewards import RewardLaw, RewardTable
from verifier_settings.initial import initial_law, require_run
from verifier_settings.phases import EpisodicFeatures
from verifier_settings.tables import Chain
from verifier_settings.views import Problem

STEPS, NOISE, REDRAWN = frozenset({"step-dependent"}), frozenset({"noisy-rewards"}), frozenset({"redrawn"})
MIXTURE = frozenset({"linear-mixture"})
BANDIT, LINEAR = frozenset({"bandit"}), frozenset({"linear-bandit"})
ADVERSARY = frozenset({"adversarial"})
STOPPING, DECLARED = frozenset({"stopping"}), frozenset({"declared-range"})
"""Features of problems that algorithms have to handle."""


@dataclass(frozen=True, eq=False)
class Public(EpisodicFeatures):
    """Public part of an instance.

    ``S, A`` numbers of states and actions, ``H`` steps, ``K`` episodes, ``delta`` the failure probability, ``ridge`` the
    regulariser lambda of linear algorithms. Steps are counted from 0 here and from 1 in what users see.

    Attributes
    ----------
    low, high : float
        The range of rewards that the problem declares.
    phi : (S*A, d) array
        Features, row ``s*A + a``; unit vectors where nothing better is known.
    reward : (S*A,) array
        r(s,a), for algorithms that know it, the mean where rewards are random; (H, S*A) where it depends on the step; NaN in a
        bandit, whose agents are not told it.
    base : (m, S*A, S) array
        Kernels of which that of the problem is a linear combination; m = 0 where none are known.
    B : float
        Declared bound of the Euclidean norm of its coefficients; in a bandit, of the reward parameter theta.
    epsilon : float
        The accuracy with which a run may stop before K episodes; 0 where every run has K of them.
    """

    S: int
    A: int
    H: int
    K: int
    delta: float
    ridge: float
    low: float
    high: float
    phi: Array
    reward: Array
    base: Array
    B: float
    epsilon: float = 0.0

    @property
    def m(self) -> int:
        """Number of base kernels."""
        return len(self.base)


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth of an instance.

    Attributes
    ----------
    P : (S*A, S) array
        Transition kernel; (H, S*A, S) where it depends on the step.
    kernel : (H, S*A, S) array
        That of every step (a view).
    mu : (d, S) array
        Its measures, P = phi mu; (H, d, S) where it depends on the step.
    theta : (d,) array
        Reward parameter, r = phi theta; (H, d) where it depends on the step.
    reward : (S*A,) array
        r(s,a); (H, S*A) where it depends on the step.
    rewards : (H, S*A) array
        That of every step (a view).
    law : RewardLaw or None
        Where rewards are random: `reward` is their mean. As a `RewardTable`, the rewards of each episode: `reward` is then their
        mean over the episodes.
    weights : (m,) array
        The coefficients of the base kernels.
    Q : (H, S, A) array
        Q*.
    V : (H+1, S) array
        V*.
    """

    P: Array
    kernel: Array
    mu: Array
    theta: Array
    reward: Array
    rewards: Array
    law: RewardLaw | None
    weights: Array
    Q: Array
    V: Array

    @property
    def shared(self) -> Array:
        """(S*A, S) the kernel of all steps.

        Raises
        ------
        ContractError
            If it depends on the step: a statement about one kernel does not apply.
        """
        if self.P.ndim != 2:
            raise ContractError("the statement is about one kernel for all steps, and the instance has one for each step")
        return self.P

    def linear(self, step: int) -> tuple[Array, Array]:
        """theta and mu of a step, counted from 0."""
        return self.theta[step] if self.theta.ndim == 2 else self.theta, self.mu[step] if self.mu.ndim == 3 else self.mu

    def paid(self, pairs: IntArray) -> Array:
        """(e, H) the mean rewards of the pairs played at each step (e, H)."""
        return np.asarray(self.rewards[np.arange(pairs.shape[1]), pairs])

    def parameter(self, V: Array) -> Array:
        """w_h with <w_h, phi> = r_h + P_h V of value functions V (p, H, S) after each step; shape (p, H, d)."""
        return np.asarray(self.theta + mdp.backup(self.mu, V))


@dataclass(frozen=True)
class Prior:
    """The law of a kernel whose rows are independent and have a symmetric Dirichlet law.

    Attributes
    ----------
    concentration : float
        Of each next state.
    """

    concentration: float

    def kernel(self, rng: np.random.Generator, S: int, A: int) -> Array:
        """(S*A, S) a kernel drawn from it."""
        return rng.dirichlet(np.full(S, self.concentration), size=S * A)


@dataclass(frozen=True, eq=False)
class Instance(Problem[Public, Truth]):
    """A finite-horizon MDP.

    Parameters
    ----------
    public : Public
    truth : Truth
    start : (S,) array
        Law of the initial state of every episode.
    redraw : Prior, optional
        Draws the kernel of each trial, where a statement is about the mean over several; `public` is the same for all.
    """

    start: Array
    redraw: Prior | None = None

    def drawn(self, rng: np.random.Generator) -> Instance:
        """The instance of one trial."""
        if self.redraw is None:
            return self
        truth, public = self.truth, self.public
        P = self.redraw.kernel(rng, public.S, public.A)
        return replace(self, truth=_truth(P, truth.reward, truth.law, public.H, truth.theta, P, truth.weights))


def make(
    P: Array,
    reward: Array | RewardLaw,
    *,
    H: int,
    K: int,
    start: Array | int = 0,
    span: tuple[float, float] | None = None,
    phi: Array | None = None,
    mu: Array | None = None,
    base: Array | None = None,
    weights: Array | None = None,
    B: float | None = None,
    delta: float = 0.1,
    ridge: float = 1.0,
    bandit: bool = False,
    epsilon: float = 0.0,
) -> Instance:
    """Build an instance from its tables.

    Parameters
    ----------
    P : (S*A, S) or (H, S*A, S) array
        Transition kernel, row ``s*A + a``: one for all steps, or one for each.
    reward : (S*A,) or (H, S*A) array, or RewardLaw
        Likewise; or the law of rewards that are random, or, as a `RewardTable`, the rewards of each episode.
    H, K : int
        Steps and episodes.
    start : (S,) array or int
        Law of the initial state, or the state itself.
    span : (float, float), optional
        Declared range of the rewards, any interval; [0, 1], stretched where they leave it, by default.
    phi, mu : (S*A, d) and (d, S) arrays, optional
        Linear structure; unit vectors and P itself by default. `mu` is (H, d, S) where P depends on the step. In a bandit with
        features it is not needed: nothing comes after the only step.
    base, weights : (m, S*A, S) and (m,) arrays, optional
        Kernels that agents may know, and the coefficients with which P is their sum, which agents have to learn.
    B : float, optional
        Declared bound of the norm of the coefficients, or of theta in a bandit; their norm, and 1 at least, by default.
    delta, ridge : float
        Failure probability and lambda.
    bandit : bool
        Whether agents are not told the mean rewards: rewards are drawn, and episodes have one step.
    epsilon : float
        The accuracy with which a run may stop before K episodes; by default it may not.

    Raises
    ------
    ContractError
        If shapes disagree, a row is no law, a reward leaves the declared range, a bandit has several steps or known rewards, a
        table of rewards is of another number of episodes or of no bandit, or epsilon is negative.
    """
    if not 0.0 <= epsilon < np.inf:
        raise ContractError(f"epsilon = {epsilon!r}; expected an accuracy above 0, or 0 where every run has K episodes")
    if bandit and not (H == 1 and isinstance(reward, RewardLaw)):
        raise ContractError(f"a bandit with H = {H} and rewards {type(reward).__name__}; expected H = 1 and a RewardLaw")
    if isinstance(reward, RewardTable) and not (bandit and len(reward.rounds) == K):
        raise ContractError(f"a table of rewards of {len(reward.rounds)} episodes; expected a bandit, with K = {K} of them")
    law = reward if isinstance(reward, RewardLaw) else None
    P, reward = np.asarray(P, dtype=float), reward.mean if isinstance(reward, RewardLaw) else np.asarray(reward, dtype=float)
    X, S = P.shape[-2:] if P.ndim > 1 else (0, 1)
    if P.shape not in ((X, S), (H, X, S)) or X % S or reward.shape not in ((X,), (H, X)):
        raise ContractError(
            f"P has shape {P.shape}, reward {reward.shape}; expected (S*A, S) and (S*A,), either of them with a first axis of "
            f"H = {H} steps where it depends on the step"
        )
    if not ((P >= -1e-12).all() and np.allclose(P.sum(axis=-1), 1.0, atol=1e-9) and np.isfinite(reward).all()):
        raise ContractError("P has a row that is no probability law, or a reward is not finite; check the tables")
    every = reward if law is None else law.support
    low, high = span if span is not None else (min(0.0, float(every.min())), max(1.0, float(every.max())))
    if every.min() < low or every.max() > high:
        raise ContractError(f"rewards lie in [{every.min():g}, {every.max():g}], outside the declared range [{low:g}, {high:g}]")
    theta = reward if phi is None else np.linalg.lstsq(phi, reward.T, rcond=None)[0].T
    if mu is None:
        mu = P if phi is None or not bandit else np.zeros((phi.shape[1], S))
    phi = np.eye(X) if phi is None else phi
    first = initial_law(start, S)
    require_run(H, K, delta)
    base, weights = _mixture(base, weights, X, S)
    bound = max(1.0, float(np.linalg.norm(theta if bandit else weights))) if B is None else float(B)
    told = np.full(reward.shape, np.nan) if bandit else reward
    public = Public(S, X // S, H, K, delta, ridge, low, high, frozen(phi), frozen(told), base, bound, epsilon)
    return Instance(public, _truth(P, frozen(reward), law, H, theta, mu, weights), first)


def _mixture(base: Array | None, weights: Array | None, X: int, S: int) -> tuple[Array, Array]:
    """Base kernels and their coefficients, after checking that they fit; none where none are given."""
    kernels = np.zeros((0, X, S)) if base is None else np.asarray(base, dtype=float)
    coefficients = np.zeros(0) if weights is None else np.asarray(weights, dtype=float)
    if kernels.shape[1:] != (X, S) or coefficients.shape != kernels.shape[:1] or not np.isfinite(kernels).all():
        raise ContractError(
            f"base has shape {kernels.shape}, weights {coefficients.shape}; expected m kernels and a coefficient for each, "
            f"(m, {X}, {S}) and (m,), all finite"
        )
    return frozen(kernels), frozen(coefficients)


def _truth(P: Array, reward: Array, law: RewardLaw | None, H: int, theta: Array, mu: Array, weights: Array) -> Truth:
    """Truth with what follows from the tables: optimal values."""
    X, S = P.shape[-2:]
    kernel, rewards = np.broadcast_to(P, (H, X, S)), np.broadcast_to(reward, (H, X))
    Q, V = mdp.optimal_values(kernel, rewards[..., None])
    return Truth(P, kernel, mu, theta, reward, rewards, law, weights, Q[..., 0], V[..., 0])


def beyond(instance: Instance) -> frozenset[str]:
    """Names of what an instance has beyond the plain problem."""
    truth = instance.truth
    steps, bandit = truth.P.ndim == 3 or truth.reward.ndim == 2, bool(np.isnan(instance.public.reward).any())
    arms = instance.public.S == 1 and np.array_equal(instance.public.phi, np.eye(instance.public.A))
    found = {
        STEPS: steps, NOISE: truth.law is not None, REDRAWN: instance.redraw is not None, MIXTURE: instance.public.m > 0,
        BANDIT: bandit, LINEAR: bandit and not arms, STOPPING: instance.public.epsilon > 0,
        ADVERSARY: isinstance(truth.law, RewardTable),
    }  # fmt: skip
    return frozenset().union(*(what for what, holds in found.items() if holds))


def from_chain(found: Chain, *, H: int, K: int) -> Instance:
    """An instance whose r(s,a) is the mean reward of the transition.

    Where rewards leave [0, 1], the claims that assume this range are not applicable: the declared range is [0, 1], stretched.
    """
    return make(found.P, found.law @ found.support, H=H, K=K, start=found.start)


def simulation(instance: Instance) -> Simulation:
    """Tables of an instance: episodes of H steps from the initial law.

    Raises
    ------
    ContractError
        If rewards are fixed for each episode: no table of steps has them.
    """
    if isinstance(instance.truth.law, RewardTable):
        raise ContractError("rewards are fixed for each episode, which no table of steps has; take another instance")
    truth, start = instance.truth, np.asarray(instance.start)[:, None]
    P = truth.P[None] if truth.P.ndim == 2 else truth.P
    return Simulation(P, start, lambda h, row, w, rng: _reward(truth, h, row, rng), instance.public.H)


def _reward(truth: Truth, h: int, row: int, rng: np.random.Generator) -> float:
    if truth.law is None:
        return float(truth.rewards[h, row])
    law = truth.law.law if truth.law.law.ndim == 2 else truth.law.law[h]
    return float(rng.choice(truth.law.support, p=law[row]))
