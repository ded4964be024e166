"""Bugs planted in UCRL2."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_reference.shared.mutants import model_mutants, value_mutants
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan

# The radius -------------------------------------------------------------------------------------------------------------


class EpisodesForTime(UCRL2):
    """The number of the episode where that of the step belongs."""

    def time(self) -> float:
        """Time k, in episodes."""
        return (super().time() - 1.0) / self.public.H + 1.0


class VisitsOfStates(UCRL2):
    """N(s) where N(s,a) belongs."""

    def ball(self, width: float, visits: Array) -> Array:
        """The balls of all actions of a state shrink together."""
        return super().ball(width, np.where(visits > 0, visits.sum(axis=1, keepdims=True), 0.0))


class VisitsSinceThePlan(UCRL2):
    """v, the visits since the plan before, where N belongs."""

    def ball(self, width: float, visits: Array) -> Array:
        """The radius grows again with each plan."""
        since = visits - self.__dict__.get("before", 0.0 * visits)
        return super().ball(width, np.where(visits > 0, np.maximum(since, 1.0), 0.0))

    def plan(self) -> EpisodicPlan:
        """Remember what was planned with."""
        made = super().plan()
        self.__dict__["before"] = self.planned
        return made


class WithoutStates(UCRL2):
    """The S of the union over 2^S sets forgotten, as for a single probability."""

    def radius(self, visits: Array) -> Array:
        """sqrt(14 log(2At/delta) / N)."""
        return super().radius(visits) / math.sqrt(self.public.S)


class OffByOne(UCRL2):
    """N + 1 where N belongs."""

    def radius(self, visits: Array) -> Array:
        """Radius with one visit too many."""
        return super().radius(visits + 1.0)


class PerVisit(UCRL2):
    """1/N instead of its root."""

    def radius(self, visits: Array) -> Array:
        """Radius smaller by another root of N."""
        return super().radius(visits) / np.sqrt(visits)


class UnseenIsEmpty(UCRL2):
    """A radius of 0 where nothing was seen: the ball around zeros."""

    def ball(self, width: float, visits: Array) -> Array:
        """Radius 0 where nothing was seen: no law is plausible there."""
        return np.where(visits > 0, super().ball(width, visits), 0.0)


class UnseenIsUniform(UCRL2):
    """The uniform law taken for known where nothing was seen."""

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        """Rows that are zero replaced, without a ball around them."""
        unseen = kernel.sum(axis=2) == 0
        found = super().best(kernel, radius, order)
        found[unseen] = 1.0 / self.public.S
        return found


# Extended value iteration -----------------------------------------------------------------------------------------------


class EuclideanBall(UCRL2):
    """The ball of the Euclidean norm, in which d / sqrt(2) can go from one state to another."""

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        """Best law as if the radius in L1 were sqrt(2) d."""
        return super().best(kernel, math.sqrt(2.0) * radius, order)


class WholeRadius(UCRL2):
    """d added to the best state, where d/2 is what can be moved."""

    def raised(self, p: Array, radius: Array) -> Array:
        """min(1, Phat + d)."""
        return super().raised(p, 2.0 * radius)


class NoClip(UCRL2):
    """The probability of the best state not cut at 1."""

    def raised(self, p: Array, radius: Array) -> Array:
        """Phat + d/2."""
        return p + radius / 2


class NothingTaken(UCRL2):
    """Mass added to the best state, and taken from none."""

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        """Rows that sum to more than 1."""
        p = kernel.copy()
        p[..., order[0]] = self.raised(p[..., order[0]], radius)
        return p


class SpreadEvenly(UCRL2):
    """Rows divided by their sums, where what is too much is to be taken from the worst states."""

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        """Plausible, but not the best."""
        p = kernel.copy()
        p[..., order[0]] = self.raised(p[..., order[0]], radius)
        return p / p.sum(axis=2, keepdims=True)


class WrongDirection(UCRL2):
    """The worst kernel in the ball."""

    def order(self, h: int, target: Array) -> IntArray:
        """The worst first."""
        return super().order(h, -target)


class ValuesOfThisStep(UCRL2):
    """States sorted by V_h of the plan before, not by V_{h+1}."""

    def plan(self) -> EpisodicPlan:
        """Remember the values."""
        made = super().plan()
        self.__dict__["kept"] = made.V
        return made

    def order(self, h: int, target: Array) -> IntArray:
        """Order of the values at hand when the first step was planned."""
        kept = self.__dict__.get("kept")
        return super().order(h, target if kept is None else kept[h])


class IndexOrder(UCRL2):
    """States not sorted at all."""

    def order(self, h: int, target: Array) -> IntArray:
        """Order in which states are numbered."""
        return np.arange(len(target))


class Empirical(UCRL2):
    """Bug: no ball, the empirical kernel, and the reward alone where nothing was seen."""

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        """Phat."""
        return kernel.copy()


# When plans are made ----------------------------------------------------------------------------------------------------


class DoublesInAll(UCRL2):
    """Bug: plans when the visits of all pairs together have doubled, not those of one pair."""

    def doubled(self, before: Array, now: Array) -> bool:
        """Plans after 1, 2, 4, ... episodes."""
        return super().doubled(before.sum(), now.sum())


class DoublesEverywhere(UCRL2):
    """Bug: plans only when the visits of every pair have doubled."""

    def doubled(self, before: Array, now: Array) -> bool:
        """A pair that is never visited again holds up everything."""
        return bool((now - before >= np.maximum(before, 1.0)).all())


class DoublesLate(UCRL2):
    """v > max(1, N): one visit more."""

    def doubled(self, before: Array, now: Array) -> bool:
        """A pair is still new after one visit."""
        return bool((now - before > np.maximum(before, 1.0)).any())


class PlansOnce(UCRL2):
    """The first plan for ever."""

    def doubled(self, before: Array, now: Array) -> bool:
        """Whether counts have doubled: never."""
        return False


class PlansAlways(UCRL2):
    """A plan in every episode."""

    def doubled(self, before: Array, now: Array) -> bool:
        """Whether counts have doubled: always."""
        return True


class LearnsWhenPlanning(UCRL2):
    """Only the last episode before a plan is learned from, the others under the plan before being overwritten."""

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Run that keeps what was seen since the plan before apart."""
        for plan in super().run(env):
            self.__dict__["known"] = self.transitions.copy()
            yield plan

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Forget the other episodes of this plan."""
        self.transitions = self.__dict__["known"].copy()
        super().learn(states, actions)


_mutant = partial(plant, UCRL2)
_RADIUS = ("radius-formula", "q-formula")
_WHEN = ("plans-when-doubled",)
_BUGS = (
    *value_mutants(UCRL2, *_WHEN, "attained"),
    *model_mutants(UCRL2, "radius-formula"),
    _mutant("half-radius", "half the radius", bugs.scaled("radius", 0.5), _RADIUS, differs="1/2 times d"),
    _mutant("narrow-radius", "the radius divided by 2000", bugs.scaled_width(lambda public: 1 / 2000), ("width",)),
    _mutant("episodes-for-time", "k for t in the logarithm", EpisodesForTime, ("radius-formula",)),
    _mutant("visits-of-states", "N(s) for N(s,a)", VisitsOfStates, _RADIUS),
    _mutant("visits-since-the-plan", "v for N", VisitsSinceThePlan, _RADIUS),
    _mutant("without-states", "the S in the radius forgotten", WithoutStates, _RADIUS),
    _mutant("off-by-one", "N + 1 in the radius", OffByOne, _RADIUS, differs="N + 1 for N in d"),
    _mutant("per-visit", "1/N instead of 1/sqrt(N)", PerVisit, _RADIUS, differs="N² for N in d"),
    _mutant("unseen-is-empty", "radius 0 where nothing was seen", UnseenIsEmpty, ("plausible", "q-formula", "optimism")),
    _mutant("unseen-is-uniform", "the uniform law where nothing was seen", UnseenIsUniform, ("q-formula", "optimism")),
    _mutant("euclidean-ball", "the L2 ball of this radius", EuclideanBall, ("plausible", "q-formula", "kernel-distance")),
    _mutant("whole-radius", "d added where d/2 is", WholeRadius, ("plausible", "q-formula", "kernel-distance")),
    _mutant("no-clip", "a probability not cut at 1", NoClip, ("plausible", "q-formula", "value-range")),
    _mutant("nothing-taken", "mass added and taken from no state", NothingTaken, ("plausible", "q-formula")),
    _mutant("spread-evenly", "rows divided by their sums", SpreadEvenly, ("q-formula", "optimism")),
    _mutant(
        "wrong-direction",
        "the worst kernel in the ball",
        WrongDirection,
        ("q-formula", "optimism"),
        differs="min_p p·V_{h+1} for max_p p·V_{h+1}",
    ),
    _mutant("values-of-this-step", "states sorted by V_h of the plan before", ValuesOfThisStep, ("q-formula",)),
    _mutant("index-order", "states not sorted", IndexOrder, ("q-formula", "optimism")),
    _mutant("empirical", "no ball", Empirical, ("plausible", "q-formula", "optimism")),
    _mutant("doubles-in-all", "all steps together have doubled", DoublesInAll, _WHEN),
    _mutant("doubles-everywhere", "the visits of every pair have doubled", DoublesEverywhere, _WHEN),
    _mutant("doubles-late", "v > max(1, N)", DoublesLate, _WHEN),
    _mutant("plays-on", "plays for twice the visits after which a plan is due", bugs.scaled("patience", 2.0), _WHEN),
    _mutant("plans-once", "the first plan for ever", PlansOnce, (*_WHEN, "visit-sum")),
    _mutant("plans-always", "a plan in every episode", PlansAlways, (*_WHEN, "planning-calls")),
    _mutant("learns-when-planning", "all but the last episode of a plan forgotten", LearnsWhenPlanning, ("visits", "q-formula")),
)
_TOLD = {
    "plans-every-other": "no plan where one is due",
    "plans-in-secret": "plans several times in an episode",
    "one-episode-late": "without the last episode",
    "narrow-radius": "0.0005 times the formula",
    "boastful": "the formula + 0.25",
    "episodes-for-time": "without the factor H in t",
    "visits-of-states": "of the state, whatever the action",
    "without-states": "without the factor S in d",
    "unseen-is-empty": "only at pairs never visited: Σp_h is 0, not 1",
    "unseen-is-uniform": "Σ_y V_{h+1}(y)/S for max_p p·V_{h+1}",
    "euclidean-ball": "‖p_h − P̂‖₁ is up to √2 times d",
    "whole-radius": "‖p_h − P̂‖₁ is up to 2 times d",
    "no-clip": "Σp_h is above 1",
    "nothing-taken": "Σp_h is above 1",
    "empirical": "only at pairs never visited: Σp_h is 0, not 1",
    "doubles-in-all": "where all visits together have doubled",
    "doubles-everywhere": "plans once and never again",
    "doubles-late": "where v > max(1, N)",
    "plans-once": "plans once",
    "plans-always": "plans in every episode",
}
"""Words that the sentences about these bugs have to have."""
MUTANTS = telling(_BUGS, _TOLD)
