"""Bugs planted in MVP. Those of its bonus are here."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_reference.mvp.algorithm import C1, C3, MVP
from verifier_reference.mvp.model_mutants import (
    CountsNotFrozen,
    FirstStepOnly,
    ForgetsLastStep,
    NeverAgain,
    NotFrozen,
    PlansAlways,
    RecentOnly,
    RewardsForgotten,
    RewardsNotDivided,
    RewardsNotHalved,
    RewardsNotReset,
    RewardsOfAll,
    StateForSuccessor,
    TriggersLate,
    Triples,
    UniformPrior,
    UpdatesAlways,
    UpdatesTogether,
)
from verifier_reference.shared.mutants import value_mutants
from verifier_settings.episodic import Public


class SecondMoment(MVP):
    """The second moment where the variance belongs."""

    def variance(self, target: Array) -> Array:
        """Phat V^2."""
        return self.kernel @ target**2


class Deviation(MVP):
    """The standard deviation where the variance belongs."""

    def variance(self, target: Array) -> Array:
        """The root taken twice."""
        return np.sqrt(super().variance(target))


class RangeForVariance(MVP):
    """The squared range of the values, as in Hoeffding's inequality."""

    def variance(self, target: Array) -> Array:
        """Variance H^2 / 4 everywhere."""
        return np.full(self.visits.shape, self.public.H**2 / 4)


class VarianceOfFirst(MVP):
    """The variance under the law of the first action, for all of them."""

    def variance(self, target: Array) -> Array:
        """Variance of (s, 0), for all actions."""
        return np.broadcast_to(super().variance(target)[:, :1], self.visits.shape)


class Textbook(MVP):
    """The deviation of the empirical inequality alone: it covers V*, but not what V does to the variance."""

    def bonus(self, target: Array, iota: float) -> Array:
        """2 sqrt(Var iota / n) + 2 sqrt(2 H rhat iota / n) + 14 H iota / n."""
        share = iota / self.counted()
        return 2 / C1 * self.spread(target, share) + self.noise(share) + 14 * self.public.H * share


class Larger(MVP):
    """The larger of two terms where their sum belongs: monotone, and another bonus."""

    def bonus(self, target: Array, iota: float) -> Array:
        """max{(20/3) sqrt(Var iota / n), (400/9) H iota / n} and the rest."""
        share = iota / self.counted()
        rest = self.noise(share) + 16 * self.public.H * share
        return rest + np.maximum(20 / 3 / C1 * self.spread(target, share), 400 / 9 * self.public.H * share)


class SwappedConstants(MVP):
    """c_1 and c_3 confused."""

    def bonus(self, target: Array, iota: float) -> Array:
        """544/9 for the root, 460/9 for the rest."""
        share = iota / self.counted()
        return C3 / C1 * self.spread(target, share) + self.noise(share) + C1 / C3 * self.small(share)


class UnitsOfPaper(MVP):
    """The bonus of values up to 1 with values up to H."""

    def small(self, share: Array) -> Array:
        """c_3 iota / n."""
        return super().small(share) / self.public.H


class RewardsOfPaper(MVP):
    """rhat where H rhat belongs."""

    def noise(self, share: Array) -> Array:
        """c_2 sqrt(rhat iota / n)."""
        return super().noise(share) / math.sqrt(self.public.H)


class OffByOne(MVP):
    """n + 1 where n belongs."""

    def counted(self) -> Array:
        """Visits, one too many."""
        return super().counted() + 1.0


class AllVisits(MVP):
    """N in the bonus, n elsewhere."""

    def counted(self) -> Array:
        """The visits as they are now."""
        return np.maximum(self.counts.sum(axis=2), 1.0)


