"""The views on a batch of episodes of exploration, on the planning phase, and on a whole run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import EPS, Array, BoolArray, IntArray, cached_property
from verifier.formulas.quantity import quantity, reports
from verifier.formulas.scope import altered
from verifier_settings.played import PlayedRun
from verifier_settings.regression import Regression
from verifier_settings.reward_free import tolerances
from verifier_settings.reward_free.backups import Backups
from verifier_settings.reward_free.instance import Instance, Public, Truth
from verifier_settings.reward_free.plan import ExplorationPlan, PlanningPlan
from verifier_settings.reward_free.weights import StepWeights
from verifier_settings.views import Reported


@dataclass(frozen=True, eq=False)
class EpisodeSeries(StepWeights):
    """Per-episode and per-step series: with the weights of `StepWeights`, shapes (e,) and (e, H) unless said otherwise.

    Attributes
    ----------
    event_norm : (e, H) ||(mu_h - mu-hat_h) V_{h+1}|| in the norm of Lambda-hat
    expected : (e, H) P_h V_{h+1} at the pair played
    V : (e,) V_1(s_1) of the plan in force
    truncated : (e,) optimal value, truncated at H, of the exploration reward at s_1: the reported one, else width ||phi||
    mean_truncated : (e,) the same, its mean under nu_0
    agrees : (e, H) whether the action played is the policy's
    reported_norm : (e, H) ||x|| under the Lambda-hat^-1 that the plan in force reports; ones where it reports none
    said_variance, said_weight, said_enlarged : (e, H) what the plan reports of the episode before; zeros where it does not
    """

    event_norm: Array
    expected: Array
    V: Array
    truncated: Array
    mean_truncated: Array
    agrees: BoolArray
    reported_norm: Array
    said_variance: Array
    said_weight: Array
    said_enlarged: Array


@dataclass(eq=False, kw_only=True)
class Phases(Backups[ExplorationPlan]):
    """A batch of episodes of exploration, each with its plan; p episodes. Further parameters as for `Backups`.

    Parameters
    ----------
    states, actions : (p, H+1), (p, H) int arrays
        Transcript of these episodes.
    played : StepWeights
        Of the steps of these episodes, shapes (p, H).
    before_agreed : bool
        `agreed` of the first plan of the batch.
    """

    states: IntArray
    actions: IntArray
    played: StepWeights
    before_agreed: bool

    axes = ("plan", "h")
    pair_axes = ("plan", "h", "pair")

    reward = Reported()
    """(p, H, X) the exploration reward the algorithm reports."""

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: episode and step counted from 1."""
        return {"plan": self.episodes + 1, "episode": self.episodes + 1, **steps(self.public)}

    @cached_property
    def truncated(self) -> Array:
        """(p, H+1, S) optimal values, truncated at H, of the exploration reward width ||phi||, by exact dynamic programming."""
        return self.instance.truncated(self.radius)

    @cached_property
    def agreed(self) -> BoolArray:
        """(p + 1,) whether matrices and estimates of all plans before are those recomputed; the last entry is of the next plan.

        Weights are made of them. Where one is wrong, the weights that the harness recomputes are those of another run.
        """
        size = self.size
        agrees = np.ones(len(self.plans), dtype=bool)
        for field, own, rounding in (
            ("gram", self.gram_replay, tolerances.gram(self.public, size)),
            ("variance_gram", self.variance_replay, tolerances.variance_gram(self.public, size)),
            ("estimate", self.estimate_replay, tolerances.estimate(self.public, size) / np.sqrt(self.public.ridge)),
        ):
            agrees &= self._as_reported(field, own, rounding)
        return np.logical_and.accumulate(np.concatenate([[self.before_agreed], agrees]))

    @cached_property
    def weighed(self) -> BoolArray:
        """(p,) whether all plans before agree, and so do Lambda-tilde and the last weights sigma-hat^2 of this one.

        Then a mistake in Lambda-hat is neither one of the data nor of their weights.
        """
        size, own = self.size, self.before.weight
        agrees = self._as_reported("variance_gram", self.variance_replay, tolerances.variance_gram(self.public, size))
        weights = self._as_reported("weight", own, (size.weight + 8 * EPS) * own)
        return self.undisturbed & agrees & (weights | (self.episodes == 0))  # before the first episode any weight is reported

    def estimate_of_reports(self) -> Array | None:
        """(p, H, d) Lambda-hat^-1 sum x V_{h+1}(s') / sigma-hat^2 with Lambda-hat as reported; NaN where its data may be wrong.

        Other data are in both factors, and no plan reports the second one. V is what the width was asked with, as what a plan
        reports may have been changed after. A pseudo-inverse, since a reported matrix may be singular.
        """
        if not reports(self, "gram"):
            return None
        found = np.matmul(np.linalg.pinv(self.gram, hermitian=True), np.matmul(self.moments, self.handed[..., None]))[..., 0]
        return np.where(self.weighed[:, None, None], found, np.nan)

    def _as_reported(self, field: str, own: Array, rounding: Array) -> BoolArray:
        """(p,) whether a field of plans, where they have it, is the one recomputed, up to a rounding at each step (p, H)."""
        if getattr(self.plans[0], field) is None:
            return np.ones(len(self.plans), dtype=bool)
        apart = np.abs(getattr(self, field) - own).reshape(*rounding.shape, -1).max(axis=2)
        return np.asarray((apart <= rounding).all(axis=1))

    @quantity("undisturbed", "plan")
    def undisturbed(self) -> BoolArray:
        """(p,) `agreed` before each plan."""
        return self.agreed[:-1]

    @cached_property
    def regression(self) -> Regression:
        """The Gram matrices Lambda-hat as reported and as recomputed."""
        return _regression(self, self.gram, self.gram_replay)

    @cached_property
    def variance_regression(self) -> Regression:
        """Regression under Lambda-tilde."""
        return _regression(self, self.variance_gram, self.variance_replay)

    @cached_property
    def pairs(self) -> IntArray:
        """(p, H) rows ``s*A + a`` played."""
        return self.states[:, :-1] * self.public.A + self.actions

    @quantity("constant", "plan h")
    def constant_target(self) -> BoolArray:
        """(p, H) whether V_{h+1} is the same in all states, as it is at the cap and after the last step."""
        return np.asarray(np.ptp(self.V[:, 1:], axis=2) <= 1e-12 * self.public.H)

    @cached_property
    def episode(self) -> EpisodeSeries:
        """Per-episode quantities."""
        p, h = np.arange(len(self.plans))[:, None], np.arange(self.public.H)[None, :]
        s, first, plan, nothing = self.states, self.states[:, 0], self.plans[0], np.zeros(self.actions.shape)
        truncated = self.truncated if plan.reward is None else self.instance.truncated(self.reward)
        return EpisodeSeries(
            **vars(self.played),
            event_norm=self.event_norm,
            expected=self.PV[p, h, self.pairs],
            V=self.V[p[:, 0], 0, first],
            truncated=truncated[p[:, 0], 0, first],
            mean_truncated=truncated[:, 0] @ self.instance.start,
            agrees=self.policy[p, h, s[:, :-1]] == self.actions,
            reported_norm=nothing + 1.0 if plan.gram is None else self.reported_norm[p, h, self.pairs],
            said_variance=nothing if plan.variance is None else self.variance,
            said_weight=nothing if plan.weight is None else self.weight,
            said_enlarged=nothing if plan.enlarged is None else self.enlarged,
        )


