"""Suspects of `value_noise.noise_law`: other noise in values."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from verifier.base.arrays import Array

_SAME = 1e-9
"""Numbers that are so near to each other are the same."""


def of_noise(z: Array, visits: Array, deviation: Array, beta: Callable[[Array], Array], k: Array) -> dict[str, float]:
    """Log likelihood ratios of other laws to independent standard normal numbers, by their names in words.

    Parameters
    ----------
    z : (N, H, S, A) array
        The noise of each plan in units of its standard deviation.
    visits, deviation : (N, H, S, A) array
        Before the plan, and the standard deviation for a factor of 1.
    beta : callable
        Maps episodes (n,), counted from 1, to the variance before the first visit.
    k : (N,) array
        The episodes of the plans.
    """
    H, S = z.shape[1:3]
    n, ones = visits + 1.0, np.ones_like(z)
    by_plan = (slice(None), None, None, None)
    factors = {
        "half of the deviation": 0.5 * ones,
        "the variance for the deviation": deviation,
        "n for n + 1": np.sqrt(n / np.maximum(visits, 1.0)),
        "1/(n + 1) for its root": 1.0 / np.sqrt(n),
        "a deviation that does not fall with n": np.sqrt(n),
        "n(h,s) for n(h,s,a)": np.sqrt(n / (visits.sum(axis=3, keepdims=True) + 1.0)),
        "n(s,a) for n(h,s,a)": np.sqrt(n / (visits.sum(axis=1, keepdims=True) + 1.0)),
        "beta_1 for beta_k": ones * np.sqrt(beta(np.ones_like(k)) / beta(k))[by_plan],
        "kH for k in beta": ones * np.sqrt(beta(H * k) / beta(k))[by_plan],
        "beta without one H": ones / math.sqrt(H),
        "beta without S": ones / math.sqrt(S),
        "2 beta for beta": ones * math.sqrt(2.0),
    }
    scaled = {said: _scaled(z, factor) for said, factor in factors.items()}
    again = {
        f"the numbers of the {axis} before": _again(z, number) for number, axis in enumerate(("plan", "step", "state", "action"))
    }
    return _shapes(z, visits) | _of_steps(z) | again | scaled


def _of_steps(z: Array) -> dict[str, float]:
    """Log likelihood ratio of numbers that are one at each step: infinite where they are, which no independent ones are."""
    pairs = z.reshape(*z.shape[:2], -1)
    same = pairs.shape[2] > 1 and bool((np.ptp(pairs, axis=2) <= _SAME).all()) and bool((np.abs(pairs) > _SAME).any())
    return {"one number for all states and actions of a step": math.inf if same else -math.inf}


def _scaled(z: Array, factor: Array) -> float:
    """Log likelihood ratio of normal laws with these standard deviations."""
    return float(((1.0 - factor**-2.0) * z**2 / 2 - np.log(factor)).sum())


def _again(z: Array, axis: int) -> float:
    """Log likelihood ratio of numbers half of which repeat one before; infinite where as many do."""
    same = (np.abs(np.diff(z, axis=axis)) <= _SAME) & (np.abs(np.delete(z, 0, axis=axis)) > _SAME)
    return math.inf if same.size and same.mean() >= 0.4 else -math.inf


def _shapes(z: Array, visits: Array) -> dict[str, float]:
    """Log likelihood ratios of laws with another support: infinite where the numbers lie there, since no normal numbers do."""
    zero, unseen, first = np.abs(z) <= _SAME, visits == 0, np.arange(z.shape[1])[:, None, None] == 0

    def surely(where: Array) -> float:
        return math.inf if where.all() else -math.inf

    uniform = math.log(math.sqrt(2 * math.pi) / (2 * math.sqrt(3.0))) + z**2 / 2
    return {
        "no noise": surely(zero),
        "no noise where nothing was seen": surely(zero == unseen),
        "noise at the first step alone": surely(zero == ~np.broadcast_to(first, z.shape)),
        "the absolute value of the noise": surely(z >= 0),
        "noise of two values": surely(np.abs(np.abs(z) - 1.0) <= _SAME),
        "uniform noise": float(uniform.sum()) if (np.abs(z) <= math.sqrt(3.0) + _SAME).all() else -math.inf,
    }
