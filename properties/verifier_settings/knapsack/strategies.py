"""Recipes of small MDPs with knapsacks, drawn and shrunk when counterexamples are searched for, see `verifier_settings.drawing`.

Each row of the kernel is a state or halfway between two, each cost is 0, 1 or 2 units or either of two of them, rewards are 0,
1/2 or 1, without noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from verifier_settings import drawing
from verifier_settings.drawing import Draw, DrawnRecipe, Point, Row
from verifier_settings.knapsack.generators import sure
from verifier_settings.knapsack.instance import Instance, make
from verifier_settings.knapsack.runs import Run

SUPPORT = (0, 1, 2)


def cheaper(cost: Point) -> Iterator[Point]:
    """Simpler costs: one of two for sure, or a lower one."""
    yield from drawing.ends(cost)
    if cost[0] == cost[1]:
        yield from ((less, less) for less in range(cost[0]))


@dataclass(frozen=True)
class KnapsackRecipe(DrawnRecipe[Instance]):
    """A small MDP with knapsacks.

    Parameters
    ----------
    S, A, H, K : int
        Sizes; every episode starts in state 0.
    kernel : tuple of (int, int)
        S*A rows, row ``s*A + a``: (i, j) goes to i or to j with probability 1/2 each.
    rewards : tuple of int
        S*A rewards, in halves.
    costs : tuple of tuples of (int, int)
        For each budget S*A rows: (i, j) costs i or j units with probability 1/2 each.
    budgets : tuple of int
        In units.
    """

    S: int
    A: int
    H: int
    K: int
    kernel: Row
    rewards: tuple[int, ...]
    costs: tuple[Row, ...]
    budgets: tuple[int, ...]

    legend: ClassVar[str] = "s, a counted from 0; h and episodes from 1; costs and budgets in units"

    @classmethod
    def drawn(cls, draw: Draw) -> KnapsackRecipe:
        """Recipe drawn with up to three states and steps, two actions and budgets, six episodes."""
        S, A, H, K, d = draw.sizes(S=3, A=2, H=3, K=6, d=2)
        costs = tuple(draw.points(S * A, len(SUPPORT)) for _ in range(d))
        return cls(S, A, H, K, draw.points(S * A, S), draw.numbers(S * A, 2), costs, draw.numbers(d, 2))

    @property
    def size(self) -> int:
        """Rows of the tables, steps of the run."""
        return self.S * self.A * (1 + len(self.budgets)) + self.H * self.K

    def smaller(self) -> Iterator[KnapsackRecipe]:
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("K")
        if self.H > 1:
            yield replace(self, H=self.H - 1)
        for i in drawing.several(len(self.budgets)):
            yield replace(self, costs=drawing.without(self.costs, i), budgets=drawing.without(self.budgets, i))
        for s in range(1, self.S):
            rows = partial(drawing.without_state, A=self.A, s=s)
            yield replace(
                self, S=self.S - 1, kernel=drawing.dropped(rows(self.kernel), s), rewards=rows(self.rewards),
                costs=tuple(map(rows, self.costs)),
            )  # fmt: skip
        for a in drawing.several(self.A):
            rows = partial(drawing.without_action, A=self.A, a=a)
            yield replace(
                self, A=self.A - 1, kernel=rows(self.kernel), rewards=rows(self.rewards), costs=tuple(map(rows, self.costs))
            )
        yield from self._simplified("kernel", drawing.ends, 1)
        yield from self._simplified("costs", cheaper, 2)
        yield from self._simplified("rewards", range, 1)
        yield from self._simplified("budgets", range, 1)

    def build(self) -> Instance:
        """The instance."""
        costs = [(SUPPORT, drawing.coordinates(rows, len(SUPPORT))) for rows in self.costs]
        reward = sure(np.array(self.rewards) / 2)
        return make(drawing.coordinates(self.kernel, self.S), reward, costs, self.budgets, H=self.H, K=self.K)

    def tables(self) -> str:
        """Sizes, and one row per state and action: transition probabilities, reward, costs."""
        instance = self.build()
        truth, pairs = instance.truth, np.ndindex(self.S, self.A)
        head = ["s", "a", *(f"P({s})" for s in range(self.S)), "r", *(f"c{i + 1}" for i in range(len(self.budgets)))]
        rows = [
            [s, a, *truth.P[x], truth.reward[x], *(" or ".join(map(str, dict.fromkeys(law[x]))) for law in self.costs)]
            for x, (s, a) in enumerate(pairs)
        ]
        facts = f"{drawing.facts(instance.public, 'S A H K delta')}, B = {drawing.shown(self.budgets)}, starts in 0"
        return f"{facts}\n{drawing.table(head, rows)}"

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: the path s -a-> s', and what it cost."""
        rows = []
        for k, length in enumerate(run.lengths):
            path = drawing.path(run.states[k, : length + 1], run.actions[k, :length])
            rows.append([k + 1, path, *run.spent[k].sum(axis=0)])
        return drawing.table(["episode", "path", *(f"spent {i + 1}" for i in range(len(self.budgets)))], rows)
