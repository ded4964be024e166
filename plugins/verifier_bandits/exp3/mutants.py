"""Bugs planted in EXP3."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant
from verifier_bandits.exp3.algorithm import EXP3
from verifier_bandits.shared.mutants import NeverLearns, RewardForgotten, RewardTurned
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan

# Exploration ------------------------------------------------------------------------------------------------------------


class LogHorizon(EXP3):
    """ln K for ln A."""

    def exploration(self) -> float:
        """sqrt(A ln K / ((e - 1) K))."""
        A, K = self.public.A, self.public.K
        return min(1.0, math.sqrt(A * math.log(K) / ((math.e - 1) * K)))


class CommonLog(EXP3):
    """The logarithm to the base 2."""

    def exploration(self) -> float:
        """sqrt(A log2 A / ((e - 1) K))."""
        A, K = self.public.A, self.public.K
        return min(1.0, math.sqrt(A * math.log2(A) / ((math.e - 1) * K)))


class NoRoot(EXP3):
    """The root forgotten."""

    def exploration(self) -> float:
        """Ratio A ln A / ((e - 1) K)."""
        A, K = self.public.A, self.public.K
        return min(1.0, A * math.log(A) / ((math.e - 1) * K))


class WholeE(EXP3):
    """e for e - 1."""

    def exploration(self) -> float:
        """sqrt(A ln A / (e K))."""
        A, K = self.public.A, self.public.K
        return min(1.0, math.sqrt(A * math.log(A) / (math.e * K)))


class OneFewer(EXP3):
    """A - 1 for A."""

    def exploration(self) -> float:
        """sqrt((A - 1) ln A / ((e - 1) K))."""
        A, K = self.public.A, self.public.K
        return min(1.0, math.sqrt((A - 1) * math.log(A) / ((math.e - 1) * K)))


class NoArms(EXP3):
    """The number of arms forgotten before the logarithm."""

    def exploration(self) -> float:
        """sqrt(ln A / ((e - 1) K))."""
        A, K = self.public.A, self.public.K
        return min(1.0, math.sqrt(math.log(A) / ((math.e - 1) * K)))


class AtMostHalf(EXP3):
    """1/2 for 1."""

    def exploration(self) -> float:
        """min{1/2, sqrt(A ln A / ((e - 1) K))}."""
        return min(0.5, super().exploration())


class RoundForHorizon(EXP3):
    """The number of the round for that of all rounds."""

    rounds = 0

    def plan(self) -> EpisodicPlan:
        """The plan with a gamma of its own."""
        self.rounds += 1
        A = self.public.A
        self.gamma = min(1.0, math.sqrt(A * math.log(A) / ((math.e - 1) * self.rounds)))
        return super().plan()


# The mixture ------------------------------------------------------------------------------------------------------------


class NoExploration(EXP3):
    """Gamma left out of the mixture."""

    def mixed(self, share: Array) -> Array:
        """w_i / sum w."""
        return share


class OnlyExploration(EXP3):
    """The uniform law."""

    def mixed(self, share: Array) -> Array:
        """Probability 1 / A."""
        return np.full(len(share), 1.0 / len(share))


class MixedTheOtherWay(EXP3):
    """Gamma and 1 - gamma change places."""

    def mixed(self, share: Array) -> Array:
        """gamma w_i / sum w + (1 - gamma) / A."""
        return self.gamma * share + (1 - self.gamma) / len(share)


class WholeGamma(EXP3):
    """Gamma for gamma / A, and then divided by the sum."""

    def mixed(self, share: Array) -> Array:
        """w_i / sum w + gamma, in proportion."""
        chances = (1 - self.gamma) * share + self.gamma
        return np.asarray(chances / chances.sum())


class NotReduced(EXP3):
    """The share of weights not multiplied by 1 - gamma, and then divided by the sum."""

    def mixed(self, share: Array) -> Array:
        """w_i / sum w + gamma / A, in proportion."""
        chances = share + self.gamma / len(share)
        return np.asarray(chances / chances.sum())


class BestOrAny(EXP3):
    """The arm of largest weight with probability 1 - gamma, and any arm with gamma."""

    def mixed(self, share: Array) -> Array:
        """Exploration of epsilon-greedy."""
        return super().mixed(np.eye(len(share))[share.argmax()])


class SquaredShares(EXP3):
    """Shares of the squares of the weights."""

    def mixed(self, share: Array) -> Array:
        """The mixture of the shares of w_i^2."""
        return super().mixed(share**2 / (share**2).sum())


# Estimates --------------------------------------------------------------------------------------------------------------


class NotWeighted(EXP3):
    """The estimate is the reward, not divided by its probability."""

    def estimated(self, arm: int, reward: float) -> Array:
        """x for the arm that was played."""
        return np.eye(self.public.A)[arm] * reward


class ByShare(EXP3):
    """Divided by the share of the weight, without exploration."""

    def estimated(self, arm: int, reward: float) -> Array:
        """x over w_i / sum w."""
        return np.eye(self.public.A)[arm] * reward / self.shares(self.weights)[arm]


class StaleChance(EXP3):
    """Divided by the probability of the round before."""

    old: Array | None = None

    def estimated(self, arm: int, reward: float) -> Array:
        """x over p_i(t - 1)."""
        chances = self.chances if self.old is None else self.old
        self.old = self.chances.copy()
        return np.eye(self.public.A)[arm] * reward / chances[arm]


class LargestChance(EXP3):
    """Divided by the largest probability."""

    def estimated(self, arm: int, reward: float) -> Array:
        """x over max p."""
        return np.eye(self.public.A)[arm] * reward / self.chances.max()


class AllArms(EXP3):
    """The reward over their probabilities for all arms."""

    def estimated(self, arm: int, reward: float) -> Array:
        """Estimates x / p_i."""
        return reward / self.chances


class LastArm(EXP3):
    """The arm of the round before is given the reward."""

    last = 0

    def estimated(self, arm: int, reward: float) -> Array:
        """x / p_i of another arm."""
        other, self.last = self.last, arm
        return super().estimated(other, reward)


class FirstArm(EXP3):
    """The first arm is given all rewards."""

    def estimated(self, arm: int, reward: float) -> Array:
        """x / p_1 of the first arm."""
        return super().estimated(0, reward)


class Clipped(EXP3):
    """Estimates cut at 1."""

    def estimated(self, arm: int, reward: float) -> Array:
        """min(x / p_i, 1)."""
        return np.minimum(super().estimated(arm, reward), 1.0)


class ImplicitExploration(EXP3):
    """Gamma added to the probability, as in Exp3-IX."""

    def estimated(self, arm: int, reward: float) -> Array:
        """x / (p_i + gamma)."""
        return np.eye(self.public.A)[arm] * reward / (self.chances[arm] + self.gamma)


class LossBased(EXP3):
    """Estimates of rewards from those of losses: 1 for arms that were not played."""

    def estimated(self, arm: int, reward: float) -> Array:
        """1 - (1 - x) / p_i for the arm that was played, 1 for the others."""
        return 1.0 - super().estimated(arm, 1.0 - reward)


# Weights ----------------------------------------------------------------------------------------------------------------


class NotPerArm(EXP3):
    """Number of arms left out of the exponent."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i exp(gamma estimate_i)."""
        return super().updated(weights, estimate * self.public.A)


