"""Bugs in Monte Carlo estimates and in what planning by simulation returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import Mutant, plant
from verifier.settings.cvar import Episodes
from verifier.settings.cvar.planning import Answer, PlanningEnvironment, Public, Round
from verifier_cvar.cvar_lsvi import CVaRLSVI
from verifier_cvar.least_squares import Model, Planner

# Estimates ----------------------------------------------------------------------------------------------------------


class NoBonusInEstimate(Planner):
    """The bonus forgotten."""

    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        """The mean of (i - sum r)^+."""
        return super().estimate(replace(model, bonus=0.0 * model.bonus), episodes, budget)


class AddedBonusInEstimate(Planner):
    """The bonus added: the minus that is lost in print."""

    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        """The mean of (i - sum r)^+ + sum b."""
        return super().estimate(replace(model, bonus=-model.bonus), episodes, budget)


class LastRewardForgotten(Planner):
    """Sums rewards over all steps but the last."""

    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        """The mean without r_H."""
        return super().estimate(model, replace(episodes, rewards=episodes.rewards[:, :-1]), budget)


class FirstEpisodeOnly(Planner):
    """Takes the first of T2 episodes for their mean."""

    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        """One sample."""
        first = Episodes(episodes.states[:1], episodes.actions[:1], episodes.rewards[:1])
        return super().estimate(model, first, budget)


class NegativePart(Planner):
    """The positive part forgotten."""

    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        """The mean of i - sum r - sum b."""
        over = np.maximum(episodes.rewards.sum(axis=1) - budget, 0)
        return super().estimate(model, episodes, budget) - float(model.grid.levels[over].mean())


# What is returned ---------------------------------------------------------------------------------------------------


class LargestEstimate(Planner):
    """max for min, as section 5 says."""

    def best(self, estimates: Array) -> int:
        """The argmax."""
        return int(estimates.argmax())


class LastPolicy(Planner):
    """Returns the last policy."""

    def best(self, estimates: Array) -> int:
        """T1."""
        return len(estimates) - 1


class FewEpisodes(CVaRLSVI):
    """Half of the T2 episodes."""

    def evaluate(self, env: PlanningEnvironment, policy: IntArray) -> float:
        """The mean of T2/2 episodes."""
        return self.estimate(self.model, env.episodes(policy, max(self.public.T2 // 2, 1)), self.public.budget)


class OptimisticEstimate(CVaRLSVI):
    """Takes the optimistic value of the plan for an estimate."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds; the answer is V^t_1 of the chosen policy."""
        values = []
        for plan in super().run(env):
            if isinstance(plan, Round):
                values.append(float(plan.V[0, self.public.start, self.public.budget]))
            yield plan if isinstance(plan, Round) else replace(plan, estimates=np.array(values))


class MeanAnswer(CVaRLSVI):
    """Reports the mean of the estimates as the value."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, and an answer that is no minimum."""
        for plan in super().run(env):
            yield plan if isinstance(plan, Round) else replace(plan, value=float(plan.estimates.mean()))


class _StaleSimulator(PlanningEnvironment):
    """Plays the policy of the round before."""

    def __init__(self, env: PlanningEnvironment) -> None:
        self._env = env
        self._older: IntArray | None = None

    def trajectory(self, policy: IntArray) -> Episodes:
        """An episode of the last but one policy."""
        older, self._older = self._older, policy
        return self._env.trajectory(policy if older is None else older)

    def episodes(self, policy: IntArray, n: int) -> Episodes:
        """Episodes for evaluation."""
        return self._env.episodes(policy, n)


class StalePolicy(CVaRLSVI):
    """Simulates the policy of the round before."""

    def run(self, env: PlanningEnvironment) -> Iterator[Round | Answer]:
        """T1 rounds, each episode one policy late."""
        yield from super().run(_StaleSimulator(env))


class SmallWidth(CVaRLSVI):
    """beta without its factor H^{3/2}."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """beta / H^{3/2}."""
        return super().published_width(public, of) / public.H**1.5


def mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """The bugs of CVaR-LSVI."""
    chosen = ("chosen-estimate",)
    return (
        *estimate_mutants(original),
        plant(original, "largest-estimate", "max_t V̂_t", LargestEstimate, chosen),
        plant(original, "last-policy", "returns the last policy", LastPolicy, chosen),
        plant(original, "few-episodes", "T2/2 episodes", FewEpisodes, ("simulated-episodes",)),
        plant(original, "optimistic-estimate", "the optimistic value for an estimate", OptimisticEstimate, chosen),
        plant(original, "mean-answer", "reports the mean of all estimates", MeanAnswer, chosen),
        plant(original, "stale-policy", "simulates the policy of the round before", StalePolicy, ("plays-policy",)),
        plant(original, "small-width", "β lacks its factor H^{3/2}", SmallWidth, ("width",)),
    )


def inner_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """The bugs of the planner inside ELLA."""
    return (
        *estimate_mutants(original),
        plant(original, "largest-estimate", "max_t V̂_t in the planner", LargestEstimate, ("estimates", "chosen-policy")),
        plant(original, "last-round", "the last policy of the planner", LastPolicy, ("estimates", "chosen-policy")),
    )


def estimate_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """The bugs in Monte Carlo estimates."""
    error = ("estimates",)
    return (
        plant(original, "estimate-without-bonus", "V̂ without the bonus", NoBonusInEstimate, error),
        plant(original, "estimate-adds-bonus", "V̂ with + Σ b", AddedBonusInEstimate, error),
        plant(original, "last-reward-forgotten", "V̂ without the last reward", LastRewardForgotten, error),
        plant(original, "first-episode-only", "V̂ from one episode", FirstEpisodeOnly, error),
        plant(original, "negative-part", "V̂ without the positive part", NegativePart, error),
    )
