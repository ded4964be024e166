"""Bugs planted in FMDP-BF."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, BoolArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.model import Model, Moments
from verifier_fmdp.planning import Bonus
from verifier_fmdp.shared.mutants import factored_mutants


class LowerPlusBonus(FMDPBF):
    """The bonus added to the pessimistic values."""

    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """max(0, mean + bonus)."""
        return super().pessimistic(known, mean, -bonus)


class LowerUnclipped(FMDPBF):
    """The pessimistic values not cut at 0."""

    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """Lower values without a cut."""
        return np.where(known, mean - bonus, 0.0).reshape(self.public.S, self.public.A)


class LowerUnknown(FMDPBF):
    """The pessimistic value of a pair that is not known is H, as the optimistic one."""

    def pessimistic(self, known: BoolArray, mean: Array, bonus: Array) -> Array:
        """H in place of 0."""
        full = super().pessimistic(known, mean, bonus)
        return np.where(known.reshape(full.shape), full, float(self.public.H))


class _Rows(FMDPBF):
    """Laws of the factors at every pair."""

    def law(self, model: Model, j: int) -> Array:
        """Law of factor j at every pair, shape (X, S_j)."""
        size = self.public.state_sizes[j]
        return np.asarray(np.append(model.kernel, 0.0)[self.structure.padded[j, :, :size]])

    def alone(self, model: Model, f: Array, i: int, others: Array | None) -> Array:
        """(X, S_i) f as a function of factor i: the mean over the others, or f where they have these values (n, X)."""
        shaped = np.broadcast_to(f.reshape(self.public.state_sizes), (self.public.X, *self.public.state_sizes))
        for j in reversed(range(self.public.n)):
            if j == i:
                continue
            law = self.law(model, j) if others is None else np.eye(self.public.state_sizes[j])[others[j]]
            moved = np.moveaxis(shaped, j + 1, -1)
            shaped = np.expand_dims((moved * law.reshape(len(law), *(1,) * (moved.ndim - 2), -1)).sum(axis=-1), j + 1)
        return shaped.reshape(self.public.X, -1)

    def spread(self, model: Model, f: Array, others: Array | None) -> Array:
        """(n, X) the variance over factor i of that."""
        found = []
        for i in range(self.public.n):
            values, law = self.alone(model, f, i, others), self.law(model, i)
            found.append(np.maximum((law * values**2).sum(axis=1) - (law * values).sum(axis=1) ** 2, 0.0))
        return np.stack(found)


class VarianceOfMeans(_Rows):
    """Var_i of the mean over all other factors: the outer expectation is inside."""

    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        """Moments with variances less than sigma^2_i, by Jensen."""
        return super().moments(model, above, gap)._replace(variances=self.spread(model, above, None))


class OthersAtMode(_Rows):
    """Var_i with the other factors at their likeliest values."""

    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        """Moments with the other factors at their likeliest values, which is no part of any variance."""
        likeliest = np.stack([self.law(model, j).argmax(axis=1) for j in range(self.public.n)])
        return super().moments(model, above, gap)._replace(variances=self.spread(model, above, likeliest))


class SquaresBefore(FMDPBF):
    """V - lower squared before anything is integrated: u_n for every u_i."""

    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        """Moments with squares that are too large, and still optimistic."""
        found = super().moments(model, above, gap)
        return found._replace(squares=np.broadcast_to(found.squares[-1], found.squares.shape))


class SquaresAfter(FMDPBF):
    """V - lower squared after everything is integrated."""

    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        """Moments with squares that are too small."""
        found = super().moments(model, above, gap)
        return found._replace(squares=np.broadcast_to(found.g**2, found.squares.shape))


class VarianceOfLower(FMDPBF):
    """The variances of the pessimistic values."""

    def moments(self, model: Model, above: Array, gap: Array) -> Moments:
        """Moments with the variances of V - (V - lower)."""
        found = super().moments(model, above, gap)
        return found._replace(variances=super().moments(model, above - gap, gap).variances)


class OthersInEta(FMDPBF):
    """eta without the pair of a factor with itself, as in FMDP-CH."""

    def eta(self, model: Model, L: float) -> Array:
        """Cross term less H phi_i^2."""
        return super().eta(model, L) - self.public.H * self.radius(model, L) ** 2


class EtaWithoutH(FMDPBF):
    """eta not scaled by H."""

    def eta(self, model: Model, L: float) -> Array:
        """Cross term smaller by the factor H."""
        return super().eta(model, L) / self.public.H


class VisitsForgotten(FMDPBF):
    """eta as after one visit."""

    def eta(self, model: Model, L: float) -> Array:
        """Cross term that never becomes smaller."""
        return super().eta(replace(model, visits=np.minimum(model.visits, 1.0)), L)


class UnbiasedVariance(FMDPBF):
    """N - 1 in the empirical variance of the rewards."""

    def model(self) -> Model:
        """Model with reward variances larger by N / (N - 1)."""
        found = super().model()
        n = found.reward_visits
        return replace(found, reward_variance=found.reward_variance * n / np.maximum(n - 1.0, 1.0))


class RewardBonusAtFactors(FMDPBF):
    """The bonus of the rewards with the counter of the first transition factor, as it is printed."""

    def rewards(self, model: Model) -> Array:
        """N(x[Z_1]) for N(x[Z^R_i])."""
        if self.exact:
            return super().rewards(model)
        first = model.at_factors(model.visits)[0]
        L = model.at_parts(self.width(0, of="reward") * self.log_reward)
        per_visit = L / np.maximum(first, 1.0)
        return np.sqrt(2 * model.at_parts(model.reward_variance) * per_visit) + 8 * per_visit / 3


class PerVisit(FMDPBF):
    """1/N where 1/sqrt(N) belongs, in the term of the variance."""

    def transition_bonus(self, L: float, model: Model, moments: Moments) -> Bonus:
        """Bonus with the variance over N once more."""
        return super().transition_bonus(
            L, model, moments._replace(variances=moments.variances / np.maximum(model.at_factors(model.visits), 1.0))
        )  # fmt: skip


mutant, bonus = partial(plant, FMDPBF), ("transition-bonus",)
DIFFERS = {
    "no-eta": "everywhere: 0",
    "others-in-eta": "φ_j Σ_{l≠j} φ_l for φ_j Σ_l φ_l",
    "eta-without-h": "without the factor H",
    "per-visit": "4 · σ̂²_i · L^P / N_j / N_j",
    "half-deviation": "without the factor 4",
    "no-correction": "without √(2 · u_i",
    "lower-plus-bonus": "+ CB(π_h) for − CB(π_h)",
    "lower-unclipped": "without the cut at 0",
    "lower-unknown": ": H",
    "variance-of-lower": "of the pessimistic values",
    "squares-before": "squared before anything is integrated",
    "squares-after": "squared after everything is integrated",
    "unbiased-variance": "N_i − 1 for N_i",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *factored_mutants(FMDPBF),
        mutant("no-eta", "eta forgotten", bugs.scaled("eta", 0.0), ("cross-term", *bonus)),
        mutant("others-in-eta", "eta without j = i", OthersInEta, ("cross-term", *bonus)),
        mutant("eta-without-h", "eta not scaled by H", EtaWithoutH, ("cross-term", *bonus)),
        mutant("visits-forgotten", "eta as after one visit", VisitsForgotten, ("cross-term", *bonus)),
        mutant("per-visit", "1/N instead of 1/sqrt(N)", PerVisit, bonus),
        mutant("half-deviation", "the term of the variance halved", bugs.scaled("deviation", 0.5), bonus),
        mutant("no-correction", "the term of u forgotten", bugs.scaled("correction", 0.0), bonus),
        mutant("lower-plus-bonus", "the bonus added to the pessimistic values", LowerPlusBonus, ("lower-formula", "pessimism")),
        mutant("lower-unclipped", "pessimistic values not cut at 0", LowerUnclipped, ("lower-formula",)),
        mutant("lower-unknown", "pessimistic values H where a pair is not known", LowerUnknown, ("lower-formula", "pessimism")),
        mutant("variance-of-means", "the outer expectation taken inside", VarianceOfMeans, ("variance", "variance-sum")),
        mutant("others-at-mode", "other factors at their likeliest values", OthersAtMode, ("variance", "variance-sum")),
        mutant("variance-of-lower", "variances of the pessimistic values", VarianceOfLower, ("variance", "variance-sum")),
        mutant("squares-before", "squared before the later factors are integrated", SquaresBefore, ("correction",)),
        mutant("squares-after", "squared after all factors are integrated", SquaresAfter, ("correction", "correction-order")),
        mutant("unbiased-variance", "N - 1 in the variance of the rewards", UnbiasedVariance, ("reward-variance",)),
        mutant("reward-bonus-at-factors", "the counter of a transition scope in CB^R", RewardBonusAtFactors, ("reward-bonus",)),
    ),
    DIFFERS,
)