class OtherArms(EXP3):
    """A - 1 for A in the exponent."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i exp(gamma estimate_i / (A - 1))."""
        A = self.public.A
        return super().updated(weights, estimate * A / max(A - 1, 1))


class NoRate(EXP3):
    """Gamma left out of the exponent."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i exp(estimate_i / A), which would overflow beyond."""
        grown = weights * np.exp(np.minimum(estimate / self.public.A, 500.0))
        return np.asarray(grown / grown.max())


class Falling(EXP3):
    """Weights fall with the estimates, as if these were losses."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i exp(-gamma estimate_i / A)."""
        return super().updated(weights, -estimate)


class FirstOrder(EXP3):
    """1 + z for exp(z)."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i (1 + gamma estimate_i / A)."""
        grown = weights * (1.0 + self.gamma * estimate / self.public.A)
        return np.asarray(grown / grown.max())


class Added(EXP3):
    """Weights that grow by a sum."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i + gamma estimate_i / A."""
        return weights + self.gamma * estimate / self.public.A


class FromChances(EXP3):
    """The weights start from the probabilities of the round: exploration is in them."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """p_i exp(gamma estimate_i / A)."""
        return super().updated(self.chances, estimate)


class Floored(EXP3):
    """Weights that are at least a tenth of the largest one, so that none vanishes."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """max(w_i, max w / 10)."""
        return np.maximum(super().updated(weights, estimate), 0.1)


class Forgetful(EXP3):
    """Weights that are forgotten a little in every round."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        """w_i^0.99 exp(gamma estimate_i / A)."""
        return super().updated(weights**0.99, estimate)


# Play -------------------------------------------------------------------------------------------------------------------


class Greedy(EXP3):
    """The likeliest arm is played."""

    def draw(self, chances: Array) -> int:
        """The first arm of largest probability."""
        return int(chances.argmax())


class Uniform(EXP3):
    """Any arm is played."""

    def draw(self, chances: Array) -> int:
        """An arm from the uniform law."""
        return int(self.rng.integers(len(chances)))


class DrawsFromShares(EXP3):
    """The arm is drawn from the shares of the weights; the probabilities with exploration are only divided by."""

    def draw(self, chances: Array) -> int:
        """An arm from w_i / sum w."""
        return super().draw(self.shares(self.weights))


class SeesRewards(EXP3):
    """Bug: another arm where the number that makes the reward is small, which is drawn when the round begins."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
        """Play the arm that was drawn only where it will pay much."""
        arm = (self.draw(self.chances) + int(env._row[-1] < 0.5)) % self.public.A
        _state, reward = env.step(arm)
        self.learn(arm, reward)


