"""One exact planning step in log space, and relative entropies; the harness's own route to them."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array


def softmax_step(log_policy: Array, Q: Array, eta: Array) -> tuple[Array, Array]:
    """V = (1/eta) log sum_a pi(a|x) exp(eta Q(x,a)) and pi' = pi exp(eta (Q - V)).

    Parameters
    ----------
    log_policy, Q : (p, X, A) arrays
        A logarithm may be -inf.
    eta : (p,) array
        Positive.

    Returns
    -------
    V : (p, X) array
    log_policy : (p, X, A) array
        Normalised by its own sum.
    """
    weights = log_policy + eta[:, None, None] * Q
    top = weights.max(axis=2, keepdims=True)
    mass = np.exp(weights - top).sum(axis=2, keepdims=True)
    total = top + np.log(mass)
    return total[..., 0] / eta[:, None], weights - total


def relative_entropy(log_p: Array, log_q: Array) -> Array:
    """KL(p || q) along the last axis, from logarithms; infinite where p has mass that q has not."""
    with np.errstate(invalid="ignore"):  # -inf minus -inf: no mass on either side, replaced by 0 next
        terms = np.exp(log_p) * (log_p - log_q)
    return np.where(np.isneginf(log_p), 0.0, terms).sum(axis=-1)


def log(p: Array) -> Array:
    """Logarithms of probabilities; -inf where there is no mass."""
    return np.log(p, where=p > 0, out=np.full(p.shape, -np.inf))
