"""Bugs of ELA, ELLA and CVaR-LSVI."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.width import Width
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.least_squares import CVaRLeastSquares, Model, Reading, bonus_floor
from verifier_settings.cvar import CVaREnvironment, Episodes
from verifier_settings.cvar.planning import Public

from .bug import Unseen


class PolicyOfNextStep(ELA):
    def action(self, env: CVaREnvironment, h: int, state: int, budget: int) -> int:
        return super().action(env, h + 1, state, budget)


class CapAtHorizon(ELA):
    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        return np.minimum(super().bonus(phi, gram, h), float(self.public.H))


class LosesSpentBudgets(ELA):
    def expected(self, following: Array, r: Array) -> Array:
        out = r[:, :1] * following
        for j in range(1, r.shape[1]):
            out[:, j:] += r[:, j, None] * following[:, : following.shape[1] - j]
        return out


class BonusOneStepMore(ELA):
    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        return np.minimum(self.width(h, of="bonus") * self.norm(phi, gram), 2.0 * self.public.H)


class FirstActionTwice(ELA):
    def uniform_action(self, env: CVaREnvironment) -> int:
        return int(env.rng.integers(self.public.A + 1)) % self.public.A


class PositivePartOfMean(ELLA):
    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        bonuses = model.bonus[np.arange(model.grid.H), episodes.states * model.A + episodes.actions].sum(axis=1)
        left = budget - episodes.rewards.sum(axis=1).mean()
        return float(max(left, 0.0) * (model.grid.levels[1] - model.grid.levels[0]) - bonuses.mean())


class OneBudgetLower(ELLA):
    def run_lsvi(self, env: CVaREnvironment, models: IntArray, b: Array, budget: int) -> tuple[float, IntArray]:
        return super().run_lsvi(env, models, b, max(budget - 1, 0))


class _ValuesOfRoundBefore(CVaRLeastSquares):
    values: Array | None = None

    def targets(self, V: Array, h: int) -> Array:
        if self.values is None:
            self.values = np.zeros((self.model.grid.H + 1, *V.shape))
        found = super().targets(self.values[h + 1] if self.values[h + 1].any() else V, h)
        self.values[h + 1] = V
        return found


class ValuesOfRoundBefore(ELLA):
    least_squares = _ValuesOfRoundBefore


class LogarithmNotSquared(CVaRLSVI):
    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        H, ups = public.H, public.grid.q / public.grid.m
        floor = bonus_floor(public.bonus, H, printed=False)
        iota = math.log(H * public.d * public.T1 / (ups * public.delta))
        return (H - floor) / (2 * H) * H**1.5 * public.d * iota**0.25 / ups


class MedianOfEpisodes(CVaRLSVI):
    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        left = np.maximum(budget - episodes.rewards.sum(axis=1), 0)
        bonuses = model.bonus[np.arange(model.grid.H), episodes.states * model.A + episodes.actions].sum(axis=1)
        return float(np.median(model.grid.levels[left] - bonuses))


class _RewardOfStepBefore(CVaRLeastSquares):
    def learn(self, episode: Episodes) -> None:
        super().learn(Episodes(episode.states, episode.actions, np.roll(episode.rewards, 1, axis=1)))


class RewardOfStepBefore(CVaRLSVI):
    least_squares = _RewardOfStepBefore


class BonusAdded(CVaRLSVI):
    def __init__(self, public: Public, width: Width, clip: Reading = "corrected") -> None:
        super().__init__(public, width, clip)
        self.regression.model = replace(self.model, bonus=-self.model.bonus)


BUGS = (
    Unseen(
        "policy-of-next-step", PolicyOfNextStep, ("roll-in",), "policy played",
        "at step h of the roll-in the policy of step h + 1 is played", "bait", "scaled(0.01)",
    ),
    Unseen(
        "cap-at-horizon", CapAtHorizon, ("bonus",), "cut of the bonus",
        "the bonus is cut at H in place of 2H", "skewed-twins",
    ),
    Unseen(
        "loses-spent-budgets", LosesSpentBudgets, ("bellman",), "E V of what follows",
        "rewards that exceed the budget are left out of the expectation", "skewed-twins",
    ),
    Unseen(
        "bonus-one-step-more", BonusOneStepMore, ("bonus",), "steps with a bonus",
        "there is a bonus at step H - 1, too, where it should be 0", "low-rank", "scaled(0.01)",
    ),
    Unseen(
        "first-action-twice", FirstActionTwice, ("uniform-actions",), "law of the uniform actions",
        "the first action is twice as likely as the others where it should be uniform", "low-rank-wide", "scaled(0.01)",
    ),
    Unseen(
        "positive-part-of-mean", PositivePartOfMean, ("estimates",), "V-hat",
        "the positive part of the mean in place of the mean of the positive parts", "step-3-10",
    ),
    Unseen(
        "one-budget-lower", OneBudgetLower, ("initial-budgets",), "initial budget",
        "the planner is called from the budget one step of the grid lower", "step-sure",
    ),
    Unseen(
        "values-of-round-before", ValuesOfRoundBefore, ("planned-values",), "V in the regression",
        "the regression of the planner is on the values of the round before", "beta-rewards", "scaled(0.01)",
    ),
    Unseen(
        "logarithm-not-squared", LogarithmNotSquared, ("width",), "iota in beta",
        "iota is the logarithm, and not its square, in beta", "five-steps", factor=True,
    ),
    Unseen(
        "median-of-episodes", MedianOfEpisodes, ("estimates",), "V-hat",
        "the median over the episodes in place of the mean", "coarse-steps",
    ),
    Unseen(
        "reward-of-step-before", RewardOfStepBefore, ("regression",), "r in the regression",
        "the reward of the step before, at the first step of the last one, in place of r_h in the regression", "coarse-steps",
    ),
    Unseen(
        "bonus-added", BonusAdded, ("formula",), "sign of b",
        "b is added to Q and not subtracted", "coarse-steps", "oracle",
    ),
)  # fmt: skip
