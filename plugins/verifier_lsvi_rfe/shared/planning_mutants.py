"""Bugs in the planning phase."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_settings.reward_free import PlanningPlan


class WithoutTheLastEpisode(LSVIRFE):
    """Plans with Lambda-hat before the last episode."""

    def update(self, x: Array, following: Any) -> None:
        """The last one is forgotten."""
        seen = self.__dict__["seen"] = self.__dict__.get("seen", 0) + 1
        if seen < self.public.K:
            super().update(x, following)


def _in_the_last_episode(method: str, change: Callable[[Any], Any]) -> type[Any]:
    """Bug that changes the return value of a method in the last episode; it is called once in each."""

    class InTheLastEpisode(LSVIRFE):
        """Algorithm that is right until planning begins."""

    def changed(self: Any, *arguments: Any) -> Any:
        played = self.__dict__["played"] = self.__dict__.get("played", 0) + 1
        value = getattr(super(InTheLastEpisode, self), method)(*arguments)
        return change(value) if played == self.public.K else value

    setattr(InTheLastEpisode, method, changed)
    return InTheLastEpisode


class LastVarianceForgotten(LSVIRFE):
    """Lambda-tilde without the last episode."""

    def update(self, x: Array, following: Any) -> None:
        """Update that keeps the Gram matrix of the variances after the last episode; only what is reported is new."""
        seen = self.__dict__["seen"] = self.__dict__.get("seen", 0) + 1
        kept = self.variances.gram.copy()
        super().update(x, following)
        if seen == self.public.K:
            self.variances.gram = kept


class OldWeightsReported(LSVIRFE):
    """Reports the weights of the last episode but one, and plans with those of the last."""

    def learn(self, *arguments: Any) -> None:
        """Keep those before."""
        self.__dict__["earlier"] = self.weights
        super().learn(*arguments)

    def plan(self, theta: Array) -> PlanningPlan:
        """Plan with the earlier weights."""
        return replace(super().plan(theta), **self.__dict__["earlier"])


class VarianceNorms(LSVIRFE):
    """The planning bonus under Lambda-tilde."""

    def planning_bonus(self, beta: float, norms: Array) -> Array:
        """Bonus of the wrong matrix; steps are planned from the last one on."""
        left = self.__dict__["left"] = (self.__dict__.get("left", 0) - 1) % self.public.H
        phi, inverse = self.public.phi, self.variances.inverse[left]
        return beta * np.sqrt(np.einsum("xi,ij,xj->x", phi, inverse, phi))


class ExplorationRadius(LSVIRFE):
    """beta_E in the planning bonus."""

    def planning_bonus(self, beta: float, norms: Array) -> Array:
        """The radius of the last exploration plan."""
        return super().planning_bonus(float(self.beta.max()), norms)


class ClippedReward(LSVIRFE):
    """The parameter of the reward cut at 1/2."""

    def plan(self, theta: Array) -> PlanningPlan:
        """Another reward."""
        return super().plan(np.clip(theta, -0.5, 0.5))


class FirstReward(LSVIRFE):
    """Plans for the first step's reward at all steps."""

    def plan(self, theta: Array) -> PlanningPlan:
        """Another reward."""
        return super().plan(np.repeat(theta[:1], len(theta), axis=0))


class WarmStart(LSVIRFE):
    """Values that are not below those of the reward before."""

    def plan(self, theta: Array) -> PlanningPlan:
        """The larger of both."""
        plan = super().plan(theta)
        before = self.__dict__.get("before", plan.V)
        self.__dict__["before"] = plan.V
        return replace(plan, V=np.maximum(plan.V, before))


class KnowsTheKernel(LSVIRFE):
    """Reads the true kernel off the environment and plans with it: the policy is optimal, and far better than data allow."""

    def run(self, env: Any) -> Any:
        """Keep the environment."""
        self.laws = np.diff(env._cumulative, axis=2, prepend=0.0)
        yield from super().run(env)

    def plan(self, theta: Array) -> PlanningPlan:
        """The plan as it should be, but for the policy, which is optimal."""
        plan, V = super().plan(theta), np.zeros(self.public.S)
        policy = np.empty_like(plan.policy)
        for h in reversed(range(self.public.H)):
            Q = (self.public.phi @ theta[h] + self.laws[h] @ V).reshape(self.public.S, self.public.A)
            policy[h], V = Q.argmax(axis=1), Q.max(axis=1)
        return replace(plan, policy=policy)


class OtherPolicy(LSVIRFE):
    """Returns the worst action in every state."""

    def plan(self, theta: Array) -> PlanningPlan:
        """argmin."""
        plan = super().plan(theta)
        return replace(plan, policy=(-plan.Q).argmax(axis=-1))


