"""Bugs in Monte Carlo estimates, and in what is chosen by them, of CVaR-LSVI and of ELLA's planner."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.mutant import Mutant, plant, telling
from verifier_cvar.least_squares import Model, Planner
from verifier_settings.cvar import Episodes


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
        """Estimate from a single sample."""
        first = Episodes(episodes.states[:1], episodes.actions[:1], episodes.rewards[:1])
        return super().estimate(model, first, budget)


class NegativePart(Planner):
    """The positive part forgotten."""

    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        """The mean of i - sum r - sum b."""
        over = np.maximum(episodes.rewards.sum(axis=1) - budget, 0)
        return super().estimate(model, episodes, budget) - float(model.grid.levels[over].mean())


class LargestEstimate(Planner):
    """max for min, as section 5 says."""

    def best(self, estimates: Array) -> int:
        """The argmax."""
        return int(estimates.argmax())


class LastRound(Planner):
    """Returns the last policy."""

    def best(self, estimates: Array) -> int:
        """Index T1 of the last round."""
        return len(estimates) - 1


DIFFERS = {
    "estimate-without-bonus": "without mean Σb",
    "estimate-adds-bonus": "+ mean Σb for − mean Σb",
}
"""Words that the sentence about the difference has to have, by bug."""


def estimate_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """The bugs in Monte Carlo estimates."""
    error = ("estimates",)
    return telling(
        (
            plant(original, "estimate-without-bonus", "V̂ without the bonus", NoBonusInEstimate, error),
            plant(original, "estimate-adds-bonus", "V̂ with + Σ b", AddedBonusInEstimate, error),
            plant(original, "last-reward-forgotten", "V̂ without the last reward", LastRewardForgotten, error),
            plant(original, "first-episode-only", "V̂ from one episode", FirstEpisodeOnly, error),
            plant(original, "negative-part", "V̂ without the positive part", NegativePart, error),
        ),
        DIFFERS,
    )
