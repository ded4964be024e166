"""Bugs in the tabular estimate and its bonus."""

from __future__ import annotations

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.mutant import Mutant, plant
from verifier.settings.discounted import Public
from verifier_ravi_ucb.tabular import TabularRaviUCB


class BonusByVisits(TabularRaviUCB):
    """CB = beta/N."""

    def norm(self, V: Array) -> Array:
        """1/N."""
        return super().norm(V) ** 2


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


class CountsTwice(TabularRaviUCB):
    """Counts every visit twice."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """N += 2, N' += 2."""
        super().learn(rows, successors, V)
        super().learn(rows, successors, V)


class CountsSetOfPairs(TabularRaviUCB):
    """Increments with fancy indexing, which counts a pair once per epoch."""

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        """Repeated indices are lost."""
        self.visits[rows] += 1.0
        self.transitions[rows, successors] += 1.0


class WidthWithoutX(TabularRaviUCB):
    """beta without its factor sqrt(X)."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """beta / sqrt(X)."""
        return super().published_width(public, of) / float(np.sqrt(public.X))


def mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """The bugs of this file."""
    return (
        plant(original, "bonus-by-visits", "β/N instead of β/√N", BonusByVisits, ("bonus",)),
        plant(original, "no-phantom-visit", "divides by N − 1", NoPhantomVisit, ("estimate",)),
        plant(original, "uniform-phantom", "the phantom visit has a uniform successor", UniformPhantom, ("estimate",)),
        plant(original, "counts-twice", "every visit counts twice", CountsTwice, ("visits",)),
        plant(original, "counts-set", "a pair counts once per epoch", CountsSetOfPairs, ("visits", "estimate")),
        plant(original, "width-without-x", "β lacks √X", WidthWithoutX, ("width",)),
    )
