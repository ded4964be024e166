"""Sentences on mistakes in agents of many settings that general mechanisms tell: brackets, axes, repeats, other divergences."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.power.unseen.bug import Unseen
from tests.power.unseen.bugs import run
from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier_bandits.kl_ucb.algorithm import KLUCB
from verifier_bandits.oful.algorithm import OFUL
from verifier_bandits.thompson.algorithm import ThompsonSampling
from verifier_cvar.ela.algorithm import ELA
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_reference.psrl.algorithm import PSRL
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_reference.ucb_bernstein.algorithm import C1, BernsteinQLearning
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_reference.ucrl_vtr.algorithm import UCRLVTR
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards


class TwoLogarithms(UCRL2):
    """The factor 2 stands beside the logarithm."""

    def radius(self, visits: Array) -> Array:
        public = self.public
        return np.sqrt(14 * public.S * 2 * math.log(public.A * self.time() / public.delta) / visits)


class BracketInLogarithm(RFUCRL):
    """The divisor is that of the sum."""

    def states(self, n: Array) -> Array:
        others = self.public.S - 1
        return np.asarray(others * np.log(math.e * (1 + n) / max(others, 1)))


class TwoRoots(UCRLVTR):
    """Each term has a root of its own."""

    def radius(self, gram: Array) -> float:
        chance = math.sqrt(2 * math.log(1 / self.public.delta))
        return self.bias() + self.deviation() * (chance + math.sqrt(self.growth(gram)))


class MeanOfTasks(UCBlvd):
    """The reward of a task is the mean of all."""

    def reward(self, h: int) -> Array:
        rewards = self.public.reward[h]
        return np.broadcast_to(rewards.mean(axis=-1, keepdims=True), rewards.shape)


class RewardOfStepBefore(UCBlvd):
    """The index of the step is one too small, and -1 at the first."""

    def reward(self, h: int) -> Array:
        return np.asarray(self.public.reward[h - 1])


class LastReward(ThompsonSampling):
    """The number of successes is overwritten."""

    def learn(self, arm: int, reward: float) -> None:
        self.visits[arm] += 1.0
        self.earned[arm] = reward


class RepeatsOfPairs(HoeffdingUCBVI):
    """``x[i] += 1`` counts one of several."""

    def learn(self, states: IntArray, actions: IntArray) -> None:
        self.transitions[states[:-1], actions, states[1:]] += 1.0
        self.arrivals[np.arange(len(states)), states] += 1.0


class RepeatsOfCells(FMDPCH):
    """FMDP-CH whose cells of scopes count one of several visits of an episode."""

    def learn(self, states: IntArray, actions: IntArray, rewards: Array) -> None:
        counts, structure = self.counts, self.structure
        before = counts.transitions.copy()
        super().learn(states, actions, rewards)
        pairs = states[:-1] * self.public.A + actions
        entries = structure.first[structure.transitions[:, pairs]] + structure.values[:, states[1:]]
        before[entries] += 1.0
        counts.transitions = before


class OwnRounds(KLUCB):
    """The level is that of the plays of the arm."""

    def indices(self, mean: Array, width: float, n: float, N: Array) -> Array:
        levels = width * np.maximum(np.log(N + 1) + 3 * np.log(np.log(N + 1)), 0.0) / N
        found = [self.search(p, level) for p, level in zip(mean.clip(0.0, 1.0).tolist(), levels.tolist(), strict=True)]
        return np.array(found)


class OtherDivergence(KLUCB):
    """The arguments are exchanged."""

    def divergence(self, p: float, q: float) -> float:
        return super().divergence(q, min(max(p, 1e-300), 1 - 1e-16))


class LargerArm(BernsteinQLearning):
    """One arm of a minimum is so large that the other one is taken: nothing tells what is wrong with it."""

    def first_arm(self, t: float, variance: float, iota: float) -> float:
        H, S, A = self.public.H, self.public.S, self.public.A
        return C1 * (math.sqrt(H * (variance + H) * iota / t) + math.sqrt(H**7 * S * A * iota) / t)


class MeanWithoutSquare(BernsteinUCBVI):
    """The variance has the mean, not its square."""

    def spread(self, visits: Array, kernel: Array, following: Array) -> Array:
        variance = np.maximum(kernel @ following**2 - kernel @ following, 0.0)
        return np.sqrt(8 * self.L * variance / visits)


class ExchangedStates(PSRL):
    """A transition is counted as if it went back."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        self.posterior[following * self.public.A + action, state] += 1.0


class RewardOfAllActions(RLSVI):
    """What a step paid is added at all actions of the state."""

    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        self.earned[h, state] += reward
        self.transitions[h, state, action, following] += 1.0


class OtherLevel(KLUCB):
    """Another function of the round stands for the level of confidence."""

    def level(self, t: float) -> float:
        return 1.5 * math.sqrt(math.log(1 + t)) + 2.0


class RootOfOneTerm(UCRLVTR):
    """The factor is that of one of two roots."""

    def radius(self, gram: Array) -> float:
        chance = math.sqrt(2 * math.log(1 / self.public.delta))
        return self.bias() + self.deviation() * chance + math.sqrt(self.growth(gram))


