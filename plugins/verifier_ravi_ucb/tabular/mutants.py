"""Bugs in the tabular estimate and its bonus."""

from __future__ import annotations

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_ravi_ucb.shared.planning_mutants import planning_mutants
from verifier_ravi_ucb.shared.playing_mutants import OneEpoch, playing_mutants
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB


class NoPhantomVisit(TabularRaviUCB):
    """Divides by the visits without the phantom one: arguably better, and not the algorithm."""

    def estimate(self, V: Array) -> Array:
        """N' V / max(N - 1, 1)."""
        real = np.maximum(self.visits - 1.0, 1.0)
        return (self.transitions @ V / real).reshape(self.public.X, self.public.A)


class UniformPhantom(TabularRaviUCB):
    """Lets the phantom visit go to a uniform successor."""

    def estimate(self, V: Array) -> Array:
        """(N' V + mean V) / N."""
        return super().estimate(V) + (V.mean() / self.visits).reshape(self.public.X, self.public.A)


class CountsSetOfPairs(TabularRaviUCB):
    """Increments with fancy indexing, which counts a pair once per epoch."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """Repeated indices are lost."""
        self.visits[rows] += 1.0
        self.transitions[rows, successors] += 1.0


class Stuck(OneEpoch, TabularRaviUCB):
    """Plans once and never again: the action of least reward, with a rate for a run of a few steps."""

    def learning_rate(self) -> float:
        """Learning rate 1/H."""
        return 1.0 / self.public.H

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        """V_1, and the worst action but for one step in a thousand."""
        V, _ = super().improve(log_policy, Q, eta)
        worst = np.eye(self.public.A)[self.public.reward.argmin(axis=1)]
        return V, np.log(0.999 * worst + 0.001 / self.public.A)


DIFFERS = {
    "bonus-by-visits": "N_k without its root",
    "constant-bonus": "without the divisor √N_k",
    "no-phantom-visit": "N_k − 1 for N_k",
    "uniform-phantom": "a uniform successor of the phantom visit",
    "counts-twice": "with every step counted twice",
    "counts-set": "of the first visit to each pair in an epoch alone",
    "width-without-x": "without the factor X",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *planning_mutants(TabularRaviUCB),
        *playing_mutants(TabularRaviUCB, "visits", "estimate"),
        plant(TabularRaviUCB, "bonus-by-visits", "β/N instead of β/√N", bugs.squared("norm"), ("bonus",)),
        plant(TabularRaviUCB, "constant-bonus", "the bonus never shrinks", bugs.returns("norm", np.ones_like),
            ("bonus", "bonus-sum-expectation")),
        plant(TabularRaviUCB, "no-phantom-visit", "divides by N − 1", NoPhantomVisit, ("estimate",)),
        plant(TabularRaviUCB, "uniform-phantom", "the phantom visit has a uniform successor", UniformPhantom, ("estimate",)),
        plant(TabularRaviUCB, "counts-twice", "every visit counts twice", bugs.twice("learn"), ("visits",)),
        plant(TabularRaviUCB, "counts-set", "a pair counts once per epoch", CountsSetOfPairs, ("visits", "estimate")),
        plant(TabularRaviUCB, "stuck", "one plan, for the action of least reward", Stuck,
            ("learning-rate", "regret-expectation")),
        plant(TabularRaviUCB, "width-without-x", "β lacks √X", bugs.scaled_width(lambda public: public.X**-0.5), ("width",)),
    ),
    DIFFERS,
)  # fmt: skip
