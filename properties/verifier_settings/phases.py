"""The views of `verifier_settings.played` for algorithms that may regress on linear features; shapes as there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, cached_property
from verifier.formulas.quantity import quantity
from verifier_settings.counts import Seen
from verifier_settings.elliptical import bonus, gram_of, gram_path, largest_noise, log_det_growth, reported_norms
from verifier_settings.played import EpisodePhases, EpisodeRun, EpisodeSeries
from verifier_settings.regression import Regression
from verifier_settings.views import Features, PlanT, Reported, TruthT


class EpisodicFeatures(Features):
    """Features of a problem in K episodes of H steps; `ridge` is lambda."""

    H: int
    K: int
    ridge: float

    @property
    def T(self) -> int:
        """Number of steps, K*H."""
        return self.K * self.H


FeaturesT = TypeVar("FeaturesT", bound=EpisodicFeatures)


class Kernel(Protocol):
    """Truth with a transition kernel."""

    @property
    def P(self) -> Array:
        """(S*A, S) array, or (H, S*A, S)."""


KernelT = TypeVar("KernelT", bound=Kernel)


@dataclass(frozen=True, eq=False)
class LinearSeries(EpisodeSeries):
    """Series about features; shapes (e, H).

    Attributes
    ----------
    bonus : ||phi_h|| in the norm of the inverse Gram matrix at the time of the plan in force
    reported_bonus : the same under the Gram matrix the plan reports; infinite where one is singular
    width : the width in force
    event : whether the estimates in force are within the width
    complete : whether what is assumed of value functions holds for those in force
    """

    bonus: Array
    reported_bonus: Array
    width: Array
    event: BoolArray
    complete: BoolArray


@dataclass(eq=False, kw_only=True)
class LinearPhases(EpisodePhases[FeaturesT, KernelT, PlanT]):
    """A batch of phases of an algorithm that may regress on phi, once for every step; further parameters as for `EpisodePhases`.

    Parameters
    ----------
    history : Seen
        Transitions seen before each plan, from the transcript.
    """

    history: Seen

    axes = ("plan", "h")
    """Axes of arrays with one entry per estimate."""

    gram = Reported()
    """(p, H, d, d) the algorithm's Gram matrices."""

    @cached_property
    def counts(self) -> Array:
        """(p, H, X, S) transitions seen before each plan, by step."""
        return self.history.by_step

    @quantity("N_h", "plan h pair", low=0.0, high=np.inf, reported="step_visits")
    def step_visits(self) -> Array:
        """(p, H, X) N_{k,h}(s,a), the visits at each step."""
        return self.history.visits

    @cached_property
    def gram_replay(self) -> Array:
        """(p, H, d, d) Gram matrices recomputed in one batch from the visit counts."""
        return gram_of(self.public.phi, self.step_visits, self.public.ridge)

    @cached_property
    def gram_inverse(self) -> Array:
        """(p, H, d, d) their inverses."""
        return np.linalg.inv(self.gram_replay)

    @cached_property
    def constant_targets(self) -> BoolArray:
        """(p, H, ...) whether the value functions the width was asked with are the same in all states, up to rounding.

        They are where all values are at their cap, and after the last step. Nothing random is estimated there: any model agrees.
        """
        return np.asarray(np.ptp(self.handed, axis=2) <= 8 * EPS * np.abs(self.handed).max(axis=2, initial=1.0))

    @cached_property
    def constant_target(self) -> BoolArray:
        """(p, H) whether all of a step are."""
        return np.asarray(self.constant_targets.reshape(*self.width.shape, -1).all(axis=2))

    @cached_property
    def bonus(self) -> Array:
        """(p, H, X) ||phi(s,a)|| in the norm of the inverse Gram matrix."""
        return bonus(self.public.phi, self.gram_inverse)

    @cached_property
    def noise_moments(self) -> Array:
        """(p, H, d, S) sum_t phi_t (e_{s'_t} - P_t)': times a value function it is the noise of the regression on that."""
        surprise = self.counts - self.step_visits[..., None] * self.truth.P
        return np.matmul(self.public.phi.T, surprise)

    @cached_property
    def largest_noise(self) -> Array:
        """(p, H) what the noise of a regression can be at most, on these transitions, for any values in [0, H]."""
        return largest_noise(self.noise_moments, self.gram_inverse, self.public.H)

    @cached_property
    def reported_bonus(self) -> Array:
        """(p, H, X) the same under the Gram matrices the algorithm reports; infinite where one is singular."""
        return reported_norms(self.public.phi, self.gram, self.regression.difference[0], self.gram_inverse, self.bonus)

    @cached_property
    def regression(self) -> Regression:
        """The regression on phi, as the algorithm reports it and as the harness recomputes it."""
        return self._regression(self.gram, self.gram_replay, self.public.phi)

    def _regression(self, gram: Array, replay: Array, rows: Array) -> Regression:
        seen = self.start[:, None].astype(float)
        return Regression(self.axes, self.labels, gram, replay, self.public.ridge, seen, len(rows))


@dataclass(eq=False, kw_only=True)
class LinearRun(EpisodeRun[FeaturesT, TruthT]):
    """The whole run; parameters as for `EpisodeRun`."""

    series: LinearSeries

    @property
    def asks(self) -> bool:
        """Whether a width was asked for."""
        return not bool(np.isnan(self.series.width).all())

    @cached_property
    def log_det_growth(self) -> Array:
        """(H,) by how much log det Lambda_h grows over the run, from the transcript."""
        return log_det_growth(self.public.phi[self.pairs], self.public.ridge)

    @cached_property
    def _gram_facts(self) -> tuple[Array, Array]:
        return gram_path(self.public.phi[self.pairs], self.public.ridge)

    @property
    def log_det(self) -> Array:
        """(K+1, H) log det Lambda_h^k for k = 1..K+1, from the transcript."""
        return self._gram_facts[0]

    @property
    def norm(self) -> Array:
        """(K, H) ||phi_h^k|| in the norm of the inverse of Lambda_h^k, the current Gram matrix."""
        return self._gram_facts[1]
