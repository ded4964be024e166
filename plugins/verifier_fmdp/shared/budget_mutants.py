"""Bugs about what is left of a budget."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier_fmdp.knapsack.algorithm import Knapsack, Steps
from verifier_fmdp.knapsack.model import Model
from verifier_settings.knapsack.augmented import vectors


class Clamped(Knapsack):
    """Bug: an overspent budget is read as 0, so that a lookup does not fail."""

    def flat(self) -> int:
        """The number of what is left, or of 0."""
        self.remaining = np.maximum(self.remaining, 0)
        return super().flat()


class KeepsActing(Clamped):
    """An episode that a cost has ended is played on, to the last of the H steps."""

    def ends(self, over: bool) -> bool:
        """Whether the episode ends: never before the horizon."""
        return False


class NeverRefilled(Clamped):
    """The budget of the first episode has to do for all of them."""

    def refill(self) -> None:
        """Keep the budgets as they are."""


def what_is_left(algorithm: Knapsack) -> IntArray:
    """(G, d) what is left of each budget, by flat number."""
    return vectors([B + 1 for B in algorithm.public.budgets])


class DiesAtZero(Knapsack):
    """An episode is taken to be over when a cost *reaches* its budget."""

    def model(self, rows: list[Array]) -> Model:
        """Model in which nothing follows where nothing is left."""
        found, left = super().model(rows), what_is_left(self)
        return replace(found, spends=tuple(law * (left[:, i] > 0) for i, law in enumerate(found.spends)))


class CostsPerBudget(Knapsack):
    """The laws of costs are learned for each (s, a, b) by itself, as if they depended on what is left."""

    def model(self, rows: list[Array]) -> Model:
        """Model that knows of each budget only what was seen with just that much left."""
        found, spends = super().model(rows), []
        for i, support in enumerate(self.public.supports):
            sizes = [B + 1 for B in self.public.budgets]
            moves = np.stack([Model.move(sizes, i, cost) for cost in support])
            counts = self.__dict__.get("at", self.nothing())[i]
            law = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1.0)
            spends.append(np.einsum("xgc,cgb->xgb", law, moves))
        return found if self.exact_model else replace(found, spends=tuple(spends))

    def nothing(self) -> list[Array]:
        """Counts of pair, budget and cost, for each cost."""
        return [np.zeros((self.public.X, self.public.G, len(support))) for support in self.public.supports]

    def learn(self, steps: Steps) -> None:
        """Count what each step cost where it was taken."""
        super().learn(steps)
        counts = self.__dict__.setdefault("at", self.nothing())
        self.refill()
        for pair, _following, costs, _reward in steps:
            for i, support in enumerate(self.public.supports):
                counts[i][pair, self.flat(), support.index(int(costs[i]))] += 1.0
            self.remaining = np.maximum(self.remaining - costs, 0)


class BudgetBlind(Knapsack):
    """A policy of the state alone: what is best with the whole budget is done with any."""

    def greedy(self, Q: Array) -> IntArray:
        """argmax_a Q(s, a, B), for all b."""
        return np.repeat(Q[:, :, -1:].argmax(axis=1), Q.shape[2], axis=1)

    def value(self, Q: Array, policy: IntArray) -> Array:
        """Q of that action."""
        return np.take_along_axis(Q, policy[:, None], axis=1)[:, 0]


class SpendsNothing(Knapsack):
    """The plan looks at V(s', b) where V(s', b - c) belongs."""

    def model(self, rows: list[Array]) -> Model:
        """Budgets never change."""
        found = super().model(rows)
        return replace(found, spends=tuple(law.sum(axis=2)[..., None] * np.eye(law.shape[1]) for law in found.spends))


class DebtForgiven(Knapsack):
    """Bug: what exceeds the budget is forgotten, and the episode is planned to go on with nothing left."""

    def model(self, rows: list[Array]) -> Model:
        """Model whose missing mass goes to where nothing is left of that budget."""
        found, spends = super().model(rows), []
        left = what_is_left(self)
        for i, law in enumerate(found.spends):
            empty = np.ravel_multi_index(
                tuple(np.where(np.arange(self.public.d) == i, 0, left).T), tuple(B + 1 for B in self.public.budgets)
            )
            kept = law.copy()
            kept[:, np.arange(len(left)), empty] += rows[i + 1].sum(axis=1)[:, None] - law.sum(axis=2)
            spends.append(kept)
        return replace(found, spends=tuple(spends))


class BudgetsSwapped(Knapsack):
    """Bug: the lookup numbers what is left of several budgets in the other order."""

    def flat(self) -> int:
        """The first budget varies fastest."""
        return int(np.ravel_multi_index(tuple(self.remaining), tuple(B + 1 for B in self.public.budgets), order="F"))


class OneBudgetOnly(Knapsack):
    """The plan knows of the first budget only."""

    def model(self, rows: list[Array]) -> Model:
        """The other costs are 0."""
        found = super().model(rows)
        same = [law.sum(axis=2)[..., None] * 0 + np.eye(law.shape[1]) for law in found.spends[1:]]
        return replace(found, spends=(found.spends[0], *same))
