"""Bugs planted in RLSVI. Those of its estimates, and of when it plans, are here."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_reference.rlsvi.noise_mutants import (
    BetaOfPerturbedRewards,
    Clipped,
    CoinNoise,
    FirstEpisode,
    NoHalf,
    NoiseAtFirstStep,
    NoiseForever,
    NoiseOfActions,
    NoiseOfStates,
    NoiseOfTheEpisode,
    NoiseTwice,
    OneSided,
    PerVisit,
    SameForAll,
    SilentNoise,
    SilentWhereUnseen,
    StepsForEpisodes,
    Subtracted,
    UniformNoise,
    VisitsAlone,
    VisitsOfAllSteps,
    VisitsOfStates,
    WithoutStates,
)
from verifier_reference.shared.mutants import value_mutants
from verifier_reference.shared.step_mutants import LastStepForgotten, NeverLearns, RewardForgotten, StateForSuccessor
from verifier_settings.episodic import EpisodicPlan


class PlainReward(RLSVI):
    """The mean of the rewards, not regularised."""

    def reward(self, visits: Array) -> Array:
        """n for n + 1."""
        return super().reward(np.maximum(visits, 1.0) - 1.0)


class PlainKernel(RLSVI):
    """Frequencies, not regularised."""

    def kernel(self, visits: Array) -> Array:
        """n for n + 1."""
        return super().kernel(np.maximum(visits, 1.0) - 1.0)


class UniformRest(RLSVI):
    """Bug: what a row lacks is spread over all states."""

    def kernel(self, visits: Array) -> Array:
        """Rows (n(y) + 1/S) / (n + 1)."""
        return super().kernel(visits) + 1.0 / self.public.S / (visits + 1.0)[..., None]


class Pooled(RLSVI):
    """Data of all steps together, as if all had the same laws."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Learn the step at each h."""
        for step in range(self.public.H):
            super().learn(step, state, action, reward, following)


class RewardKnown(RLSVI):
    """The mean rewards of the problem in place of estimates."""

    def reward(self, visits: Array) -> Array:
        """Rewards r as they are, without regularisation."""
        return np.broadcast_to(self.public.reward, (self.public.H, visits[0].size)).reshape(visits.shape)


