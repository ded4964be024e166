"""MDP with knapsacks: its public part and its truth.

Every episode begins with the whole budget B = (B_1, ..., B_d). A step costs something in each of d dimensions, and the episode
ends after H steps or with the first step after which some cumulative cost exceeds its budget; the reward of that step still
counts. Budgets and costs are integers, multiples of one unit (Assumption 1), and the values that a cost can take are known
(Assumption 2). Costs, next state and reward are independent of one another, given state and action.

What is left of the budget, b, lies in {0..B_1} x ... x {0..B_d}; its flat number is the C-order ravel, so that the whole budget
is the last one. An episode goes on with b = 0: it is over when a cost *exceeds* what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from verifier.base.arrays import Array, frozen
from verifier.base.errors import ContractError
from verifier_settings.factored import RewardPart
from verifier_settings.initial import initial_law, require_run
from verifier_settings.knapsack import augmented
from verifier_settings.views import Problem


@dataclass(frozen=True)
class Public:
    """Public part of an instance.

    ``S, A`` numbers of states and actions, ``H`` steps, ``K`` episodes, ``delta`` the failure probability. Rows of arrays over
    pairs are ``s*A + a``.

    Attributes
    ----------
    budgets : tuple of int
        B_i, in units.
    supports : tuple of tuple of int
        The values that cost i can take, in units, increasing.
    """

    S: int
    A: int
    H: int
    K: int
    delta: float
    budgets: tuple[int, ...]
    supports: tuple[tuple[int, ...], ...]

    @property
    def X(self) -> int:
        """Number of state-action pairs."""
        return self.S * self.A

    @property
    def T(self) -> int:
        """Number of steps, K*H, if no episode ends early."""
        return self.K * self.H

    @property
    def d(self) -> int:
        """Number of costs."""
        return len(self.budgets)

    @property
    def G(self) -> int:
        """Number of values of what is left of the budget."""
        return prod(B + 1 for B in self.budgets)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers of values of the d + 1 factors of a step: the next state and the costs."""
        return (self.S, *map(len, self.supports))


@dataclass(frozen=True, eq=False)
class Truth:
    """Truth of an instance.

    Attributes
    ----------
    P : (X, S) array
        Transition kernel.
    costs : tuple of (X, n_i) arrays
        The law of each cost on its support.
    part : RewardPart
        The law of the reward, in each pair.
    reward : (X,) array
        Expected reward.
    Q : (H, S, A, G) array
        Q*, by state, action and what is left of the budget.
    V : (H+1, S, G) array
        V*.
    """

    P: Array
    costs: tuple[Array, ...]
    part: RewardPart
    reward: Array
    Q: Array
    V: Array

    @property
    def rows(self) -> tuple[Array, ...]:
        """The law of each factor of a step at each pair: d + 1 arrays (X, size)."""
        return (self.P, *self.costs)


@dataclass(frozen=True, eq=False)
class Instance(Problem[Public, Truth]):
    """An MDP with knapsacks.

    Parameters
    ----------
    public : Public
    truth : Truth
    start : (S,) array
        Law of the initial state of every episode.
    example : int
        Which worked example of Appendix H.1 it is; 0 if none.
    """

    start: Array
    example: int = 0


def make(
    P: Array,
    reward: RewardPart,
    costs: Sequence[tuple[Sequence[int], Array]],
    budgets: Sequence[int],
    *,
    H: int,
    K: int,
    start: Array | int = 0,
    delta: float = 0.1,
    example: int = 0,
) -> Instance:
    """Build an instance from its tables.

    Parameters
    ----------
    P : (S*A, S) array
        Transition kernel, row ``s*A + a``.
    reward : RewardPart
        The law of the reward in each pair.
    costs : sequence of (support, (S*A, n_i) array)
        Values and laws of each cost.
    budgets : sequence of int
        B_i.
    H, K : int
        Steps and episodes.
    start : (S,) array or int
        Law of the initial state, or the state itself.
    delta : float
        Failure probability.
    example : int
        As in `Instance`.

    Raises
    ------
    ContractError
        If shapes disagree, a row is no law, a cost or budget is negative, or a reward leaves [0, 1].
    """
    P = frozen(np.asarray(P, dtype=float))
    X, S = P.shape
    supports = tuple(tuple(int(c) for c in support) for support, _ in costs)
    public = Public(S, X // S, H, K, delta, tuple(int(B) for B in budgets), supports)
    laws = tuple(frozen(np.asarray(law, dtype=float)) for _, law in costs)
    _check(public, P, laws, reward)
    Q, V = augmented.optimal_values((P, *laws), reward.mean, augmented.after(public), H, public.A)
    law = initial_law(start, S)
    require_run(H, K, delta)
    return Instance(public, Truth(P, laws, reward, frozen(reward.mean), Q, V), law, example)


def _check(public: Public, P: Array, laws: Sequence[Array], reward: RewardPart) -> None:
    if len(laws) != public.d or not laws:
        raise ContractError(f"there are {len(laws)} costs and {public.d} budgets; expected as many, and at least one")
    for i, (support, B) in enumerate(zip(public.supports, public.budgets, strict=True)):
        if min(support) < 0 or B < 0 or list(support) != sorted(set(support)):
            raise ContractError(f"cost {i + 1} has support {support} and budget {B}, expected increasing integers from 0 on")
    shapes = {"P": (P, public.S), "the law of the reward": (reward.law, len(reward.support))}
    shapes |= {f"the law of cost {i + 1}": (law, len(public.supports[i])) for i, law in enumerate(laws)}
    for name, (law, size) in shapes.items():
        if law.shape != (public.X, size) or not (law.min() >= 0 and np.allclose(law.sum(axis=1), 1.0, atol=1e-9)):
            raise ContractError(f"{name} has shape {law.shape}, expected {(public.X, size)} with rows that are probability laws")
    if reward.support.min() < 0 or reward.support.max() > 1:
        raise ContractError(f"the reward has support {reward.support}, expected values in [0, 1]")
