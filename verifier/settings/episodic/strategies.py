"""How small episodic MDPs are drawn and shrunk when counterexamples are searched for.

Each row of the kernel is a state or halfway between two (`verifier.settings.drawing`), rewards are 0, 1/2 or 1, so what is
printed is exact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from verifier.base.tables import aligned
from verifier.model.setting import Recipe
from verifier.settings.drawing import Point, coordinates, dropped, number, points, rounded
from verifier.settings.episodic.instance import Instance, make
from verifier.settings.episodic.run import Run

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

OFFSETS = (0, 0, 0, 0, 0, 0, -1, 2)
MAX_STATES, MAX_ACTIONS, MAX_STEPS, MAX_EPISODES = 3, 2, 3, 6


@dataclass(frozen=True)
class EpisodicRecipe(Recipe[Instance]):
    """A small episodic MDP.

    Parameters
    ----------
    S, A, H, K : int
        Sizes; every episode starts in state 0.
    kernel : tuple of (int, int)
        S*A rows, row ``s*A + a``: (i, j) goes to i or to j with probability 1/2 each.
    rewards : tuple of int
        S*A rewards, in halves.
    offset : int
        Added to all rewards: where it is not 0, they leave [0, 1], and claims that assume this range do not apply.
    """

    S: int
    A: int
    H: int
    K: int
    kernel: tuple[Point, ...]
    rewards: tuple[int, ...]
    offset: int = 0

    legend: ClassVar[str] = "s, a counted from 0; h and episodes from 1"

    @classmethod
    def strategy(cls) -> SearchStrategy[EpisodicRecipe]:
        """Small instances, the simplest first."""
        from hypothesis import strategies as st

        @st.composite
        def recipes(draw: Callable[[SearchStrategy[Any]], Any]) -> EpisodicRecipe:
            S, A, H, K = (draw(st.integers(1, most)) for most in (MAX_STATES, MAX_ACTIONS, MAX_STEPS, MAX_EPISODES))
            kernel = tuple(draw(points(S)) for _ in range(S * A))
            rewards = tuple(draw(st.integers(0, 2)) for _ in range(S * A))
            return cls(S, A, H, K, kernel, rewards, draw(st.sampled_from(OFFSETS)))

        return recipes()

    @property
    def size(self) -> int:
        """Rows of the table, steps of the run."""
        return self.S * self.A + self.H * self.K + (self.offset != 0)

    def smaller(self) -> Iterator[EpisodicRecipe]:
        """With less of everything in turn, then with simpler numbers."""
        for K in dict.fromkeys((1, self.K // 2, self.K - 1)):
            if 0 < K < self.K:
                yield replace(self, K=K)
        if self.offset:
            yield replace(self, offset=0)
        if self.H > 1:
            yield replace(self, H=self.H - 1)
        for s in range(1, self.S):
            kept = [x for x in range(self.S * self.A) if x // self.A != s]
            rows = dropped(tuple(self.kernel[x] for x in kept), s)
            yield replace(self, S=self.S - 1, kernel=rows, rewards=tuple(self.rewards[x] for x in kept))
        for a in range(self.A if self.A > 1 else 0):
            kept = [x for x in range(self.S * self.A) if x % self.A != a]
            yield replace(
                self, A=self.A - 1, kernel=tuple(self.kernel[x] for x in kept), rewards=tuple(self.rewards[x] for x in kept)
            )
        for kernel in rounded(self.kernel):
            yield replace(self, kernel=kernel)
        for x, reward in enumerate(self.rewards):
            for value in range(reward):
                yield replace(self, rewards=(*self.rewards[:x], value, *self.rewards[x + 1 :]))

    def build(self) -> Instance:
        """The instance."""
        rewards = np.array(self.rewards) / 2 + self.offset
        span = (float(self.offset), self.offset + 1.0)
        return make(coordinates(self.kernel, self.S), rewards, H=self.H, K=self.K, span=span)

    def tables(self) -> str:
        """Sizes, and one row per state and action: transition probabilities and reward."""
        instance = self.build()
        public, P = instance.public, instance.truth.P
        head = ["s", "a", *(f"P({s})" for s in range(self.S)), "r"]
        rows = [
            [str(s), str(a), *map(number, P[s * self.A + a]), number(public.reward[s * self.A + a])]
            for s in range(self.S)
            for a in range(self.A)
        ]
        sizes = ", ".join(f"{name} = {getattr(public, name)}" for name in ("S", "A", "H", "K"))
        span = f"rewards in [{number(public.low)}, {number(public.high)}]"
        return "\n".join([f"{sizes}, delta = {number(public.delta)}, {span}, starts in 0", *aligned([head, *rows])])

    def transcript(self, run: Run) -> str:
        """One row per episode: the path s -a-> s'."""
        rows = [["episode", "path"]]
        for k, (states, actions) in enumerate(zip(run.states, run.actions, strict=True)):
            path = "".join(f" -a{a}-> {s}" for a, s in zip(actions, states[1:], strict=True))
            rows.append([str(k + 1), f"{states[0]}{path}"])
        return "\n".join(aligned(rows))