class LastReward(RLSVI):
    """The last reward in place of the sum."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        """Learn a step, and forget the rewards before."""
        self.earned[h, state, action] = 0.0
        super().learn(h, state, action, reward, following)


class ReplansWhileActing(RLSVI):
    """New noise after every step, and the policy of that from there on."""

    def play(self, env: object, plan: EpisodicPlan, state: int) -> None:
        """The plan yielded is that of the first step alone."""
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)  # type: ignore[attr-defined]  # the episodic environment
            self.learn(h, state, action, reward, following)
            state, plan = following, self.plan()


_mutant = partial(plant, RLSVI)
_LAW, _COUNTS = ("noise-law",), ("visits",)
DIFFERS = {
    "boastful": "the formula + 0.25",
    "no-noise": "closer to no noise",
    "half-noise": "closer to half of the deviation",
    "variance-for-deviation": "closer to the variance for the deviation",
    "visits-alone": "closer to n for n + 1",
    "per-visit": "1/(n + 1) for its root",
    "same-for-all": "a deviation that does not fall with n",
    "visits-of-states": "n(h,s) for n(h,s,a)",
    "visits-of-all-steps": "n(s,a) for n(h,s,a)",
    "silent-where-unseen": "no noise where nothing was seen",
    "first-episode": "beta_1 for beta_k",
    "steps-for-episodes": "kH for k in beta",
    "beta-of-rewards": "half of the deviation",
    "without-states": "beta without S",
    "no-half": "2 beta for beta",
    "noise-forever": "the numbers of the plan before",
    "noise-twice": "the numbers of the plan before",
    "noise-of-the-episode": "the numbers of the step before",
    "noise-of-states": "the numbers of the action before",
    "noise-of-actions": "the numbers of the state before",
    "one-sided": "the absolute value of the noise",
    "uniform-noise": "uniform noise",
    "coin-noise": "noise of two values",
    "noise-at-first-step": "noise at the first step alone",
    "clipped": "it fails: H",
    "last-step-forgotten": "only at h = H",
    "learns-twice": "2 times the formula",
    "narrow-noise": "0.100 times the formula",
    "never-learns": "0 instead of the formula",
    "one-step-late": "the formula at the previous plan",
    "plain-kernel": "without 1",
    "plain-reward": "without 1",
    "pooled": "the visits at any step",
    "reward-known": "everywhere: r",
    "silent-noise": "without noise",
    "state-for-successor": "the states that are left",
    "subtracted": "− noise for + noise",
    "uniform-rest": "+ 0.2 for n_h(s,a,s′)",
}
"""Words that the sentence about the difference has to have, by bug."""

MUTANTS = telling(
    (
        *value_mutants(RLSVI),
        _mutant("no-noise", "no noise at all", bugs.scaled("deviation", 0.0), ("noise-law", "stochastic-optimism")),
        _mutant("half-noise", "half the standard deviation", bugs.scaled("deviation", 0.5), _LAW),
        _mutant("variance-for-deviation", "the square root forgotten", bugs.squared("deviation"), _LAW),
        _mutant("narrow-noise", "the factor of the noise a tenth", bugs.scaled_width(lambda public: 0.1), ("width",)),
        _mutant("visits-alone", "n for n + 1 in the noise", VisitsAlone, _LAW),
        _mutant("per-visit", "1/(n+1) for its root", PerVisit, _LAW),
        _mutant("same-for-all", "noise that does not fall with n", SameForAll, _LAW),
        _mutant("visits-of-states", "n(h,s) for n(h,s,a)", VisitsOfStates, _LAW),
        _mutant("visits-of-all-steps", "n(s,a) for n(h,s,a)", VisitsOfAllSteps, _LAW),
        _mutant("silent-where-unseen", "no noise where nothing was seen", SilentWhereUnseen, _LAW),
        _mutant("first-episode", "beta_1 for beta_k", FirstEpisode, _LAW),
        _mutant("steps-for-episodes", "kH for k in the logarithm", StepsForEpisodes, _LAW),
        _mutant("beta-of-rewards", "H^2 for H^3", BetaOfPerturbedRewards, _LAW),
        _mutant("without-states", "the S of beta forgotten", WithoutStates, _LAW),
        _mutant("no-half", "the 1/2 of beta forgotten", NoHalf, _LAW),
        _mutant("noise-forever", "the same numbers in each episode", NoiseForever, _LAW),
        _mutant("noise-twice", "the same numbers in two episodes", NoiseTwice, _LAW),
        _mutant("noise-of-the-episode", "the same numbers at each step", NoiseOfTheEpisode, _LAW),
        _mutant("noise-of-states", "the same number for all actions", NoiseOfStates, _LAW),
        _mutant("noise-of-actions", "the same number for all states", NoiseOfActions, _LAW),
        _mutant("one-sided", "the absolute value of the noise", OneSided, _LAW),
        _mutant("uniform-noise", "uniform noise", UniformNoise, _LAW),
        _mutant("coin-noise", "noise of two values", CoinNoise, _LAW),
        _mutant("noise-at-first-step", "noise at the first step only", NoiseAtFirstStep, _LAW),
        _mutant("silent-noise", "noise drawn and not added", SilentNoise, ("q-formula", "comparison")),
        _mutant("subtracted", "noise with the other sign", Subtracted, ("q-formula",)),
        _mutant("clipped", "values cut at H", Clipped, ("q-formula",)),
        _mutant("replans-while-acting", "new noise after every step", ReplansWhileActing, ("plays-policy",)),
        _mutant("plain-reward", "n for n + 1 in the reward", PlainReward, ("reward",)),
        _mutant("plain-kernel", "n for n + 1 in the kernel", PlainKernel, ("kernel",)),
        _mutant("uniform-rest", "what a row lacks spread over all states", UniformRest, ("kernel",)),
        _mutant("pooled", "data of all steps together", Pooled, _COUNTS),
        _mutant("reward-forgotten", "rewards not learned", RewardForgotten, ("reward",)),
        _mutant("reward-known", "the true reward for its estimate", RewardKnown, ("reward",)),
        _mutant("last-reward", "the last reward for the sum", LastReward, ("reward",)),
        _mutant("state-for-successor", "s_h for s_{h+1}", StateForSuccessor, ("kernel",)),
        _mutant("last-step-forgotten", "the last step not learned", LastStepForgotten, _COUNTS),
        _mutant("never-learns", "nothing learned", NeverLearns, ("visits", "visit-sum")),
        _mutant("learns-twice", "every step learned twice", bugs.twice("learn"), _COUNTS),
        _mutant("half-the-data", "every other step forgotten", bugs.every_other("learn"), _COUNTS),
        _mutant("single-sums", "sums of rewards in 32 bits", bugs.kept_in(np.float32, "learn", "earned"), ("reward",)),
        _mutant("half-sums", "sums of rewards in 16 bits", bugs.kept_in(np.float16, "learn", "earned"), ("reward",)),
        _mutant("one-step-late", "a step is learned after the next one", bugs.one_late("learn"), _COUNTS),
    ),
    DIFFERS,
)
