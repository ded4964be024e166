"""Profiles: how much work each command does, in one table."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, Self

Tier = Literal["quick", "standard", "deep"]

POWER, EACH_BUG = 4.0, 0.125
"""Budget of `verifier power`, as a multiple of the profile's: at the least, and for each planted bug."""

SEARCH_SHARE = 0.25
"""Share of the search beside the trials, as a part of a budget that was given."""


@dataclass(frozen=True)
class Profile:
    """Amount of work of a campaign.

    Parameters
    ----------
    name : str
        Instances and sizes belong to profiles by this name.
    budget : float
        Seconds of processor time that trials may take, all workers together.
    trials : int
        Trials of a cell with share 1.
    least : int
        Trials of such a cell that each statistical claim takes in, even when its verdict has been reached before.
    examples : int
        Instances the search draws in each regime.
    scaling_budget : float
        The budget of `verifier scale`.
    scaling_seeds, figure_seeds : int
        Trials of `verifier scale` at each size, for its claims and for experiments of the papers, which have 50.
    tight_runs : int
        Runs of `verifier tight` on each instance.
    firm : bool
        Whether the budget limits the first trial of each cell, too. Without that no verdict is possible, so a check makes it
        whatever it takes, unless the user has given a budget; commands that run many more algorithms or sizes do not.
    """

    name: str
    budget: float
    trials: int
    least: int
    examples: int
    scaling_budget: float
    scaling_seeds: int
    figure_seeds: int
    tight_runs: int
    firm: bool = False

    @property
    def search_budget(self) -> float:
        """Seconds of processor time for the search beside those of the trials; no limit where the user has set none."""
        return SEARCH_SHARE * self.budget if self.firm else math.inf

    def planned(self, share: float) -> int:
        """The most trials of a cell with this share."""
        return max(1, round(self.trials * share))

    def least_of(self, share: float) -> int:
        """The fewest trials that a statistical claim takes in in a cell with this share."""
        return max(1, round(self.least * share))

    def within(self, budget: float | None) -> Self:
        """The profile with another budget, if one is given; that one is firm."""
        return self if budget is None else replace(self, budget=budget, firm=True)

    def for_power(self, bugs: int = 0) -> Self:
        """Profile of `verifier power`, which runs many algorithms: it may take four times as long, and longer for many bugs.

        Parameters
        ----------
        bugs : int
            Planted bugs and garbage agents that are run. Most are found in their first trials. What is left for the others, which
            share the rest, is an eighth of the profile's budget for each bug.
        """
        return replace(self, budget=self.budget * max(POWER, bugs * EACH_BUG), firm=True)

    def for_scaling(self, figure: bool) -> Self:
        """Profile of `verifier scale`, for its claims or for an experiment of a paper."""
        trials = self.figure_seeds if figure else self.scaling_seeds
        return replace(self, budget=self.scaling_budget, trials=trials, least=4, firm=True)

    def for_tight(self) -> Self:
        """Profile of `verifier tight`, which runs each instance equally often and may take as long as `verifier scale`."""
        return replace(self, budget=self.scaling_budget, trials=self.tight_runs, firm=True)


PROFILES: dict[Tier, Profile] = {
    "quick": Profile("quick", 60.0, 32, 4, 60, 360.0, 6, 6, 100),
    "standard": Profile("standard", 600.0, 212, 40, 400, 1800.0, 20, 50, 300),
    "deep": Profile("deep", 5400.0, 1500, 400, 3000, 10800.0, 50, 50, 1500),
}
"""Profiles by name. It takes 53 clean trials to certify that a failure rate is at most delta = 0.1, the delta of nearly all
instances, and a quarter is the smallest share with which rates are judged: the 4 * 53 = 212 trials of `standard` decide all of
these. A quantile of level 0.9 is bounded from above by 100 runs with an error of 2.7e-5 = 0.9^100: enough for the 1% of a table
with 188 intervals (`verifier.statistics.quantile`)."""

TIERS: tuple[Tier, ...] = tuple(PROFILES)
"""Names of the profiles, the smallest first."""


def enough(profile: Profile, share: float, trials: int) -> str:
    """The name of the smallest larger profile that runs so many trials of a cell with this share; empty if none does."""
    larger = TIERS[TIERS.index(profile.name) + 1 :] if profile.name in TIERS else ()
    return next((name for name in larger if PROFILES[name].planned(share) >= trials), "")


def profiles(*told: str) -> str:
    """``quick (30 s), standard (5 min) or deep (45 min)``: the profiles with something said of each."""
    shown = [f"{tier} ({what})" for tier, what in zip(TIERS, told, strict=True)] if told else list(TIERS)
    return f"{', '.join(shown[:-1])} or {shown[-1]}"


def _duration(seconds: float) -> str:
    return f"{seconds:g} s" if seconds < 60 else f"{seconds / 60:g} min"


BUDGETS = tuple(_duration(profile.budget) for profile in PROFILES.values())
