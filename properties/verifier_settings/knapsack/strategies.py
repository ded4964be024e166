"""Recipes of small MDPs with knapsacks, drawn and shrunk when counterexamples are searched for, see `verifier_settings.drawing`.

Each row of the kernel is a state or halfway between two, each cost is 0, 1 or 2 units or either of two of them, rewards are 0,
1/2 or 1, without noise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from verifier_settings import drawing, printed
from verifier_settings.drawing import DrawnRecipe, counted, number, point, run, size, table
from verifier_settings.knapsack.generators import sure
from verifier_settings.knapsack.instance import Instance, make
from verifier_settings.knapsack.runs import Run
from verifier_settings.parts import Row

SUPPORT = (0, 1, 2)


@dataclass(frozen=True)
class KnapsackRecipe(DrawnRecipe[Instance]):
    """A small MDP with knapsacks; every episode starts in state 0."""

    S: int = size(3)
    A: int = size(2)
    H: int = size(3)
    K: int = run(6, of="H")
    d = counted(2)
    costs: tuple[Row, ...] = table("d", "S*A", point(len(SUPPORT)))  # (i, j) costs i or j units with probability 1/2 each
    kernel: Row = table("S*A", point("S"))  # (i, j) goes to i or to j with probability 1/2 each
    rewards: tuple[int, ...] = table("S*A", number(2))  # in halves
    budgets: tuple[int, ...] = table("d", number(2))  # in units

    legend: ClassVar[str] = "s, a counted from 0; h and episodes from 1; costs and budgets in units"

    def build(self) -> Instance:
        """The instance."""
        costs = [(SUPPORT, drawing.coordinates(rows, len(SUPPORT))) for rows in self.costs]
        reward = sure(np.array(self.rewards) / 2)
        return make(drawing.coordinates(self.kernel, self.S), reward, costs, self.budgets, H=self.H, K=self.K)

    def tables(self) -> str:
        """Sizes, and one row per state and action: transition probabilities, reward, costs."""
        instance = self.build()
        truth = instance.truth
        costs = {f"c{i + 1}": [" or ".join(map(str, dict.fromkeys(row))) for row in law] for i, law in enumerate(self.costs)}
        facts = f"{printed.facts(instance.public, 'S A H K delta')}, B = {printed.shown(self.budgets)}, starts in 0"
        indices = {"s": range(self.S), "a": range(self.A)}
        return f"{facts}\n{printed.listed(indices, {'P({})': truth.P, 'r': truth.reward, **costs})}"

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: the path s -a-> s', and what it cost."""
        ends = run.lengths
        paths = [printed.path(run.states[k, : end + 1], run.actions[k, :end]) for k, end in enumerate(ends)]
        spent = {f"spent {i + 1}": run.spent[..., i].sum(axis=1) for i in range(len(self.budgets))}
        return printed.listed({"episode": range(1, len(ends) + 1)}, {"path": paths, **spent})
