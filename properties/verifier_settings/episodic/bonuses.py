"""The bonuses of Azar, Osband and Munos 2017 (Algorithms 3 and 4) and their confidence widths, evaluated by the harness.

An algorithm has its own code for them. Counts of 0 give an infinite bonus: Q is then H.
"""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier_settings.episodic.instance import Public


def log_term(public: Public, K: float | None = None) -> float:
    """L = ln(5 S A T / delta)."""
    T = (public.K if K is None else K) * public.H
    return float(np.log(5 * public.S * public.A * T / public.delta))


def hoeffding_width(public: Public, K: float | None = None) -> float:
    """7 H L, the bonus of Algorithm 3 at one visit."""
    return 7 * public.H * log_term(public, K)


def per_root(visits: Array) -> Array:
    """1 / sqrt(N); infinite where N = 0."""
    with np.errstate(divide="ignore"):
        return 1.0 / np.sqrt(visits)


def spread(kernel: Array, values: Array) -> Array:
    """Variance of each row's values: kernel (..., X, S), values (..., S); shape (..., X).

    Values are taken from their midrange, so that what cancels is of the size of their range and not of the values.
    """
    centred = _centred(values)
    return np.maximum(expected(kernel, centred**2) - expected(kernel, centred) ** 2, 0.0)


def expected(kernel: Array, values: Array) -> Array:
    """Mean of each row's values: kernel (..., X, S), values (..., S); shape (..., X).

    Where one kernel, (..., 1, X, S), is that of all steps of the values (..., H, S), they are one product with it.
    """
    if kernel.ndim > 2 and kernel.shape[-3] == 1:
        return np.matmul(values, np.swapaxes(kernel[..., 0, :, :], -1, -2))
    return np.matmul(kernel, values[..., None])[..., 0]


def _centred(values: Array) -> Array:
    return values - (values.max(axis=-1, keepdims=True) + values.min(axis=-1, keepdims=True)) / 2


def bernstein(public: Public, kernel: Array, visits: Array, arrivals: Array, following: Array) -> Array:
    """Algorithm 4: sqrt(8 L Var_Phat(V) / N) + 14 H L / (3 N) + sqrt(8/N sum_y Phat(y) min(100^2 H^3 S^2 A L^2 / N'(y), H^2)).

    Parameters
    ----------
    public : Public
    kernel : (..., X, S) array
        Phat.
    visits : (..., X) array
        N(s,a), over all steps.
    arrivals : (..., S) array
        N'_{h+1}(y), visits of y at the next step.
    following : (..., S) array
        V_{h+1}.

    Returns
    -------
    (..., X) array
    """
    L, H = log_term(public), public.H
    with np.errstate(divide="ignore", invalid="ignore"):
        regret = np.minimum(1e4 * H**3 * public.S**2 * public.A * L**2 / arrivals, H**2)
        correction = np.matmul(kernel, regret[..., None])[..., 0]
        total = np.sqrt(8 * L * spread(kernel, following)) + np.sqrt(8 * correction)
        return np.where(visits > 0, total / np.sqrt(visits) + 14 * H * L / (3 * visits), np.inf)
