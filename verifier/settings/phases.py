"""The views on a run in episodes of H steps with linear features: what settings with such runs share.

A *phase* is a plan together with the episodes played under it. Everything here is recomputed by the harness from its own
transcript, except the fields that are named as the algorithm's. Shapes: p phases, e episodes of the batch, K episodes of the run,
H steps, S states, A actions, X = S*A.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property
from verifier.settings.elliptical import bonus, bonus_under, gram_of, gram_path, largest_noise
from verifier.settings.regression import Regression
from verifier.settings.views import Features, PlanT, PlanView, Reported, Series, TruthT, View


class EpisodicFeatures(Features):
    """The same of a problem in K episodes of H steps; `ridge` is lambda."""

    H: int
    K: int
    ridge: float

    @property
    def T(self) -> int:
        """Number of steps, K*H."""
        return self.K * self.H


FeaturesT = TypeVar("FeaturesT", bound=EpisodicFeatures)


class Kernel(Protocol):
    """What the harness knows has a transition kernel."""

    @property
    def P(self) -> Array:
        """(S*A, S) array, or (H, S*A, S)."""


KernelT = TypeVar("KernelT", bound=Kernel)


@dataclass(frozen=True)
class EpisodeSeries(Series):
    """Per-episode and per-step series, looked up at the states and actions of the transcript: shapes (e,) and (e, H).

    Attributes
    ----------
    regret : (e,) V*_1(s_1) - V^pi_1(s_1)
    optimal : (e,) V*_1(s_1)
    gap : (e, H+1) delta_h = V_h - V^pi_h at the visited states
    expected_gap : (e, H) E[delta_{h+1} | s_h, a_h]
    bonus : (e, H) ||phi_h|| in the norm of the inverse Gram matrix at the time of the plan in force
    reported_bonus : (e, H) the same under the Gram matrix the plan reports; infinite where one is singular
    width : (e, H) the width in force
    event : (e, H) whether the estimates in force are within the width
    complete : (e, H) whether what is assumed of value functions holds for those in force
    agrees : (e, H) whether the action played is the policy's
    """

    regret: Array
    optimal: Array
    gap: Array
    expected_gap: Array
    bonus: Array
    reported_bonus: Array
    width: Array
    event: BoolArray
    complete: BoolArray
    agrees: BoolArray


@dataclass(eq=False, kw_only=True)
class EpisodePhases(PlanView[FeaturesT, KernelT, PlanT]):
    """A batch of phases of an algorithm that may regress on phi, once for every step.

    Parameters
    ----------
    instance : Problem
    plans : sequence
        The algorithm's plans.
    start : (p,) int array
        First episode of each phase, from 0.
    counts : (p, H, X, S) array
        Transitions seen before each plan, by step, from the transcript.
    width : (p, H) array
        The widths the harness handed out while the plan was made; NaN where the algorithm asks for none.
    handed : (p, H, S, ...) array
        The value functions V_{h+1} the algorithm handed to the width; NaN likewise.
    states, actions : (e, H+1), (e, H) int arrays
        Transcript of the episodes played under these plans.
    phase : (e,) int array
        The phase of each episode.
    """

    start: IntArray
    counts: Array
    width: Array
    handed: Array
    states: IntArray
    actions: IntArray
    phase: IntArray

    axes = ("plan", "h")
    """Axes of arrays with one entry per estimate."""

    gram = Reported()
    """(p, H, d, d) the algorithm's Gram matrices."""

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episode of the plan and step, counted from 1."""
        return {"plan": self.start + 1, "h": np.arange(1, self.public.H + 1)}

    @cached_property
    def gram_replay(self) -> Array:
        """(p, H, d, d) Gram matrices recomputed in one batch from the visit counts."""
        return gram_of(self.public.phi, self.counts.sum(axis=3), self.public.ridge)

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
    def largest_noise(self) -> Array:
        """(p, H) what the noise of a regression can be at most, on these transitions, for any values in [0, H]."""
        surprise = self.counts - self.counts.sum(axis=3, keepdims=True) * self.truth.P
        return largest_noise(np.matmul(self.public.phi.T, surprise), self.gram_inverse, self.public.H)

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


@dataclass(eq=False, kw_only=True)
class EpisodeRun(View[FeaturesT, TruthT]):
    """The whole run.

    Parameters
    ----------
    instance : Problem
    states, actions : (K, H+1), (K, H) int arrays
        The transcript.
    plans : (N,) int array
        Episodes (from 0) at whose start the algorithm yielded a plan.
    secret : (n,) int array
        Episodes (from 0; K after the last one) in which it planned, by the widths it asked for, and no plan came of it.
    series : EpisodeSeries
        Of all K episodes.
    """

    states: IntArray
    actions: IntArray
    plans: IntArray
    secret: IntArray
    series: EpisodeSeries

    @property
    def planning_calls(self) -> int:
        """How often the algorithm planned, in secret included."""
        return len(self.plans) + len(self.secret)

    @cached_property
    def planned(self) -> IntArray:
        """(K,) how often it planned in each episode; what it does after the last one counts for that."""
        K = len(self.actions)
        return np.bincount(np.minimum(np.concatenate([self.plans, self.secret]), K - 1), minlength=K)

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """What users see on the axes: episodes and steps counted from 1."""
        return {"episode": np.arange(1, len(self.actions) + 1), "h": np.arange(1, self.public.H + 1)}

    @property
    def regret_rounding(self) -> Array:
        """(K,) rounding of a statement about one step of each episode; settings derive it."""
        raise NotImplementedError

    @cached_property
    def _pairs(self) -> IntArray:
        """(K, H) rows ``s*A + a`` visited."""
        return self.states[:, :-1] * self.public.A + self.actions

    @cached_property
    def _gram_facts(self) -> tuple[Array, Array]:
        return gram_path(self.public.phi[self._pairs], self.public.ridge)

    @property
    def log_det(self) -> Array:
        """(K+1, H) log det Lambda_h^k for k = 1..K+1, from the transcript."""
        return self._gram_facts[0]

    @property
    def norm(self) -> Array:
        """(K, H) ||phi_h^k|| in the norm of the inverse of Lambda_h^k, the current Gram matrix."""
        return self._gram_facts[1]
