"""Regularised regressions with linear features, whenever an algorithm solved them: what settings with such regressions share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verifier.base.arrays import EPS, Array, cached_property
from verifier.model.blocks import distance_and_size
from verifier_settings import rounding


@dataclass(frozen=True, eq=False)
class Regression:
    """Gram matrices Lambda = lambda I + sum x x' as the algorithm reports them, and as the harness recomputes them.

    Parameters
    ----------
    axes : tuple of str
        Names of the leading axes: one entry per solution of the regression, e.g. ``("plan", "h")``.
    labels : mapping
        Labels of these axes, see `verifier.model.inequality.Inequality`.
    gram, replay : (..., D, D) arrays
        The algorithm's, and the harness's own from the transcript.
    ridge : float
        lambda.
    observations : array
        Number of features in each matrix; broadcasts against the leading axes.
    rows : int
        Number of products in the harness's sum (it may add equal features at once).
    longest : float
        Bound of the Euclidean norms of the features.
    """

    axes: tuple[str, ...]
    labels: Mapping[str, Any]
    gram: Array
    replay: Array
    ridge: float
    observations: Array
    rows: int
    longest: float = 1.0

    @cached_property
    def difference(self) -> tuple[Array, Array]:
        """(..., D, D) |Lambda - replay|, and the larger of the two sizes, entry by entry."""
        return distance_and_size(self.gram, self.replay)

    @property
    def dimension(self) -> int:
        """Dimension D of the features."""
        return int(self.gram.shape[-1])

    @property
    def largest_trace(self) -> Array:
        """Largest trace that Lambda - lambda I can have."""
        return self.observations * self.longest**2

    @property
    def gram_rounding(self) -> Array:
        """Rounding of an entry of Lambda: products of size at most ``longest^2`` added in two orders.

        Features that an algorithm makes itself may be longer, if it is wrong elsewhere: their squares sum to the trace.
        """
        size = np.maximum(self.largest_trace, np.trace(self.replay, axis1=-2, axis2=-1) - self.dimension * self.ridge)
        return np.asarray(4 * EPS * (self.observations + self.rows) * (self.ridge + size))

    @property
    def log_det_rounding(self) -> Array:
        """Rounding of log det Lambda."""
        return rounding.log_det(self.dimension, self.ridge, self.largest_trace)