class UnseenIsZero(MVP):
    """Q = 0 where nothing was seen."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """Values that are 0 where nothing was seen, as arrays are made."""
        return np.where(self.visits > 0, super().optimistic(mean, bonus), 0.0)


class WithPrevious(MVP):
    """Q capped by that of the plan before, as in UCBVI."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """The least Q so far of any step."""
        least = self.__dict__.get("least", np.inf)
        self.__dict__["least"] = np.minimum(least, super().optimistic(mean, bonus))
        return np.asarray(self.__dict__["least"])


class EpisodesInLog(MVP):
    """K where T = KH belongs."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """log(9 S^2 A H (1 + log2 K) / delta)."""
        return math.log(9 * public.S**2 * public.A * public.H * (1 + math.log2(public.K)) / public.delta)


_mutant = partial(plant, MVP)
_WHEN = "plans-when-triggered"
_BONUS = ("bonus-formula", "q-formula")
_SMALL = (*_BONUS, "propagation")
DIFFERS = {
    "plans-in-secret": "several times in an episode",
    "forgets-last-step": "without the visits of last steps",
    "counts-twice": "2 times the formula",
    "one-step-late": "the formula of the plan before",
    "state-for-successor": "of the states that are left",
    "uniform-prior": "one uniform visit added to every pair",
    "recent-only": "of the later half of the visits",
    "updates-always": "N for n",
    "triples": "the largest power of three",
    "triggers-late": "one visit more than a power of two",
    "never-again": "From plan 3 on: 1",
    "updates-together": "when a count of any pair last reached a power of two",
    "plans-always": "plans in every episode",
    "rewards-not-reset": "2 times the formula",
    "rewards-not-halved": "1/2 times the formula",
    "rewards-forgotten": "Everywhere: 0",
    "rewards-not-divided": "the sum of these rewards",
    "rewards-of-all": "the mean over visits 1 to n",
    "narrow-width": "1e-06 times",
    "episodes-in-log": "K for T",
    "second-moment": "P̂V²_{h+1} for Var",
    "deviation": "√Var",
    "no-spread": "without 51.1111",
    "no-noise": "without 2.82843",
    "no-small-term": "without 60.4444",
    "units-of-paper": "without the factor H",
    "rewards-of-paper": "without the factor H",
    "off-by-one": "n + 1 for n",
    "all-visits": "N for n",
    "unseen-is-zero": "only at pairs never visited: 0 for H",
    "no-clip": "without the cut at H",
    "not-frozen": "frequencies of all visits",
    "counts-not-frozen": "N for n",
    "half-bonus": "1/2 times the formula",
    "textbook": "2 for 51.1111 and 14 for 60.4444",
    "swapped-constants": "60.4444 for 51.1111 and 51.1111 for 60.4444",
    "forward-order": "with 0 for V_{h+1}",
}
"""Words that the sentence about the difference has to have, by bug."""

MUTANTS = telling(
    (
        *value_mutants(MVP, _WHEN),
        _mutant("no-bonus", "no bonus at all", bugs.no_bonus("optimistic"), ("q-formula", "optimism")),
        _mutant("no-clip", "Q not cut at H", bugs.unclipped("optimistic"), ("q-formula",)),
        _mutant("first-step-only", "only first steps counted", FirstStepOnly, ("visits", _WHEN)),
        _mutant("forgets-last-step", "last steps not counted", ForgetsLastStep, ("visits", _WHEN)),
        _mutant("counts-twice", "every step counted twice", bugs.twice("learn"), ("visits", "bonus-formula")),
        _mutant("one-step-late", "the last step not used", bugs.one_late("learn"), ("visits", _WHEN)),
        _mutant("state-for-successor", "s_h counted for s_{h+1}", StateForSuccessor, ("kernel", "q-formula")),
        _mutant("uniform-prior", "Phat smoothed", UniformPrior, ("kernel", "q-formula")),
        _mutant("not-frozen", "Phat of all visits", NotFrozen, ("kernel", "q-formula")),
        _mutant("counts-not-frozen", "N for n", CountsNotFrozen, ("visits", "bonus-formula")),
        _mutant("recent-only", "Phat of the later half of the visits", RecentOnly, ("kernel", "q-formula")),
        _mutant("updates-always", "the model changes at every visit", UpdatesAlways, ("visits", _WHEN, "planning-calls")),
        _mutant("triples", "powers of three", Triples, ("visits", _WHEN)),
        _mutant("triggers-late", "the model changes one visit late", TriggersLate, ("visits", _WHEN)),
        _mutant("never-again", "the model changes at the first visit only", NeverAgain, ("visits", _WHEN, "visit-sum")),
        _mutant("updates-together", "all models change when one does", UpdatesTogether, ("visits",)),
        _mutant("plays-on", "plays for twice the visits after which the model changes", bugs.scaled("patience", 2.0), (_WHEN,)),
        _mutant("plans-always", "a plan in every episode", PlansAlways, (_WHEN, "planning-calls")),
        _mutant("rewards-not-reset", "theta not set to 0", RewardsNotReset, ("reward", "q-formula")),
        _mutant("rewards-not-halved", "theta / N for 2 theta / N", RewardsNotHalved, ("reward", "q-formula")),
        _mutant("rewards-forgotten", "theta set to 0 before it is used", RewardsForgotten, ("reward", "q-formula")),
        _mutant("rewards-not-divided", "theta for 2 theta / N", RewardsNotDivided, ("reward", "q-formula", "reward-confidence")),
        _mutant("rewards-of-all", "the mean of all rewards", RewardsOfAll, ("reward",)),
        _mutant("single-sums", "sums of rewards in 32 bits", bugs.kept_in(np.float32, "learn", "sums"), ("reward",)),
        _mutant("half-counts", "counts in 16 bits", bugs.kept_in(np.float16, "learn", "counts"), ("kernel", _WHEN)),
        _mutant("half-bonus", "half the bonus", bugs.scaled("bonus", 0.5), _BONUS),
        _mutant("narrow-width", "a millionth of iota", bugs.scaled_width(lambda public: 1e-6), ("width", "coverage")),
        _mutant("episodes-in-log", "K for T in the logarithm", EpisodesInLog, ("width",)),
        _mutant("second-moment", "the second moment for the variance", SecondMoment, _BONUS),
        _mutant("deviation", "the root taken twice", Deviation, _BONUS),
        _mutant("range-for-variance", "the squared range for the variance", RangeForVariance, _BONUS),
        _mutant("variance-of-first", "the variance of another action", VarianceOfFirst, _BONUS),
        _mutant("no-spread", "no term of the variance", bugs.scaled("spread", 0.0), _SMALL),
        _mutant("no-noise", "no term of the noise of rewards", bugs.scaled("noise", 0.0), _BONUS),
        _mutant("no-small-term", "no term of order 1/n", bugs.scaled("small", 0.0), _SMALL),
        _mutant("textbook", "the empirical inequality alone", Textbook, _SMALL),
        _mutant("larger", "a maximum for the sum", Larger, _BONUS),
        _mutant("swapped-constants", "c_1 and c_3 confused", SwappedConstants, _BONUS),
        _mutant("units-of-paper", "iota/n for H iota/n", UnitsOfPaper, _SMALL),
        _mutant("rewards-of-paper", "rhat for H rhat", RewardsOfPaper, _BONUS),
        _mutant("off-by-one", "n + 1 in the bonus", OffByOne, _BONUS),
        _mutant("all-visits", "N in the bonus", AllVisits, _BONUS),
        _mutant("unseen-is-zero", "Q = 0 where nothing was seen", UnseenIsZero, ("q-formula", "optimism")),
        _mutant("with-previous", "capped by the least Q so far", WithPrevious, ("q-formula",)),
    ),
    DIFFERS,
)
