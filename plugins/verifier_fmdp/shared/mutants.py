"""Bugs that FMDP-CH and FMDP-BF, and in part flat UCBVI-CH, can have."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, telling
from verifier_fmdp.model import Model
from verifier_fmdp.planning import Bonus, Optimistic
from verifier_fmdp.structure import Structure
from verifier_settings.factored import FactoredEnvironment, FactoredPlan

# The bonus -------------------------------------------------------------------------------------------------------------------


class NoTransitionBonus(Optimistic):
    """The bonus of the transitions forgotten."""

    def transitions(self, h: int, following: Array, *about: object) -> Bonus:
        """Only what comes from two factors is reported."""
        bonus = super().transitions(h, following, *about)
        return Bonus(0.0 * bonus.factors, bonus.cross)


class NoRewardBonus(Optimistic):
    """The bonus of the rewards forgotten."""

    def rewards(self, model: Model) -> Array:
        """Rewards of 0."""
        return 0.0 * super().rewards(model)


class FirstFactorOnly(Optimistic):
    """Only one factor's bonus is added, though all are computed."""

    def total(self, rewards: Array, factors: Array) -> Array:
        """Total with the first factor alone."""
        return super().total(rewards, factors[:1])


class RewardsSummed(Optimistic):
    """The bonuses of the rewards summed where their mean belongs."""

    def total(self, rewards: Array, factors: Array) -> Array:
        """m times too much."""
        return super().total(len(rewards) * rewards, factors)


class EpisodesInLog(Optimistic):
    """K where T = KH belongs."""

    @property
    def log_transition(self) -> float:
        """Logarithm less ln H."""
        return super().log_transition - math.log(self.public.H)


class LogWithoutFactors(Optimistic):
    """The number of factors forgotten in the union bound."""

    @property
    def log_transition(self) -> float:
        """Logarithm less ln n."""
        return super().log_transition - math.log(self.public.n)


class LogWithoutCells(Optimistic):
    """The number of cells forgotten in that of the rewards."""

    @property
    def log_reward(self) -> Array:
        """Logarithms less ln X_i."""
        return super().log_reward - np.log(self.structure.cells_of_part)


class OffByOne(Optimistic):
    """N + 1 in the bonus of the transitions."""

    def transition_bonus(self, L: float, model: Model, *about: object) -> Bonus:
        """Bonus with one visit too many."""
        return super().transition_bonus(L, replace(model, visits=model.visits + 1.0), *about)  # type: ignore[safe-super]  # the algorithm's own


class SmallRadius(Optimistic):
    """phi_j without its factors 4."""

    def radius(self, model: Model, L: float) -> Array:
        """Half and a quarter."""
        return super().radius(model, L / 4)


# Optimism --------------------------------------------------------------------------------------------------------------------