def _of_backups(view: Planning) -> float:
    """Rounding of values by dynamic programming."""
    return view.public.H * tolerances.backup(view.public)


def _steps_left(view: Planning) -> Array:
    """(1, H+1) what V* can be at most."""
    return np.asarray(view.public.H - np.arange(view.public.H + 1.0))[None]


@dataclass(eq=False, kw_only=True)
class Planning(Backups[PlanningPlan]):
    """The planning phase: one plan for each reward. Further parameters as for `Backups`, with p rewards.

    Parameters
    ----------
    theta : (p, H, d) array
        Their parameters.
    names : tuple of str
        What they are.
    fixed : (p,) bool array
        Whether they were fixed before the data; the others were chosen after, see `verifier_settings.reward_free.adversary`.
    agreed : bool
        Whether matrices and estimates of all plans of exploration are those recomputed, see `Phases.agreed`.
    last : (H, d) array
        Features of the pairs of the last episode.
    series : EpisodeSeries
        Of all K episodes of exploration.
    checkpoints : (c,) int array
        Some of these (from 0), the last among them.
    values : (c, H+1, S) array
        V of the plans of these episodes.
    norms : (c, H, X) array
        ||phi|| in the norm of the inverse of Lambda-hat before these episodes.
    explored_bonus : (c, H, X) array
        The bonuses that the plans of these episodes report; those norms where they report none.
    """

    theta: Array
    names: tuple[str, ...]
    fixed: BoolArray
    agreed: bool
    last: Array
    series: EpisodeSeries
    checkpoints: IntArray
    values: Array
    norms: Array
    explored_bonus: Array

    plan_axis: ClassVar[str] = "reward"
    axes = ("reward", "h")
    pair_axes = ("reward", "h", "pair")

    measures = Reported()
    """(p, H, d, S) mu-hat as the algorithm reports it."""

    @cached_property
    def labels(self) -> dict[str, IntArray]:
        """Labels on the axes: rewards, episodes that were kept and steps counted from 1."""
        return {"reward": np.arange(1, len(self.plans) + 1), "checkpoint": self.checkpoints + 1, **steps(self.public)}

    def estimate_of_reports(self) -> Array | None:
        """(p, H, d) mu-hat V_{h+1} with mu-hat as reported, and V that the width was asked with."""
        return np.matmul(self.measures, self.handed[..., None])[..., 0] if reports(self, "measures") else None

    @quantity("undisturbed", "plan")
    def undisturbed(self) -> BoolArray:
        """(p,) `agreed`, for each reward."""
        return np.full(len(self.plans), self.agreed)

    @quantity("r", "plan h pair", low=0.0, high=1.0)
    def gain(self) -> Array:
        """Rewards r_h(s,a), shape (p, H, X)."""
        return self.instance.reward(self.theta)

    @quantity("V_star", "plan step s", symbol="V*_h", low=0.0, high=_steps_left)
    def optimal(self) -> Array:
        """(p, H+1, S) optimal values V*."""
        return self.instance.optimal(self.theta)[1]

    @quantity("V_pi", "plan s", symbol="V^π_1", low=0.0, high="H")
    def achieved(self) -> Array:
        """(p, S) V^pi_1 of the policies that were returned, for their rewards."""
        return self.instance.under(self.policy, self.gain)[:, 0]

    @quantity("loss", "plan", symbol="E[V*_1 − V^π_1]", low=0.0, high="H", rounding=_of_backups)
    def loss(self) -> Array:
        """(p,) E[V*_1 - V^pi_1] under nu_0."""
        return (self.optimal[:, 0] - self.achieved) @ self.instance.start

    @quantity("e_star", "plan h", symbol="‖(μ_h − μ̂_h)V*_{h+1}‖")
    def optimal_norm(self) -> Array:
        """(p, H) ||(mu_h - mu-hat_h) V*_{h+1}|| in the norm of Lambda-hat."""
        return self.error_norm(self.optimal[:, 1:])

    @quantity("e_rest", "plan h", symbol="‖(μ_h − μ̂_h)(V_{h+1} − V*_{h+1})‖")
    def excess_norm(self) -> Array:
        """(p, H) the same of V_{h+1} - V*_{h+1}, with V of the plan."""
        return self.error_norm((self.V - self.optimal)[:, 1:])

    @cached_property
    def truncated(self) -> Array:
        """(p, S) optimal values V~_1, truncated at H, of the bonus width ||phi|| as a reward."""
        return self.instance.truncated(self.radius)[:, 0]

    @quantity("judged", "plan", symbol="fixed before the data")
    def judged(self) -> BoolArray:
        """(p,) the last of the rewards that were fixed before the data: a statement with a failure probability is about one."""
        return np.asarray(np.arange(len(self.fixed)) == np.flatnonzero(self.fixed).max(initial=-1))

    @quantity("chosen", "plan", symbol="chosen after the data")
    def chosen(self) -> BoolArray:
        """(p,) rewards that were chosen after the data: a statement is about every one."""
        return ~self.fixed

    @quantity("explored", "step", symbol="event of exploration")
    def explored(self) -> BoolArray:
        """(H+1,) whether exploration's event held in every episode from this step on; True at the end."""
        held = np.append((self.series.event_norm <= self.series.width).all(axis=0), True)
        return np.logical_and.accumulate(held[::-1])[::-1]

    @quantity("dominates", "plan", symbol="β_E ≥ β_P")
    def dominates(self) -> BoolArray:
        """(p,) whether the radius of exploration was at least that of planning, in every episode and at every step."""
        return np.asarray(self.width.max(axis=1) <= self.series.width.min())

    @cached_property
    def regression(self) -> Regression:
        """The Gram matrices Lambda-hat as reported and as recomputed."""
        return _regression(self, self.gram, self.gram_replay)

    @property
    def altered(self) -> dict[str, Callable[[], Any]]:
        """Further views, on the data before the last episode."""
        square = self.last[:, :, None] * self.last[:, None, :]
        gram = self.gram_replay - square / self.before.weight[..., None, None]
        variance = self.variance_replay - square / self.before.variance[..., None, None]
        return {**super().altered, "without the last episode": lambda: altered(self, gram_replay=gram, variance_replay=variance)}


