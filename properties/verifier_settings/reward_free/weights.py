"""The weights of least squares in exploration (Algorithm 1), evaluated by the harness on what was played.

An algorithm has its own code for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier_settings.reward_free import tolerances
from verifier_settings.reward_free.instance import Public
from verifier_settings.views import Series


@dataclass(frozen=True, eq=False)
class StepWeights(Series):
    """Weights of the steps of episodes, shape (e, H); x is the feature of the played pair, matrices are those before the episode.

    Attributes
    ----------
    mean : <w, x>
    spread : W, the bound of the variance
    variance : sigma-tilde^2
    weight : sigma-hat^2
    enlarged : whether ||x / sigma-tilde|| exceeds 1/d^3 in the norm of the inverse of Lambda-tilde
    norm : ||x|| in the norm of the inverse of Lambda-hat
    variance_norm : ||x|| in the norm of the inverse of Lambda-tilde
    decided : whether rounding cannot change `enlarged`
    rounding : of sigma-tilde^2, relatively; 0 where W or sigma-tilde^2 is cut
    width : the radius that the plan was made with
    """

    mean: Array
    spread: Array
    variance: Array
    weight: Array
    enlarged: BoolArray
    norm: Array
    variance_norm: Array
    decided: BoolArray
    rounding: Array
    width: Array


def precision(public: Public) -> float:
    """zeta = H sqrt(lambda) / (2 K sqrt(d))."""
    return float(public.H * np.sqrt(public.ridge) / (2 * public.K * np.sqrt(public.d)))


def weigh(
    public: Public, x: Array, gram: Array, variance_gram: Array, estimate: Array, width: Array, size: tolerances.Size
) -> StepWeights:
    """The weights of steps.

    Parameters
    ----------
    public : Public
    x : (e, H, d) array
        Features of the pairs played.
    gram, variance_gram : (e, H, d, d) arrays
        Lambda-hat and Lambda-tilde before the episode.
    estimate : (e, H, d) array
        w_h of the plan.
    width : (e, H) array
        The radius that the plan was made with.
    size : Size
        Of the data before the episode.
    """
    H, d = public.H, public.d
    norm, variance_norm = _norm(x, gram), _norm(x, variance_gram)
    mean = (estimate * x).sum(axis=-1)
    uncut = H * (mean + width * norm + precision(public))
    spread = np.minimum(uncut, H**2)
    variance = np.maximum(H, d**2 / H * spread)
    ratio, threshold = variance_norm / np.sqrt(variance), d**-3.0
    enlarged = ratio > threshold
    weight = np.maximum(np.where(enlarged, H * d**3, H), variance)
    decided = np.abs(ratio - threshold) > tolerances.decision(public, size, width, norm) * threshold
    rounding, free = tolerances.variance(public, size, width, norm), d**2 / H**2 * uncut
    free = (free > 1 - rounding) & (free < d**2 + rounding)
    rounding = np.where(free, rounding, 0.0)
    return StepWeights(mean, spread, variance, weight, enlarged, norm, variance_norm, decided, rounding, width)


def nothing(public: Public) -> StepWeights:
    """Zeros, for the episode before the first."""
    zeros, never = np.zeros((1, public.H)), np.zeros((1, public.H), dtype=bool)
    return StepWeights(zeros, zeros, zeros, zeros, never, zeros, zeros, ~never, zeros, zeros)


def _norm(x: Array, gram: Array) -> Array:
    squares = (x * np.linalg.solve(gram, x[..., None])[..., 0]).sum(axis=-1)
    return np.sqrt(np.maximum(squares, 0.0))
