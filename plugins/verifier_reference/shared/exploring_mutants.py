"""Bugs of exploration that stops by itself: when it stops, its bonus and its model."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant
from verifier_reference.exploring import StoppingExploration
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan

# When it stops --------------------------------------------------------------------------------------------------------


class StopsAtOnce(StoppingExploration):
    """The run is over before the first episode."""

    def stops(self, plan: EpisodicPlan) -> bool:
        """True, where a run may stop."""
        return self.public.epsilon > 0


class StopsAfterOne(StoppingExploration):
    """The loop is left after its first round."""

    def stops(self, plan: EpisodicPlan) -> bool:
        """True after an episode, where a run may stop."""
        return self.public.epsilon > 0 and self.first >= 0


class NeverStops(StoppingExploration):
    """The rule forgotten: all K episodes are played."""

    def stops(self, plan: EpisodicPlan) -> bool:
        """False."""
        return False


class StopsLate(StoppingExploration):
    """The rule looked at after the episode that is played anyway."""

    def stops(self, plan: EpisodicPlan) -> bool:
        """The answer to the plan before."""
        before, self.__dict__["due"] = self.__dict__.get("due", False), super().stops(plan)
        return bool(before)


class StaleOutput(StoppingExploration):
    """The plan before is returned, made of the data without the last episode."""

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        """Yield the last plan but one where the run has stopped."""
        last = None
        for plan in super().run(env):
            yield plan if last is None or not env.stopped else last
            last = plan


# The bonus ------------------------------------------------------------------------------------------------------------


class WithoutStates(StoppingExploration):
    """log(2SAH/delta) alone, as for the mean of one number."""

    def states(self, n: Array) -> Array:
        """No term for the other states."""
        return 0.0 * n


class FixedCount(StoppingExploration):
    """The logarithm that makes the inequality hold for all n forgotten: S - 1."""

    def states(self, n: Array) -> Array:
        """(S-1) log e."""
        return self.public.S - 1 + 0.0 * n


class OnePair(StoppingExploration):
    """delta for delta / (2SAH): no union over pairs and steps."""

    def chance(self) -> float:
        """log(1/delta)."""
        return math.log(1 / self.public.delta)


class OneStep(StoppingExploration):
    """The union over pairs, and not over steps."""

    def chance(self) -> float:
        """log(2SA/delta)."""
        return super().chance() - math.log(self.public.H)


class OffByOne(StoppingExploration):
    """n + 1 in the bonus, as if to avoid a division by zero."""

    def bonus(self, n: Array) -> Array:
        """The bonus of one more visit."""
        return super().bonus(n + 1)


class NoRoot(StoppingExploration):
    """The root forgotten."""

    def root(self, share: Array) -> Array:
        """The radicand."""
        return share


class WithoutTwo(StoppingExploration):
    """The 2 of Pinsker's inequality forgotten."""

    def root(self, share: Array) -> Array:
        """The root of half of it."""
        return np.sqrt(share / 2)


class UnitRange(StoppingExploration):
    """Values in [0, 1] for values in [0, H]."""

    def bonus(self, n: Array) -> Array:
        """sqrt(2 beta / n)."""
        return super().bonus(n) / self.public.H


# The model ------------------------------------------------------------------------------------------------------------


class PooledCounts(StoppingExploration):
    """Transitions of all steps together."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Count them at every step."""
        for transitions in self.transitions:
            np.add.at(transitions, (states[:-1], actions, states[1:]), 1.0)


class ForgetsLastStep(StoppingExploration):
    """The last transition not counted, as where `done` breaks the loop too early."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Learn all steps but the last."""
        super().learn(states[:-1], actions[:-1])


class StateForSuccessor(StoppingExploration):
    """s_h counted where s_{h+1} belongs."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        """Transitions to where they come from."""
        np.add.at(self.transitions, (np.arange(len(actions)), states[:-1], actions, states[:-1]), 1.0)


class UniformPrior(StoppingExploration):
    """Phat smoothed by one uniform phantom visit."""

    def kernel(self, visits: Array) -> Array:
        """Rows (N(y) + 1/S) / (N + 1)."""
        return (self.transitions + 1.0 / self.public.S) / (visits + 1.0)[..., None]


EXPLORING = {
    "stops-at-once": "stops too early",
    "stops-after-one": "stops too early",
    "never-stops": "plays on where it should stop",
    "stops-late": "plays on where it should stop",
    "counts-twice": "2 times the formula",
    "one-episode-late": "of the plan before",
    "state-for-successor": "of the states that are left",
    "without-states": "without (S",
    "fixed-count": "without N_h / max(S − 1, 1)",
    "one-step": "without the factor H",
    "off-by-one": "N_h + 1 for N_h",
    "no-root": "without its root",
    "without-two": "without the factor 2",
    "unit-range": "without the factor H",
    "half-bonus": "1/2 times the formula",
}
"""Words that the sentence about the difference has to have, by bug."""


def exploring_mutants(algorithm: type[StoppingExploration]) -> tuple[Mutant, ...]:
    """Bugs of the rule, the bonus and the counts, planted in an algorithm."""
    mutant, bonus = partial(plant, algorithm), ("bonus-formula",)
    return (
        mutant("stops-at-once", "stops before the first episode", StopsAtOnce, ("stopping-rule",)),
        mutant("stops-after-one", "stops after one episode", StopsAfterOne, ("stopping-rule",)),
        mutant("never-stops", "plays K episodes", NeverStops, ("stopping-rule",)),
        mutant("stops-late", "stops one episode late", StopsLate, ("stopping-rule",)),
        mutant("stale-output", "the output is the plan before", StaleOutput, ("step-visits",)),
        mutant("pooled-counts", "counts of all steps for those of a step", PooledCounts, ("step-visits",)),
        mutant("counts-twice", "every episode counted twice", bugs.twice("learn"), ("step-visits", "bonus-formula")),
        mutant("one-episode-late", "the last episode not used", bugs.one_late("learn"), ("step-visits",)),
        mutant("forgets-last-step", "the last transition not counted", ForgetsLastStep, ("step-visits",)),
        mutant("state-for-successor", "s_h counted for s_{h+1}", StateForSuccessor, ("step-kernel",)),
        mutant("uniform-prior", "Phat smoothed", UniformPrior, ("step-kernel",)),
        mutant("without-states", "the term of S left out", WithoutStates, bonus),
        mutant("fixed-count", "no logarithm of n", FixedCount, bonus),
        mutant("one-pair", "delta for delta / (2SAH)", OnePair, bonus),
        mutant("one-step", "delta / (2SA) for delta / (2SAH)", OneStep, bonus),
        mutant("off-by-one", "n + 1 for n", OffByOne, bonus),
        mutant("no-root", "2 beta / n for its root", NoRoot, bonus),
        mutant("without-two", "beta / n for 2 beta / n", WithoutTwo, bonus),
        mutant("unit-range", "values in [0, 1]", UnitRange, bonus),
        mutant("half-bonus", "half the bonus", bugs.scaled("bonus", 0.5), bonus),
        mutant("narrow-width", "a tenth of the width", bugs.scaled_width(lambda public: 0.1), ("width",)),
        mutant("same-step", "E_h for E_{h+1} in the backup", bugs.takes("target", lambda V, h: (V, h - 1)), ("width-target",)),
    )  # fmt: skip
