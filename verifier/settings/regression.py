"""Regularised regressions with linear features, whenever an algorithm solved them: what settings with such regressions share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.settings.elliptical import bonus, bonus_under, gram_of

EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Regression:
    """Gram matrices Lambda = lambda I + sum x x' as the algorithm reports them, and as the harness recomputes them.

    Parameters
    ----------
    axes : tuple of str
        Names of the leading axes: one entry per solution of the regression, e.g. ``("plan", "h")``.
    labels : mapping
        Labels of these axes, see `verifier.model.measurement.Inequality`.
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

    @property
    def dimension(self) -> int:
        """D."""
        return int(self.gram.shape[-1])

    @property
    def largest_trace(self) -> Array:
        """What the trace of Lambda - lambda I can be at most."""
        return self.observations * self.longest**2

    @property
    def gram_rounding(self) -> Array:
        """Rounding of an entry of Lambda: products of size at most ``longest^2`` added in two orders."""
        return 4 * EPS * (self.observations + self.rows) * (self.ridge + self.largest_trace)

    @property
    def log_det_rounding(self) -> Array:
        """Rounding of log det Lambda: each of D pivots has relative error D eps cond; a difference of two has twice that."""
        return 4 * self.dimension**2 * EPS * (1.0 + self.largest_trace / self.ridge)


class Features(Protocol):
    """What an agent may know of a problem with linear features."""

    @property
    def phi(self) -> Array:
        """(X, d) features."""

    @property
    def ridge(self) -> float:
        """lambda."""


class StepRegressions(ABC):
    """One regression on phi for every step h, replayed from counts: what the views of settings with episodes share.

    Views that derive from it set `counts` (p, H, X, S), the transitions seen before each plan, and `start` (p,), the first
    episode of each plan.
    """

    axes = ("plan", "h")
    """Axes of arrays with one entry per estimate."""
    counts: Array
    start: IntArray

    @property
    @abstractmethod
    def public(self) -> Features:
        """Sizes and features."""

    @abstractmethod
    def reported(self, name: str) -> Array:
        """A field of the plans, with a leading axis of plans."""

    @cached_property
    @abstractmethod
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes."""

    @cached_property
    def gram(self) -> Array:
        """(p, H, d, d) the algorithm's Gram matrices."""
        return self.reported("gram")

    @cached_property
    def gram_replay(self) -> Array:
        """(p, H, d, d) Gram matrices recomputed in one batch from the visit counts."""
        return gram_of(self.public.phi, self.counts.sum(axis=3), self.public.ridge)

    @cached_property
    def gram_inverse(self) -> Array:
        """(p, H, d, d) their inverses."""
        return np.linalg.inv(self.gram_replay)

    @cached_property
    def bonus(self) -> Array:
        """(p, H, X) ||phi(s,a)|| in the norm of the inverse Gram matrix."""
        return bonus(self.public.phi, self.gram_inverse)

    @cached_property
    def reported_bonus(self) -> Array:
        """(p, H, X) the same under the Gram matrices the algorithm reports; infinite where one is singular."""
        return bonus_under(self.public.phi, self.gram)

    @cached_property
    def regression(self) -> Regression:
        """The regression on phi, as the algorithm reports it and as the harness recomputes it."""
        return self._regression(self.gram, self.gram_replay, self.public.phi)

    def _regression(self, gram: Array, replay: Array, rows: Array) -> Regression:
        seen = self.start[:, None].astype(float)
        return Regression(self.axes, self.labels, gram, replay, self.public.ridge, seen, len(rows))