def _planning(change: Callable[[Any], PlanningPlan]) -> type[Any]:
    return bugs.returns("plan", change)


_mutant = partial(plant, LSVIRFE)
DIFFERS = {
    "last-episode-forgotten": "Σφφᵀ/σ̂² without the last episode",
    "last-spread-halved": "1/2 times the formula",
    "last-variance-doubled": "2 times the formula",
    "last-weight-doubled": "2 times the formula",
    "last-variance-forgotten": "Σφφᵀ/σ̃² without the last episode",
    "variance-norms": "‖φ‖ under Λ̃",
    "double-planning-bonus": "2 times the formula",
    "no-planning-bonus": ": 0.",
    "negative-planning-bonus": "-1 times the formula",
    "huge-planning-bonus": "50 times the formula",
    "other-policy": "the worst action",
    "wrong-measures": "the formula plus 0.500",
    "wrong-estimate": "the formula + 0.5",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS: tuple[Mutant, ...] = telling(
    (
        _mutant(
            "last-episode-forgotten", "plans with Lambda-hat before the last episode", WithoutTheLastEpisode, ("planning-gram",)
        ),
        _mutant(
            "last-spread-halved",
            "half of W in the last episode",
            _in_the_last_episode("spread", lambda spread: spread / 2),
            ("last-spread",),
        ),
        _mutant(
            "last-variance-doubled",
            "twice sigma-tilde^2 in the last episode",
            _in_the_last_episode("variance", lambda variance: 2 * variance),
            ("last-variance", "planning-gram"),
        ),
        _mutant(
            "last-enlargement-swapped",
            "enlarged weights below the threshold in the last episode",
            _in_the_last_episode("enlarged", np.logical_not),
            ("last-enlarged", "planning-gram"),
        ),
        _mutant(
            "last-weight-doubled",
            "twice sigma-hat^2 in the last episode",
            _in_the_last_episode("weigh", lambda weights: {**weights, "weight": 2 * weights["weight"]}),
            ("last-weight", "planning-gram"),
        ),
        _mutant(
            "last-variance-forgotten", "Lambda-tilde without the last episode", LastVarianceForgotten, ("last-variance-gram",)
        ),
        _mutant("old-weights-reported", "reports the weights of the last episode but one", OldWeightsReported, ("last-spread",)),
        _mutant("variance-norms", "planning bonus under Lambda-tilde", VarianceNorms, ("planning-bonus", "planning-q-formula")),
        _mutant(
            "double-planning-bonus",
            "2 beta_P in the planning bonus",
            bugs.scaled("planning_bonus", 2.0),
            ("planning-bonus", "bonus-ratio"),
        ),
        _mutant(
            "no-planning-bonus",
            "no bonus in planning",
            bugs.scaled("planning_bonus", 0.0),
            ("planning-bonus", "planning-q-formula"),
        ),
        _mutant(
            "negative-planning-bonus",
            "the bonus of planning subtracted",
            bugs.scaled("planning_bonus", -1.0),
            ("planning-bonus", "planned-optimism"),
        ),
        _mutant(
            "huge-planning-bonus",
            "a planning bonus of 50 times its size",
            bugs.scaled("planning_bonus", 50.0),
            ("planning-bonus", "over-optimism", "truncated-values"),
        ),
        _mutant(
            "exploration-radius-in-planning",
            "beta_E in the planning bonus",
            ExplorationRadius,
            ("planning-bonus",),
            differs_in=("published", "oracle"),  # the calibrated radius is one for both phases
        ),
        _mutant("clipped-reward", "the reward parameter cut at 1/2", ClippedReward, ("planning-q-formula",)),
        _mutant("first-reward", "the first step's reward at all steps", FirstReward, ("planning-q-formula",)),
        _mutant(
            "warm-start", "values not below those of the reward before", WarmStart, ("planning-value-function", "planned-gap")
        ),
        _mutant("knows-the-kernel", "returns the optimal policy of the true kernel", KnowsTheKernel, ("planning-greedy",)),
        _mutant("other-policy", "returns another policy than the plan's", OtherPolicy, ("planning-greedy", "planned-gap")),
        _mutant(
            "wrong-measures",
            "reports another mu-hat",
            _planning(lambda plan: replace(plan, measures=plan.measures + 0.5)),
            ("measures-error",),
        ),
        _mutant(
            "wrong-estimate",
            "reports another w in planning",
            _planning(lambda plan: replace(plan, estimate=plan.estimate + 0.5)),
            ("planning-regression",),
        ),
    ),
    DIFFERS,
)