class Pessimist(Optimistic):
    """The sign of the bonus flipped."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """min(H, mean - bonus)."""
        return super().optimistic(mean, -bonus)


class UnknownIsZero(Optimistic):
    """Q = 0 where a pair is not known."""

    def unknown(self) -> float:
        """Value 0, as arrays are made."""
        return 0.0


class Greedy(UnknownIsZero):
    """Bug: no optimism at all."""

    def optimistic(self, mean: Array, bonus: Array) -> Array:
        """min(H, mean)."""
        return super().optimistic(mean, 0.0 * bonus)


class KnownByUnion(Optimistic):
    """A pair is known where one factor was seen, as Algorithm 2 prints it."""

    def known(self, model: Model) -> BoolArray:
        """Mask of the pairs of which any factor was seen."""
        return np.asarray((model.at_factors(model.visits) > 0).any(axis=0))


# Estimates -------------------------------------------------------------------------------------------------------------------


class UnseenRewardIsZero(Optimistic):
    """Rhat_i = 0 where nothing was seen."""

    def unseen_reward(self) -> float:
        """Reward 0, as arrays are made."""
        return 0.0


class PairsInOtherOrder(Optimistic):
    """The cells of pairs looked up as if pairs were counted in Fortran order."""

    def scopes(self) -> Structure:
        """The cells of other pairs."""
        structure, sizes = super().scopes(), self.public.sizes
        order = np.arange(self.public.X).reshape(sizes, order="F").ravel()
        return replace(structure, transitions=structure.transitions[:, order])


class StatesInOtherOrder(Optimistic):
    """The factors of the next state read as if states were counted in Fortran order."""

    def scopes(self) -> Structure:
        """The values of other states."""
        structure, sizes = super().scopes(), self.public.state_sizes
        order = np.arange(self.public.S).reshape(sizes, order="F").ravel()
        return replace(structure, values=structure.values[:, order])


class NextScope(Optimistic):
    """Every factor is given the scope of the next one."""

    def scopes(self) -> Structure:
        """Scopes rotated, with the numbers of their cells."""
        structure = super().scopes()
        other = replace(
            self.public, transition_scopes=(*self.public.transition_scopes[1:], self.public.transition_scopes[0])
        )  # fmt: skip
        kept, self.public = self.public, other
        rotated = super().scopes()
        self.public = kept
        return replace(structure, transitions=rotated.transitions, transition_sizes=rotated.transition_sizes)


class UniformPrior(Optimistic):
    """Phat smoothed by one uniform phantom visit."""

    def kernel(self, transitions: Array, visits: Array) -> Array:
        """Laws (N(v) + 1/|S_j|) / (N + 1)."""
        support = self.structure.support
        return (transitions + np.repeat(1.0 / support, support)) / np.repeat(visits + 1.0, support)


class OneVisitMore(Optimistic):
    """Division by N + 1: rows of Phat sum to less than 1."""

    def kernel(self, transitions: Array, visits: Array) -> Array:
        """Laws N(v) / (N + 1)."""
        return super().kernel(transitions, visits + 1.0)


class PartsAveraged(Optimistic):
    """The parts of the reward averaged before they are learned, each then being taken for the mean."""

    def parts(self, rewards: Array) -> Array:
        """The mean, m times."""
        return np.broadcast_to(rewards.mean(axis=1, keepdims=True), rewards.shape)


class FirstStepOnly(Optimistic):
    """Only the first step of an episode is counted."""

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Learn one step."""
        super().learn(states[:2], actions[:1], rewards[:1])


class ForgetsLastStep(Optimistic):
    """The last step of an episode is not counted, as where `done` breaks the loop too early."""

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Learn all steps but the last."""
        super().learn(states[:-1], actions[:-1], rewards[:-1])


class StateForSuccessor(Optimistic):
    """s_h counted where s_{h+1} belongs."""

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Transitions to where they come from."""
        pairs = states[:-1] * self.public.A + actions
        self.counts.add(pairs, states[:-1], self.parts(rewards))


class ReplansInside(Optimistic):
    """Counts are updated and a new plan is made, and followed, after every step."""

    def play(self, env: FactoredEnvironment, plan: FactoredPlan, state: int) -> None:
        """Play with the newest plan."""
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, parts = env.step(action)
            self.learn(np.array([state, following]), np.array([action]), parts[None])
            plan, state = self.plan(), following


class PlaysAnother(Optimistic):
    """Another action than the plan's, always."""

    def play(self, env: FactoredEnvironment, plan: FactoredPlan, state: int) -> None:
        """The next action in place of each."""
        super().play(env, replace(plan, policy=(plan.policy + 1) % self.public.A), state)


class TiesByDraws(Optimistic):
    """Bug: ties are broken by a number the environment has drawn, greedy as ever, and no policy."""

    def run(self, env: FactoredEnvironment) -> Iterator[FactoredPlan]:
        """Run with an eye on the environment."""
        self.env = env
        yield from super().run(env)

    def greedy(self, Q: Array) -> IntArray:
        """The first or the last action of largest Q."""
        if self.env._draws[0] < 0.5:
            return super().greedy(Q)
        return self.public.A - 1 - super().greedy(Q[..., ::-1])