class DiscountedTwice(MixtureRaviUCB):
    """The target of the regression is discounted."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        met = self.phi[np.asarray(rows)]
        self.gram = self.gram + met.T @ met
        self.moment = self.moment + self.public.gamma * V[np.asarray(successors)] @ met


class PairsOnce(ELA):
    """Every pair that was seen counts once."""

    def covariance(self, phi: Array, h: int) -> Array:
        seen = (self.D[h].sum(axis=1) > 0).astype(float)
        return np.asarray((phi.T * seen) @ phi + self.ridge() * np.eye(self.public.d))


class RewardCutAtOne(UCBlvdUnknownRewards):
    """The optimistic reward is cut at 1."""

    def reward(self, h: int) -> Array:
        return np.minimum(super().reward(h), 1.0)


class TakenFromBest(UCRL2):
    """Mass is taken from the second best state on, since all states but the best one stand in the other order."""

    def best(self, kernel: Array, radius: Array, order: IntArray) -> Array:
        return super().best(kernel, radius, np.concatenate([order[:1], order[:0:-1]]))


class InnerProduct(OFUL):
    """The number x'x is added to every entry of the matrix."""

    def learn(self, x: Array, reward: float) -> None:
        self.gram = self.gram + x @ x
        self.moment = self.moment + reward * x


class GreedyAfterCut(LSVIRFE):
    """The action is that of largest min(Q, H)."""

    def greedy(self, Q: Array) -> IntArray:
        return np.asarray(np.minimum(Q, float(self.public.H)).argmax(axis=-1))


BUGS: dict[str, tuple[type[Algorithm], str, str, str]] = {
    "P̂V²_{h+1} − P̂V_{h+1} for Var_P̂(V_{h+1}).": (MeanWithoutSquare, "bonus-formula", "random", "scaled(0.03)"),
    "the formula with s and s′ exchanged.": (ExchangedStates, "posterior", "random", "published"),
    "Σ r with the rewards of the state, whatever the action.": (RewardOfAllActions, "reward", "random", "published"),
    "another L, all else as in the formula (at 1450 of 1451 places).": (OtherLevel, "index-formula", "bandit-five", "published"),
    "H / 2 · √(2 · ln(1 / δ)) + √G for H / 2 · √(2 · ln(1 / δ) + G) in noise.": (
        RootOfOneTerm,
        "radius-formula",
        "mixture-random",
        "published",
    ),
    "Everywhere: γ times the formula.": (DiscountedTwice, "regression", "mixture-base", "published"),
    "Σφ̂φ̂ᵀ with every pair that was seen counted once.": (PairsOnce, "covariance", "low-rank", "published"),
    "⟨η̂_h, ψ⟩ + β̃ · ‖ψ‖ cut at 1.": (RewardCutAtOne, "q-formula", "onehot", "published"),
    "p·V_{h+1}, taken from the best states first, for max_p p·V_{h+1}.": (TakenFromBest, "q-formula", "random", "scaled(0.03)"),
    "the formula with xᵀx, a number, in every entry for xxᵀ.": (InnerProduct, "gram", "linear-bandit-random", "published"),
    "greedy for Q cut at H.": (GreedyAfterCut, "greedy", "simplex", "oracle"),
    "2 · ln(At / δ) for ln(2At / δ) in d.": (TwoLogarithms, "radius-formula", "random", "scaled(0.03)"),
    "(1 + N_h) / max(S − 1, 1) for 1 + N_h / max(S − 1, 1) in β.": (BracketInLogarithm, "bonus-formula", "random", "published"),
    "√(2 · ln(1 / δ)) + √G for √(2 · ln(1 / δ) + G) in noise.": (TwoRoots, "radius-formula", "mixture-random", "published"),
    "the mean of r_h over all w.": (MeanOfTasks, "q-formula", "later-representatives", "scaled(0.03)"),
    "r_h of step h − 1, the last for the first.": (RewardOfStepBefore, "q-formula", "onehot", "scaled(0.03)"),
    "Σr with the last reward for the sum.": (LastReward, "successes", "bandit-five", "published"),
    "N where of several in one episode one is counted.": (RepeatsOfPairs, "visits", "random", "scaled(0.03)"),
    "N_j where of several in one episode one is counted.": (RepeatsOfCells, "visits", "overlap", "published"),
    "N + 1 for t.": (OwnRounds, "index-formula", "bandit-five", "published"),
    "d(U, x̄) for d(x̄, U).": (OtherDivergence, "index-formula", "bandit-five", "published"),
    "√(H⁷ · S · A) · width / t) is less in β_t.": (LargerArm, "beta", "random", "scaled(1e-06)"),
}
"""What is told: of which algorithm and claim, and on which instance in which regime."""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("told", BUGS)
def test_the_cause_is_told(told: str) -> None:
    algorithm, line, instance, regime = BUGS[told]
    entry = run(Unseen("general", algorithm, (line,), "", "", instance, regime))
    assert not entry.errors
    assert line in entry.first_broken
    (broken,) = (claim for claim in entry.claims if claim.name == line)
    assert broken.difference.endswith(told)


def test_the_line_of_code_is_of_no_other_agent() -> None:
    """A module that has several agents, as this one has: KL-UCB has no method of the name of the claim, and OFUL has."""
    entry = run(Unseen("general", OtherLevel, ("index-formula",), "", "", "bandit-five", "published"))
    (broken,) = (claim for claim in entry.claims if claim.name == "index-formula")
    assert "oful" not in broken.code
