"""What kernels may be drawn from in place of the posterior: suspects of `posterior.sample_law`."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.statistics.evidence import LEAST


def of_draws(parameters: Array, kernel: Array, prior: float) -> dict[str, float]:
    """From other laws of the rows, in words, to the logarithm of the likelihood ratio of each to the posterior.

    Parameters
    ----------
    parameters : (K, X, S) array
        Of the posterior.
    kernel : (K, X, S) array
        What was drawn.
    prior : float
        The parameter of every entry before anything was seen.
    """
    others = {
        "draws from the prior": np.full_like(parameters, prior),
        "draws with the prior counted twice": parameters + prior,
        "draws with four times the data": 4.0 * parameters,
        "rows of other pairs": np.roll(parameters, 1, axis=1),
        "rows with next states in another order": np.roll(parameters, 1, axis=2),
        "the mean of the posterior": 1e6 * parameters,
    }
    right = _log_density(parameters, kernel)
    return {said: _log_density(other, kernel) - right for said, other in others.items()}


def _log_density(parameters: Array, kernel: Array) -> float:
    """Of Dirichlet laws, all rows together."""
    from scipy.special import gammaln

    logs = (parameters - 1.0) * np.log(np.maximum(kernel, LEAST)) - gammaln(parameters)
    return float((logs.sum(axis=2) + gammaln(parameters.sum(axis=2))).sum())
