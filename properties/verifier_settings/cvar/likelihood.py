"""Maximum likelihood over the finite model class: what the metered oracle does, and what the harness recomputes."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import EPS, Array
from verifier_settings.cvar.instance import Public


def log_likelihood(public: Public, h: int, counts: Array) -> Array:
    """Log-likelihoods (..., M) of all models at step h on transition counts (..., X, S).

    A transition that a model excludes gives -inf if it was seen and nothing if it was not; never NaN.
    """
    flat = counts.reshape(*counts.shape[:-2], -1)
    forbidden = np.matmul(flat, public.excluded[:, h].T) > 0
    return np.where(forbidden, -np.inf, np.matmul(flat, public.log_kernels[:, h].T))


def rounding(public: Public, h: int, counts: Array) -> Array:
    """Rounding (...) of a log-likelihood: sums of X S products, the kernels themselves being sums of d products.

    A relative error e of a probability is an absolute error e of its logarithm, once for each transition.
    """
    logs = np.abs(public.log_kernels[:, h]).max(initial=0.0)
    visits = counts.sum(axis=(-2, -1))
    return np.asarray(4 * EPS * visits * (public.X * public.S * logs + 2 * public.d + 2))


def maximum_likelihood(public: Public, h: int, counts: Array) -> int:
    """Index of the model of largest likelihood at step h, the first of those that differ by no more than rounding."""
    values = log_likelihood(public, h, counts)
    return int(np.argmax(values >= values.max() - rounding(public, h, counts)))
