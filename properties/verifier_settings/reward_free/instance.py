"""Linear MDP without rewards, and the rewards that are revealed after exploration: public part and truth.

The kernels depend on the step: P_h(s'|s,a) = <phi(s,a), mu_h(s')>. Steps are counted from 0 here and from 1 in what users see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from verifier.base.arrays import Array, frozen
from verifier.base.errors import ContractError
from verifier.model.simulation import Simulation
from verifier_settings import mdp
from verifier_settings.initial import initial_law, require_run
from verifier_settings.phases import EpisodicFeatures
from verifier_settings.views import Problem

ADVERSARIES = ("largest-error", "largest-loss")
"""Rewards that are chosen after the data, see `verifier_settings.reward_free.adversary`."""


@dataclass(frozen=True, eq=False)
class Public(EpisodicFeatures):
    """Public part of an instance.

    Attributes
    ----------
    S, A, H, K : int
        States, actions, steps of an episode, episodes of exploration.
    delta : float
        The failure probability.
    ridge : float
        lambda.
    reward_norm : float
        Bound W of ||theta_h||, the reward parameters.
    rewards : int
        How many rewards are revealed in the planning phase.
    phi : (S*A, d) array
        Features, row ``s*A + a``.
    """

    S: int
    A: int
    H: int
    K: int
    delta: float
    ridge: float
    reward_norm: float
    rewards: int
    phi: Array


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth of an instance.

    Attributes
    ----------
    P : (H, S*A, S) array
        Transition kernels.
    mu : (H, d, S) array
        Their measures: P_h = phi mu_h.
    """

    P: Array
    mu: Array


@dataclass(frozen=True, eq=False)
class Instance(Problem[Public, Truth]):
    """A linear MDP and the rewards that are revealed after exploration.

    Parameters
    ----------
    public : Public
    truth : Truth
    start : (S,) array
        nu_0, the law of the initial state of every episode.
    fixed : mapping of str to (H, d) array
        Reward parameters by name, drawn with the instance: no data can have an influence on them.
    pieces : (n, d) array
        Parameters that add up, each with a factor in [0, 1], to a legal reward of a step: what adversaries choose from.
    redraw : callable, optional
        Draws mu for each trial, where a statement is about the mean over several kernels; `public` is the same for all.
    calibrating : mapping of str to (H, d) array, optional
        Reward parameters of the runs that the calibrated radius is read off, see `verifier_settings.reward_free.reference`;
        `fixed` by default.
    """

    start: Array
    fixed: Mapping[str, Array]
    pieces: Array
    redraw: Callable[[np.random.Generator], Array] | None = None
    calibrating: Mapping[str, Array] | None = None

    def drawn(self, rng: np.random.Generator) -> Instance:
        """The instance of one trial."""
        return self if self.redraw is None else replace(self, truth=_truth(self.public.phi, self.redraw(rng)))

    def reward(self, theta: Array) -> Array:
        """r_h(s,a) of parameters (..., H, d), shape (..., H, S*A)."""
        return np.asarray(np.matmul(theta, self.public.phi.T))

    def optimal(self, theta: Array) -> tuple[Array, Array]:
        """Q* (n, H, S, A) and V* (n, H+1, S) of parameters (n, H, d)."""
        Q, V = mdp.optimal_values(self.truth.P, self.reward(theta).transpose(1, 2, 0))
        return Q.transpose(3, 0, 1, 2), V.transpose(2, 0, 1)

    def truncated(self, reward: Array) -> Array:
        """Optimal values truncated at H (Definition A.5) of rewards (n, H, S*A) of any size, shape (n, H+1, S)."""
        return mdp.optimal_values(self.truth.P, reward.transpose(1, 2, 0), float(self.public.H))[1].transpose(2, 0, 1)

    def under(self, policy: Array, reward: Array, cap: float = np.inf) -> Array:
        """Values (n, H+1, S) of policies (n, H, S) for rewards (n, H, S*A), truncated at a cap where one is given."""
        return mdp.policy_values(self.truth.P, reward.transpose(1, 2, 0)[..., None], policy[..., None], cap)[..., 0]


def make(
    phi: Array,
    mu: Array,
    *,
    A: int,
    K: int,
    fixed: Mapping[str, Array],
    pieces: Array,
    start: Array | int = 0,
    ridge: float | None = None,
    delta: float = 0.1,
    reward_norm: float | None = None,
    redraw: Callable[[np.random.Generator], Array] | None = None,
) -> Instance:
    """Build an instance from its linear structure.

    Parameters
    ----------
    phi : (S*A, d) array
    mu : (H, d, S) array
    A, K : int
        Actions and episodes.
    fixed, pieces
        As in `Instance`.
    start : (S,) array or int
        Law of the initial state, or the state itself.
    ridge : float, optional
        lambda; 1/H by default, the largest for which the radii of the paper are of the order it gives.
    delta : float
        The failure probability.
    reward_norm : float, optional
        sqrt(d) by default.
    redraw : callable, optional
        As in `Instance`.

    Raises
    ------
    ContractError
        If shapes disagree. Whether the assumptions hold is not checked here: assumption claims do that.
    """
    phi, mu = np.asarray(phi, dtype=float), np.asarray(mu, dtype=float)
    (X, d), (H, _, S) = phi.shape, mu.shape
    if mu.shape[1] != d or X != S * A or any(theta.shape != (H, d) for theta in fixed.values()) or pieces.shape[1:] != (d,):
        raise ContractError(
            f"phi {phi.shape}, mu {mu.shape}, A={A}, pieces {pieces.shape} and the rewards do not fit; expected (S*A,d), "
            "(H,d,S), (n,d) and (H,d)"
        )
    law = initial_law(start, S)
    require_run(H, K, delta)
    public = Public(
        S=S, A=A, H=H, K=K, delta=delta, ridge=1.0 / H if ridge is None else ridge,
        reward_norm=float(np.sqrt(d)) if reward_norm is None else reward_norm,
        rewards=len(fixed) + len(ADVERSARIES), phi=frozen(phi),
    )  # fmt: skip
    parameters = {name: frozen(theta) for name, theta in fixed.items()}
    return Instance(public, _truth(phi, mu), frozen(law), parameters, frozen(pieces), redraw)


def _truth(phi: Array, mu: Array) -> Truth:
    return Truth(frozen(np.matmul(phi, mu)), frozen(mu))


def simulation(instance: Instance) -> Simulation:
    """Tables of an instance: episodes of H steps from nu_0, with rewards of 0."""
    return Simulation(instance.truth.P, instance.start[:, None], lambda h, row, w, rng: 0.0, instance.public.H)


def other_rewards(instance: Instance, rng: np.random.Generator) -> Instance:
    """Instance with other rewards in place of those that are fixed before the data: pieces at random at every step.

    The calibrated radius stays what it was: an agent that is handed it has read no reward.
    """
    shape = (instance.public.H, len(instance.pieces))
    fixed = {name: rng.random(shape) @ instance.pieces for name in instance.fixed}
    return replace(instance, fixed=fixed, calibrating=instance.fixed)
