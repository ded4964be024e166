"""Later bugs of ELA and ELLA."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.least_squares import CVaRLeastSquares, Model, Reading
from verifier_settings.cvar import Episodes, Public

from .bug import Unseen


class CovarianceOfBoth(ELA):
    def covariance(self, phi: Array, h: int) -> Array:
        visits = (self.D[h] + self.Dt[h]).sum(axis=1)
        return np.asarray((phi.T * visits) @ phi + self.ridge() * np.eye(self.public.d))


class FeaturesOfTheTime(ELA):
    def __init__(self, public: Public, width: Width, clip: Reading = "corrected") -> None:
        super().__init__(public, width, clip)
        self.seen: dict[int, Array] = {}
        self.grams: dict[int, Array] = {}

    def covariance(self, phi: Array, h: int) -> Array:
        visits = self.D[h].sum(axis=1)
        gram = self.grams.get(h, self.ridge() * np.eye(self.public.d))
        self.grams[h] = gram + (phi.T * (visits - self.seen.get(h, 0.0))) @ phi
        self.seen[h] = visits
        return self.grams[h]


class BudgetNotSpent(ELA):
    def spend(self, budget: int, reward: float) -> int:
        return budget


class UpperTail(ELA):
    def objective(self, c: Array, value: Array) -> Array:
        return np.asarray(c - value / (1 - self.public.tau))


class NothingBelowBudget(ELA):
    def expected(self, following: Array, r: Array) -> Array:
        out = r[:, :1] * following
        for j in range(1, r.shape[1]):
            out[:, j:] += r[:, j, None] * following[:, : following.shape[1] - j]
        return out


class CovarianceOfStepBefore(ELA):
    last: Array

    def bonus(self, phi: Array, gram: Array, h: int) -> Array:
        used = self.last if h else gram
        self.last = gram
        return super().bonus(phi, used, h)


class NormOverRootK(ELA):
    def norm(self, phi: Array, gram: Array) -> Array:
        return super().norm(phi, gram) / np.sqrt(max(self.D[0].sum(), 1.0))


class AddsBonus(ELLA):
    def estimate(self, model: Model, episodes: Episodes, budget: int) -> float:
        left = np.maximum(budget - episodes.rewards.sum(axis=1), 0)
        pairs = episodes.states * model.A + episodes.actions
        bonuses = model.bonus[np.arange(model.grid.H), pairs].sum(axis=1)
        return float((model.grid.levels[left] + bonuses).mean())


class _AtLeastZero(CVaRLeastSquares):
    def clipped(self, Q: Array) -> Array:
        return np.clip(Q, 0.0, float(self.model.grid.H))


class FloorZero(ELLA):
    least_squares = _AtLeastZero


BUGS = (
    Unseen(
        "covariance-of-both", CovarianceOfBoth, ("covariance",), "data of Sigma",
        "Sigma sums over D_h and D~_h, not D_h alone", "low-rank", "oracle",
    ),
    Unseen(
        "features-of-the-time", FeaturesOfTheTime, ("covariance",), "features of Sigma",
        "Sigma has old data with the features learned when they came, not those just learned", "low-rank", "scaled(0.01)",
    ),
    Unseen(
        "budget-not-spent", BudgetNotSpent, ("roll-in",), "c in the roll-in",
        "the budget is not lowered by rewards on the way", "low-rank-long", "oracle",
    ),
    Unseen(
        "upper-tail", UpperTail, ("best-budget",), "tau",
        "1 - tau in place of tau in the objective", "low-rank", "oracle",
    ),
    Unseen(
        "nothing-below-budget", NothingBelowBudget, ("bellman",), "V at (c - r)^+",
        "V(s', 0) is taken to be 0 where r > c", "low-rank", "oracle",
    ),
    Unseen(
        "covariance-of-step-before", CovarianceOfStepBefore, ("bonus",), "Sigma in b",
        "b_h has Sigma of step h-1", "low-rank-long", "oracle",
    ),
    Unseen(
        "norm-over-root-k", NormOverRootK, ("bonus",), "b",
        "the bonus is divided by sqrt(k) once more", "low-rank", "scaled(0.01)",
    ),
    Unseen(
        "adds-bonus", AddsBonus, ("estimates",), "V-hat",
        "bonuses are added to V-hat, not subtracted", "step-3-10", "oracle",
    ),
    Unseen(
        "floor-zero", FloorZero, ("planned-values",), "clip",
        "Q is cut at 0 from below", "step-3-10", "oracle",
    ),
)  # fmt: skip