DIFFERS = {
    "forward-order": "0 instead of the formula",
    "terminal-value": "only at step = H + 1",
    "wrong-step-target": "the formula at step h + 1",
    "worst-action": "only at s = 0",
    "no-clip": "without the cut at H",
    "negative-bonus": "− CB for + CB",
    "unknown-is-zero": "0 for H where not known",
    "counts-twice": "2 times the formula",
    "one-episode-late": "the formula of the plan before",
    "first-step-only": "of the first step alone",
    "forgets-last-step": "without the last step of each episode",
    "state-for-successor": "of the states that are left",
    "episodes-in-log": "with K for T in the logarithm",
    "narrow-bonus": "0.0005 times the formula",
    "disobedient": "at one episode in 7",
    "plays-another": "everywhere",
    "plans-every-other": "at one episode in 2: not planned",
    "replans-inside": "planned more than once",
    "boastful": "the formula + 0.25",
}
"""Words that the sentence about the difference has to have, by bug."""

SUMS = ("counts.rewards", "counts.squares")
COUNTS = ("counts.transitions", "counts.reward_visits")


def planning_mutants(algorithm: type[Optimistic]) -> tuple[Mutant, ...]:
    """Bugs of planning and play, for any structure."""
    mutant = partial(plant, algorithm)
    forward, terminal = bugs.returns("steps", lambda steps: sorted(steps)), bugs.returns("initial_values", lambda V: V + 1.0)
    return telling(
        (
            mutant("forward-order", "steps planned from first to last", forward, ("width-target",)),
            mutant("terminal-value", "V after the last step is not 0", terminal, ("value-function",)),
            mutant("wrong-step-target", "V_{h+2} in the backup", bugs.wrong_step("target"), ("width-target", "q-formula")),
            mutant("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=-1), ("greedy",)),
            mutant("no-clip", "Q not cut at H", bugs.unclipped("optimistic"), ("q-formula", "value-range")),
            mutant("negative-bonus", "the sign of the bonus flipped", Pessimist, ("q-formula",)),
            mutant("unknown-is-zero", "Q = 0 where a pair is not known", UnknownIsZero, ("q-formula",)),
            mutant("greedy", "no bonus, and Q = 0 where a pair is not known", Greedy, ("q-formula",)),
            mutant("counts-twice", "every episode counted twice", bugs.twice("learn"), ("q-formula",)),
            mutant("single-sums", "sums of rewards in 32 bits", bugs.kept_in(np.float32, "learn", *SUMS), ("q-formula",)),
            mutant("half-sums", "sums of rewards in 16 bits", bugs.kept_in(np.float16, "learn", *SUMS), ("q-formula",)),
            mutant("half-counts", "counts in 16 bits", bugs.kept_in(np.float16, "learn", *COUNTS), ("q-formula",),
                shown_on=("long-sums",)),
            mutant("one-episode-late", "the last episode not used", bugs.one_late("learn"), ("q-formula",)),
            mutant("first-step-only", "one step of an episode counted", FirstStepOnly, ("q-formula",)),
            mutant("forgets-last-step", "the last step not counted", ForgetsLastStep, ("q-formula",)),
            mutant("state-for-successor", "s_h counted for s_{h+1}", StateForSuccessor, ("q-formula",)),
            mutant("episodes-in-log", "K for T in the logarithm", EpisodesInLog, ("q-formula",)),
            mutant("narrow-bonus", "the logarithms divided by 2000", bugs.scaled_width(lambda public: 1 / 2000), ("width",)),
            mutant("disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",)),
            mutant("ties-by-draws", "ties fall by the number that the next state is drawn with", TiesByDraws, ("no-foresight",)),
            mutant("plays-another", "always plays another action", PlaysAnother, ("plays-policy",)),
            mutant("plans-every-other", "plans in every other episode", bugs.plans_every_other(), ("plans-every-episode",)),
            mutant("replans-inside", "plans again after every step", ReplansInside, ("plans-every-episode",)),
            mutant("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25),
                ("q-formula", "value-function")),
        ),
        DIFFERS,
    )  # fmt: skip