@dataclass(eq=False, kw_only=True)
class Run(PlayedRun[Public, Truth]):
    """The whole run; further parameters as for `PlayedRun`.

    Parameters
    ----------
    instance : Instance
    series : EpisodeSeries
        Of all K episodes.
    planning : Planning
    """

    instance: Instance
    series: EpisodeSeries
    planning: Planning

    @cached_property
    def reported_variance(self) -> Array:
        """(K, H) sigma-tilde^2 of every step as reported, by the plan that came next; so are the two that follow."""
        return np.concatenate([self.series.said_variance[1:], self.planning.variance[:1]])

    @cached_property
    def reported_weight(self) -> Array:
        """(K, H) sigma-hat^2."""
        return np.concatenate([self.series.said_weight[1:], self.planning.weight[:1]])

    @cached_property
    def reported_enlarged(self) -> Array:
        """(K, H) 1 where the threshold is said to have been exceeded."""
        return np.concatenate([self.series.said_enlarged[1:], self.planning.enlarged[:1]])


def steps(public: Public) -> dict[str, IntArray]:
    """Labels of the axes of steps: those of actions, and those of values."""
    return {"h": np.arange(1, public.H + 1), "step": np.arange(1, public.H + 2)}


def _regression(view: Any, gram: Array, replay: Array) -> Regression:
    seen, public = view.episodes[:, None].astype(float), view.public
    return Regression(view.axes, view.labels, gram, replay, public.ridge, seen, public.X, 1.0 / np.sqrt(public.H))
