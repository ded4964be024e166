"""Bugs of Q-learning with the bonuses of Hoeffding and of Bernstein."""

from __future__ import annotations

import math

from verifier_reference.q_learning import At
from verifier_reference.ucb_bernstein.algorithm import C1, BernsteinQLearning
from verifier_reference.ucb_hoeffding.algorithm import C, HoeffdingQLearning
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan, Public

from .bug import Unseen


class RateOfEpisode(HoeffdingQLearning):
    def rate(self, t: float) -> float:
        k = float(self.visits[0].sum())  # the first step is learned first, so this episode is counted at all steps
        return (self.public.H + 1.0) / (self.public.H + k)


class ValueOfOwnState(HoeffdingQLearning):
    def learn(self, h: int, state: int, action: int, reward: float, following: int) -> None:
        super().learn(h, state, action, reward, state)


class SquaredHorizon(HoeffdingQLearning):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return C * math.sqrt(public.H**2 * math.log(public.S * public.A * public.T / public.delta))


class OldValueByMean(HoeffdingQLearning):
    def moved(self, Q: float, rate: float, target: float) -> float:
        t = (self.public.H + 1.0) / rate - self.public.H
        return (1.0 - 1.0 / t) * Q + rate * target


class PolicyOfNextStep(HoeffdingQLearning):
    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        H = self.public.H
        for h in range(H):
            action = int(plan.policy[min(h + 1, H - 1), state])
            following, reward = env.step(action)
            self.learn(h, state, action, reward, following)
            state = following


class NewestLeftOut(BernsteinQLearning):
    def variance(self, at: At, t: float) -> float:
        before = max(t - 1.0, 1.0)
        total, square = self.sums[at] - self.newest, self.squares[at] - self.newest**2
        return max(float(square / before - (total / before) ** 2), 0.0)

    def add(self, at: At, value: float) -> None:
        self.newest = value
        super().add(at, value)


class RateForRest(BernsteinQLearning):
    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        before, rate = float(self.betas[at]), float(self.rates[at])
        super().bonus(at, t, value, width)
        return float((self.betas[at] - rate * before) / (2.0 * rate))


class VarianceAlone(BernsteinQLearning):
    def first_arm(self, t: float, variance: float, iota: float) -> float:
        H, S, A = self.public.H, self.public.S, self.public.A
        return C1 * (math.sqrt(H * variance * iota / t) + math.sqrt(H**7 * S * A) * iota / t)


class RateNotDoubled(BernsteinQLearning):
    def bonus(self, at: At, t: float, value: float, width: float) -> float:
        return 2.0 * super().bonus(at, t, value, width)


BUGS = (
    Unseen(
        "rate-of-episode", RateOfEpisode, ("learning-rate",), "t in the learning rate",
        "the number k of the episode in place of t, the visits of the pair, in the learning rate", "anywhere",
    ),
    Unseen(
        "value-of-own-state", ValueOfOwnState, ("q-formula",), "V of what follows",
        "V_{h+1}(x_h) in place of V_{h+1}(x_{h+1}): the value of the state that was left", "anywhere", "oracle",
    ),
    Unseen(
        "squared-horizon", SquaredHorizon, ("width",), "H in the bonus",
        "H^2 in place of H^3 in the bonus", "few-long-episodes", factor=True,
    ),
    Unseen(
        "old-value-by-mean", OldValueByMean, ("q-formula",), "weight of the old Q",
        "the old Q is weighted with 1 - 1/t in place of 1 - alpha_t", "anywhere",
    ),
    Unseen(
        "policy-of-next-step", PolicyOfNextStep, ("plays-policy",), "policy played",
        "at step h the policy of step h + 1 is played, at all steps but the last", "anywhere", "oracle",
    ),
    Unseen(
        "newest-left-out", NewestLeftOut, ("variance",), "W",
        "the variance W_t leaves out the newest value: it is W_{t-1}", "short-jackpot", "oracle",
    ),
    Unseen(
        "rate-for-rest", RateForRest, ("bonus-formula",), "weight of the beta before",
        "alpha_t in place of 1 - alpha_t before beta_{t-1} in the bonus", "anywhere",
    ),
    Unseen(
        "rate-not-doubled", RateNotDoubled, ("bonus-formula",), "2 in the bonus",
        "the bonus is divided by alpha_t in place of 2 alpha_t", "anywhere", factor=True,
    ),
    Unseen(
        "variance-alone", VarianceAlone, ("beta",), "W + H in beta",
        "W in place of W + H in the first bound of beta", "anywhere", "scaled(1e-06)",
    ),
)  # fmt: skip