LINES = {
    "counts-twice": ("visits", "reward-visits", "transition-bonus", "reward-bonus"),
    "one-episode-late": ("visits", "reward-visits", "kernel", "rewards"),
    "single-sums": ("rewards",),
    "half-sums": ("rewards",),
    "half-counts": ("visits", "reward-visits", "kernel"),
    "first-step-only": ("visits", "reward-visits"),
    "forgets-last-step": ("visits", "reward-visits"),
    "state-for-successor": ("kernel",),
    "episodes-in-log": ("cross-term", "transition-bonus"),
}
"""Lines that bugs of planning break, in an algorithm that reports its model."""

BEYOND = {
    "unknown-is-zero": ("optimism",),
    "negative-bonus": ("optimism",),
    "greedy": ("optimism",),
    "narrow-bonus": ("reward-width",),
}
"""Claims that also show some of them there."""


FACTORED = {
    "no-transition-bonus": "0 for ",
    "no-reward-bonus": "0 for √(2",
    "first-factor-only": "of the first factor alone",
    "rewards-summed": "m times (1/m)Σ CB^R_i",
    "log-without-factors": "without the number of factors in the logarithm",
    "log-without-cells": "without the cells in the logarithm",
    "off-by-one": "with N + 1 for N",
    "known-by-union": "the formula + 1",
    "unseen-reward-zero": "0 for 1 where not N_i > 0",
    "pairs-in-other-order": "where pairs are numbered in the other order",
    "states-in-other-order": "next states are numbered in the other order",
    "next-scope": "the scope of the next factor",
    "uniform-prior": "smoothed by one uniform visit",
    "one-visit-more": "N_j + 1 for N_j",
    "parts-averaged": "the mean of all parts",
}
"""Words that the sentence about the difference has to have, by bug."""


def factored_mutants(algorithm: type[Optimistic]) -> tuple[Mutant, ...]:
    """Bugs planted in an algorithm that learns factor by factor and reports its model."""
    mutant = partial(plant, algorithm)
    general = (
        replace(one, caught_by=tuple(name for name in one.caught_by if name != "q-formula" or one.name not in LOCALISED))
        for one in planning_mutants(algorithm)
    )
    return telling(
        (
            *(replace(one, caught_by=(*LINES.get(one.name, ()), *one.caught_by, *BEYOND.get(one.name, ()))) for one in general),
            mutant("no-transition-bonus", "CB^P forgotten", NoTransitionBonus, ("transition-bonus", "transition-coverage")),
            mutant("no-reward-bonus", "CB^R forgotten", NoRewardBonus, ("reward-bonus", "reward-coverage")),
            mutant("first-factor-only", "the bonus of one factor added", FirstFactorOnly, ("q-formula",)),
            mutant("rewards-summed", "bonuses of rewards summed", RewardsSummed, ("q-formula",)),
            mutant("log-without-factors", "n forgotten in L^P", LogWithoutFactors, ("cross-term", "transition-bonus")),
            mutant("log-without-cells", "X_i forgotten in L^R_i", LogWithoutCells, ("reward-bonus",)),
            mutant("off-by-one", "N + 1 in CB^P", OffByOne, ("cross-term", "transition-bonus")),
            mutant("small-radius", "phi without its factors 4", SmallRadius, ("cross-term",)),
            mutant("known-by-union", "known where one factor was seen", KnownByUnion, ("known", "q-formula")),
            mutant("unseen-reward-zero", "Rhat = 0 where nothing was seen", UnseenRewardIsZero, ("rewards", "q-formula")),
            mutant("pairs-in-other-order", "cells of pairs in Fortran order", PairsInOtherOrder, ("visits", "kernel")),
            mutant("states-in-other-order", "next states in Fortran order", StatesInOtherOrder, ("kernel", "q-formula")),
            mutant("next-scope", "scopes of other factors", NextScope, ("visits", "kernel")),
            mutant("uniform-prior", "Phat smoothed", UniformPrior, ("kernel", "q-formula")),
            mutant("one-visit-more", "division by N + 1", OneVisitMore, ("kernel", "q-formula")),
            mutant("parts-averaged", "parts of the reward averaged first", PartsAveraged, ("rewards", "q-formula")),
        ),
        FACTORED,
    )


LOCALISED = ("counts-twice", "episodes-in-log")
"""Bugs that are wrong in the bonus alone, from which Q follows as it should."""
