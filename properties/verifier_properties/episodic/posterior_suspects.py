"""Suspects of `posterior.sample_law`: laws in place of the posterior from which kernels may be drawn."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.arrays import Array
from verifier.statistics.evidence import LEAST

FACTORS = (0.25, 0.5, 0.8, 0.9, 1.15, 1.5, 2.0, 4.0)
"""Factors of the data that kernels may be drawn with, to those of the posterior."""


def of_draws(parameters: Array, kernel: Array, prior: Array) -> dict[str, float]:
    """Log likelihood ratios of other laws of the rows to the posterior, by their names in words.

    Parameters
    ----------
    parameters : (K, X, S) array
        Of the posterior.
    kernel : (K, X, S) array
        What was drawn.
    prior : (X, S) array
        The parameters before anything was seen.
    """
    others = {
        "draws from the prior": np.broadcast_to(prior, parameters.shape),
        "draws with the prior counted twice": parameters + prior,
        **{f"draws with {factor:g} times the data": factor * parameters for factor in FACTORS},
        "rows of other pairs": np.roll(parameters, 1, axis=1),
        "rows with next states in another order": np.roll(parameters, 1, axis=2),
        "the mean of the posterior": 1e6 * parameters,
    }
    right = _log_density(parameters, kernel)
    return {said: _log_density(other, kernel) - right for said, other in others.items()}


def of_kept(parameters: Array, kernel: Array, prior: Array) -> float:
    """Log likelihood ratio of rows that are the same in all episodes while nothing was seen: infinite where they are."""
    unseen = (parameters == prior).all(axis=2)
    means = parameters / parameters.sum(axis=2, keepdims=True)
    if np.allclose(kernel, means, rtol=1e-9, atol=0):  # no row is drawn
        return -math.inf
    first = np.abs(kernel - kernel[:1]).max(axis=2) <= LEAST
    return math.inf if np.count_nonzero(unseen[1:]) > 1 and first[unseen].all() else -math.inf


def _log_density(parameters: Array, kernel: Array) -> float:
    """Log density of Dirichlet laws, all rows together."""
    from scipy.special import gammaln

    logs = (parameters - 1.0) * np.log(np.maximum(kernel, LEAST)) - gammaln(parameters)
    return float((logs.sum(axis=2) + gammaln(parameters.sum(axis=2))).sum())