class SeesTable(EXP3):
    """Bug: another draw where the arm will pay nothing, as the table of the adversary says."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
        """Draw again where it pays nothing."""
        arm = self.draw(self.chances)
        if env._table is not None and env._table[env.episode, arm] < 0.5:
            arm = self.draw(self.chances)
        _state, reward = env.step(arm)
        self.learn(arm, reward)


_mutant = partial(plant, EXP3)
_GAMMA, _MIX, _ESTIMATE, _WEIGHTS, _DRAWN = ("gamma",), ("probabilities",), ("estimate-formula",), ("weights",), ("drawn-arms",)
MUTANTS = (
    _mutant("log-horizon", "ln K for ln A", LogHorizon, _GAMMA, differs="K for A"),
    _mutant("common-log", "the logarithm to the base 2", CommonLog, _GAMMA, differs="1/ln 2 times"),
    _mutant("no-root", "the root forgotten", NoRoot, _GAMMA, differs="without its root"),
    _mutant("whole-e", "e for e - 1", WholeE, _GAMMA),
    _mutant("one-fewer", "A - 1 for A", OneFewer, _GAMMA, differs="A − 1 for A"),
    _mutant("no-arms", "the A before ln A forgotten", NoArms, _GAMMA, differs="without the factor A"),
    _mutant("half-gamma", "half of gamma", bugs.scaled("exploration", 0.5), _GAMMA, differs="1/2 times the formula"),
    _mutant("at-most-half", "gamma is at most 1/2", AtMostHalf, _GAMMA),
    _mutant("round-for-horizon", "the number of the round for K", RoundForHorizon, _GAMMA, differs="k for K"),
    _mutant("no-exploration", "gamma left out of the mixture", NoExploration, (*_MIX, "largest-estimate"), differs="w/Σw"),
    _mutant("only-exploration", "the uniform law", OnlyExploration, _MIX),
    _mutant("mixed-the-other-way", "gamma and 1 - gamma change places", MixedTheOtherWay, _MIX),
    _mutant("whole-gamma", "gamma for gamma / A, over the sum", WholeGamma, _MIX),
    _mutant("not-reduced", "no factor 1 - gamma, over the sum", NotReduced, _MIX),
    _mutant("best-or-any", "the best arm or any", BestOrAny, _MIX),
    _mutant("squared-shares", "the squares of the weights", SquaredShares, _MIX),
    _mutant("not-weighted", "no division by p", NotWeighted, (*_ESTIMATE, "first-moment"), differs="without the divisor p"),
    _mutant("by-share", "divided by the share of the weight", ByShare, _ESTIMATE),
    _mutant(
        "stale-chance",
        "divided by the p of the round before",
        StaleChance,
        (*_ESTIMATE, "second-moment"),
        differs="p of the episode before",
    ),
    _mutant("largest-chance", "divided by the largest p", LargestChance, _ESTIMATE),
    _mutant("all-arms", "the reward counts for all arms", AllArms, _ESTIMATE),
    _mutant("last-arm", "the arm of the round before is given the reward", LastArm, _ESTIMATE),
    _mutant("first-arm", "the first arm is given all rewards", FirstArm, _ESTIMATE),
    _mutant("clipped", "estimates cut at 1", Clipped, _ESTIMATE),
    _mutant("implicit-exploration", "p + gamma for p", ImplicitExploration, _ESTIMATE),
    _mutant("loss-based", "estimates from those of losses", LossBased, _ESTIMATE),
    _mutant("reward-turned", "losses for rewards, 1 - x", RewardTurned, _ESTIMATE, differs="1 − x"),
    _mutant("reward-forgotten", "rewards are 0", RewardForgotten, _ESTIMATE, differs="everywhere: 0"),
    _mutant("one-round-late", "the last round not used", bugs.one_late("learn"), _ESTIMATE, differs="of the episode before"),
    _mutant(
        "half-the-data",
        "every other round forgotten",
        bugs.every_other("learn"),
        _ESTIMATE,
        differs="the formula of the episode before",
    ),
    _mutant("never-learns", "nothing is learned", NeverLearns, _ESTIMATE, differs="everywhere: 0"),
    _mutant("counts-twice", "every round learned twice", bugs.twice("learn"), _WEIGHTS, differs="2 times the formula"),
    _mutant("not-per-arm", "the exponent not divided by A", NotPerArm, _WEIGHTS, differs="without the divisor A"),
    _mutant("other-arms", "A - 1 for A in the exponent", OtherArms, _WEIGHTS, differs="A − 1 for A"),
    _mutant("no-rate", "gamma left out of the exponent", NoRate, _WEIGHTS, differs="without the factor γ"),
    _mutant("falling", "weights fall with the estimates", Falling, _WEIGHTS, differs="-1 times the formula"),
    _mutant("first-order", "1 + z for exp(z)", FirstOrder, _WEIGHTS),
    _mutant("added", "weights grow by a sum", Added, _WEIGHTS),
    _mutant("from-chances", "probabilities for weights in the update", FromChances, _WEIGHTS),
    _mutant("floored", "weights are at least a tenth of the largest", Floored, _WEIGHTS),
    _mutant("forgetful", "weights are forgotten a little", Forgetful, _WEIGHTS),
    _mutant("boastful", "reports larger weights than it uses", bugs.reports(Q=lambda Q: Q + 0.25), _WEIGHTS),
    _mutant("greedy", "the likeliest arm is played", Greedy, _DRAWN, differs="the likeliest arm in every round"),
    _mutant("uniform", "any arm is played", Uniform, _DRAWN, differs="closer to the uniform law"),
    _mutant(
        "draws-from-shares", "drawn without exploration", DrawsFromShares, _DRAWN, differs="closer to the shares of the weights"
    ),
    _mutant(
        "plans-every-other",
        "plans in every other round",
        bugs.plans_every_other(),
        ("plans-every-episode",),
        differs="not planned",
    ),
    _mutant("sees-rewards", "reads the number that the reward is drawn with", SeesRewards, ("no-foresight",)),
    _mutant("sees-table", "reads the rewards that were fixed", SeesTable, (*_DRAWN, "unbiased"), differs="looks at the rewards"),
)
