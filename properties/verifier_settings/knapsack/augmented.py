"""Values of states together with what is left of the budget: exact dynamic programming.

A step is a product of d + 1 factors, the next state and the costs (`verifier_settings.factored.products`); what follows it is
worth V(s', b - c), and nothing where a cost exceeds what is left. Shapes: S states, G budgets, C cost vectors, X pairs; steps are
counted from 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_settings.factored.products import Rows, expectation


class Costly(Protocol):
    """Costs and budgets of a problem."""

    @property
    def budgets(self) -> tuple[int, ...]:
        """Budgets B_i."""

    @property
    def supports(self) -> tuple[tuple[int, ...], ...]:
        """The values of each cost."""


def vectors(sizes: Sequence[int]) -> IntArray:
    """(product of the sizes, d) all vectors with entries below the sizes, in C-order."""
    return np.stack(np.unravel_index(np.arange(int(np.prod(sizes))), tuple(sizes)), axis=1).astype(np.int64)


def before_and_costs(public: Costly) -> tuple[IntArray, IntArray]:
    """(G, 1, d) what was left of each budget before a step, and (1, C, d) the cost vectors."""
    outcomes = vectors([len(support) for support in public.supports])
    costs = np.stack([np.array(support)[outcomes[:, i]] for i, support in enumerate(public.supports)], axis=1)
    return vectors([B + 1 for B in public.budgets])[:, None], costs[None]


def numbers(public: Costly, left: IntArray) -> IntArray:
    """(G, C) the flat number of what is left of each budget (G, C, d); G where some budget is overspent."""
    sizes = tuple(B + 1 for B in public.budgets)
    flat = np.ravel_multi_index(tuple(np.moveaxis(np.maximum(left, 0), -1, 0)), sizes)
    return np.where((left >= 0).all(axis=2), flat, int(np.prod(sizes)))


def after(public: Costly) -> IntArray:
    """(G, C) the flat number of what is left of each budget after each cost vector; G where a cost exceeds it."""
    before, costs = before_and_costs(public)
    return numbers(public, before - costs)


def following(V: Array, after: IntArray) -> Array:
    """(..., G, S*C) what follows a step, by budget and by next state and costs, for values (..., S, G)."""
    G, C = after.shape
    padded = np.concatenate([V, np.zeros((*V.shape[:-1], 1))], axis=-1)
    spent = np.moveaxis(padded[..., after], -3, -2)
    return spent.reshape(*V.shape[:-2], G, V.shape[-2] * C)


def backup(rows: Rows, V: Array, after: IntArray) -> Array:
    """(..., X, G) the expected value of what follows a step, for values (..., S, G); leading axes of the rows come before."""
    return np.moveaxis(expectation(rows, following(V, after)), -1, -2)


def optimal_values(rows: Rows, reward: Array, after: IntArray, H: int, A: int) -> tuple[Array, Array]:
    """Q* (H, S, A, G) and V* (H+1, S, G) by backward induction; expected rewards (X,)."""
    X, G = len(reward), len(after)
    S = X // A
    Q, V = np.empty((H, S, A, G)), np.zeros((H + 1, S, G))
    for h in reversed(range(H)):
        Q[h] = (reward[:, None] + backup(rows, V[h + 1], after)).reshape(S, A, G)
        V[h] = Q[h].max(axis=1)
    return Q, V


def policy_values(rows: Rows, reward: Array, after: IntArray, policy: IntArray) -> Array:
    """(B, H+1, S, G) values of many policies (B, H, S, G)."""
    B, H, S, G = policy.shape
    V = np.zeros((B, H + 1, S, G))
    for h in reversed(range(H)):
        Q = (reward[:, None] + backup(rows, V[:, h + 1], after)).reshape(B, S, -1, G)
        V[:, h] = np.take_along_axis(Q, policy[:, h, :, None], axis=2)[:, :, 0]
    return V
