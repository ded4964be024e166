"""Profiles: how much work each command does, in one table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Self

Tier = Literal["quick", "standard", "deep"]


@dataclass(frozen=True)
class Profile:
    """How much work a campaign does.

    Parameters
    ----------
    name : str
        Instances and sizes belong to profiles by this name.
    budget : float
        Seconds after which no new trial is started.
    trials : int
        Trials of a cell with share 1.
    least : int
        Trials of such a cell even when its statistical verdicts have been reached, for its other claims.
    examples : int
        Instances the search draws in each regime.
    scaling_budget : float
        Seconds after which `verifier scale` starts no new trial.
    scaling_seeds, figure_seeds : int
        Trials of `verifier scale` at each size, for its claims and for experiments of the papers.
    """

    name: str
    budget: float
    trials: int
    least: int
    examples: int
    scaling_budget: float
    scaling_seeds: int
    figure_seeds: int

    def within(self, budget: float | None) -> Self:
        """The profile with another budget, if one is given."""
        return self if budget is None else replace(self, budget=budget)

    def for_power(self) -> Self:
        """What `verifier power` does: it runs many algorithms, and may take four times as long."""
        return replace(self, budget=4 * self.budget)

    def for_scaling(self, figure: bool) -> Self:
        """What `verifier scale` does, for its claims or for an experiment of a paper."""
        return replace(self, budget=self.scaling_budget, trials=self.figure_seeds if figure else self.scaling_seeds, least=4)


PROFILES: dict[Tier, Profile] = {
    "quick": Profile("quick", 30.0, 32, 4, 60, 180.0, 6, 6),
    "standard": Profile("standard", 300.0, 200, 40, 400, 900.0, 20, 50),
    "deep": Profile("deep", 2700.0, 1500, 400, 3000, 5400.0, 50, 200),
}

TIERS: tuple[Tier, ...] = tuple(PROFILES)
"""Names of the profiles, the smallest first."""
