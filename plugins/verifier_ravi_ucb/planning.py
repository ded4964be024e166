"""The planning step of RAVI-UCB: regularised approximate value iteration, in log space, without data."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


def log(p: Array) -> Array:
    """Logarithms of probabilities; -inf where there is no mass."""
    with np.errstate(divide="ignore"):
        return np.log(p)


def improve(log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
    """V_k = (1/eta) log sum_a pi_{k-1} exp(eta Q_k), pi_k = pi_{k-1} exp(eta (Q_k - V_k)); the policies as logarithms."""
    weights = log_policy + eta * Q
    top = weights.max(axis=1, keepdims=True)
    log_sum = top + np.log(np.exp(weights - top).sum(axis=1, keepdims=True))
    return log_sum[:, 0] / eta, weights - log_sum


def backup(reward: Array, gamma: float, estimate: Array, bonus: Array) -> Array:
    """Q_{k+1} = Pi_H [r + CB_k + g Phat_k V_k]; the bonus is not multiplied by g."""
    return np.minimum(np.maximum(reward + bonus + gamma * estimate, 0.0), 1.0 / (1.0 - gamma))
