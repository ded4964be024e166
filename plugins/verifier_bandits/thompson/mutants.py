"""Bugs planted in Thompson sampling."""

from __future__ import annotations

from functools import partial

from verifier.base.arrays import Array
from verifier.model.mutant import plant
from verifier_bandits.shared.mutants import arm_mutants
from verifier_bandits.thompson.algorithm import ThompsonSampling


class PosteriorMean(ThompsonSampling):
    """The posterior mean where a draw belongs."""

    def sample(self, alpha: Array, beta: Array) -> Array:
        """alpha / (alpha + beta)."""
        return alpha / (alpha + beta)


class Inflated(ThompsonSampling):
    """A draw from half the counts."""

    def sample(self, alpha: Array, beta: Array) -> Array:
        """Beta(alpha / 2, beta / 2)."""
        return super().sample(alpha / 2, beta / 2)


class DrawnOnce(ThompsonSampling):
    """One number for all arms."""

    def sample(self, alpha: Array, beta: Array) -> Array:
        """Quantiles of all posteriors at one number."""
        from scipy.special import betaincinv

        return betaincinv(alpha, beta, self.rng.random())


class Swapped(ThompsonSampling):
    """Successes and failures change places in the draw."""

    def sample(self, alpha: Array, beta: Array) -> Array:
        """Beta(beta, alpha)."""
        return super().sample(beta, alpha)


class OtherPrior(ThompsonSampling):
    """Two successes and two failures before the first round."""

    def posterior(self) -> tuple[Array, Array]:
        """S + 2 and F + 2."""
        alpha, beta = super().posterior()
        return alpha + 1.0, beta + 1.0


class PlaysForFailures(ThompsonSampling):
    """All plays where the failures belong."""

    def posterior(self) -> tuple[Array, Array]:
        """S + 1 and N + 1."""
        return super().posterior()[0], self.visits + 1.0


_mutant = partial(plant, ThompsonSampling)
MUTANTS = (
    *arm_mutants(ThompsonSampling, "failures", "successes", "draws", "greedy"),
    _mutant("posterior-mean", "the mean for a draw", PosteriorMean, ("beta-law",)),
    _mutant("inflated", "half the counts in the draw", Inflated, ("beta-law",)),
    _mutant("drawn-once", "one number for all arms", DrawnOnce, ("beta-law",)),
    _mutant("swapped", "alpha and beta change places in the draw", Swapped, ("beta-law",)),
    _mutant("other-prior", "Beta(2, 2) a priori", OtherPrior, ("successes", "failures")),
    _mutant("plays-for-failures", "N for F", PlaysForFailures, ("failures",)),
)
