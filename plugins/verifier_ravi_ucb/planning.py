"""The planning step of RAVI-UCB: regularised approximate value iteration, in log space, without data."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from verifier.arrays import Array

Evaluation = Callable[[Array], tuple[Array, Array]]
"""Maps V_k to Phat_k V_k and CB_k, shape (X, A) each."""


def improve(log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
    """V_k = (1/eta) log sum_a pi_{k-1} exp(eta Q_k), pi_k = pi_{k-1} exp(eta (Q_k - V_k)); the policies as logarithms."""
    weights = log_policy + eta * Q
    top = weights.max(axis=1, keepdims=True)
    log_sum = top + np.log(np.exp(weights - top).sum(axis=1, keepdims=True))
    return log_sum[:, 0] / eta, weights - log_sum


def backup(reward: Array, gamma: float, estimate: Array, bonus: Array) -> Array:
    """Q_{k+1} = Pi_H [r + CB_k + g Phat_k V_k]; the bonus is not multiplied by g."""
    return np.minimum(np.maximum(reward + bonus + gamma * estimate, 0.0), 1.0 / (1.0 - gamma))


def planning_step(
    log_policy: Array, Q: Array, eta: float, reward: Array, gamma: float, evaluate: Evaluation
) -> tuple[Array, Array, Array, Array, Array]:
    """One iteration from (log pi_{k-1}, Q_k).

    Returns
    -------
    V, log_policy, estimate, bonus, Q : arrays
        V_k, log pi_k, Phat_k V_k, CB_k and Q_{k+1}.
    """
    V, log_policy = improve(log_policy, Q, eta)
    estimate, bonus = evaluate(V)
    return V, log_policy, estimate, bonus, backup(reward, gamma, estimate, bonus)
