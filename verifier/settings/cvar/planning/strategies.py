"""Small planning problems for the search, written down in the same way as those of `verifier.settings.cvar.strategies`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from verifier.base.tables import aligned
from verifier.model.setting import Recipe
from verifier.settings.cvar.planning.instance import Instance, make
from verifier.settings.cvar.planning.views import Run
from verifier.settings.cvar.strategies import Model, Row, replaced
from verifier.settings.drawing import coordinates, dropped, number, points, rounded, vector, without

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@dataclass(frozen=True)
class PlanningRecipe(Recipe[Instance]):
    """A planning problem in a few small numbers.

    Parameters
    ----------
    S, A, T1, m, q, budget : int
        States, actions, rounds; rewards are multiples of 1/m, budgets of q/m; the index of the initial budget.
    models : tuple of Model
        Features and measures of each of H-1 steps.
    rewards : tuple of tuple of Point
        H by S*A laws on {0, ..., m}.
    bonuses : tuple of tuple of int
        H by S*A, in units of 1.
    """

    S: int
    A: int
    T1: int
    m: int
    q: int
    budget: int
    models: tuple[Model, ...]
    rewards: tuple[Row, ...]
    bonuses: tuple[tuple[int, ...], ...]

    @classmethod
    def strategy(cls) -> SearchStrategy[PlanningRecipe]:
        """What the search draws from: `problems` with its defaults."""
        return problems()

    @property
    def H(self) -> int:
        """Steps."""
        return len(self.rewards)

    @property
    def d(self) -> int:
        """Rank."""
        return len(self.models[0][1]) if self.models else 1

    @property
    def size(self) -> int:
        """Rows of the table times the length of phibar, steps of the run."""
        return self.S * self.A * self.H * self.d * (self.m + 1) + self.H * self.T1

    def smaller(self) -> Iterator[PlanningRecipe]:
        """With less of everything in turn, then with simpler numbers."""
        for T1 in dict.fromkeys((1, self.T1 // 2, self.T1 - 1)):
            if 0 < T1 < self.T1:
                yield replace(self, T1=T1)
        for h in range(self.H if self.H > 1 else 0):
            rewards, bonuses = without(self.rewards, h), without(self.bonuses, h)
            fewer = replace(self, rewards=rewards, bonuses=bonuses, models=without(self.models, min(h, self.H - 2)))
            yield replace(fewer, budget=min(self.budget, fewer.largest_budget))
        for s in range(self.S if self.S > 1 else 0):
            yield replace(self._on([x // self.A != s for x in range(self.S * self.A)], s), S=self.S - 1)
        for a in range(self.A if self.A > 1 else 0):
            yield replace(self._on([x % self.A != a for x in range(self.S * self.A)]), A=self.A - 1)
        for i in range(self.d if self.d > 1 else 0):
            yield replace(self, models=tuple((dropped(features, i), without(m, i)) for features, m in self.models))
        if (self.m, self.q) != (1, 1):
            rewards = tuple(tuple((min(i, 1), min(j, 1)) for i, j in row) for row in self.rewards)
            yield replace(self, m=1, q=1, rewards=rewards, budget=min(self.budget, self.H))
        if self.budget:
            yield replace(self, budget=0)
        yield from self._with_simpler_numbers()

    def _with_simpler_numbers(self) -> Iterator[PlanningRecipe]:
        for h, row in enumerate(self.rewards):
            for simpler in rounded(row):
                yield replace(self, rewards=replaced(self.rewards, h, simpler))
        for h, (features, measures) in enumerate(self.models):
            for simpler in rounded(features):
                yield replace(self, models=replaced(self.models, h, (simpler, measures)))
            for simpler in rounded(measures):
                yield replace(self, models=replaced(self.models, h, (features, simpler)))
        for h, bonuses in enumerate(self.bonuses):
            for x, bonus in enumerate(bonuses):
                for lower in range(bonus):
                    yield replace(self, bonuses=replaced(self.bonuses, h, replaced(bonuses, x, lower)))

    @property
    def largest_budget(self) -> int:
        """The largest index of the grid."""
        return self.H * -(-self.m // self.q)

    def _on(self, kept: list[bool], state: int | None = None) -> PlanningRecipe:
        """Only some state-action pairs; measures without a state where one is given."""

        def rows(row: tuple[Any, ...]) -> tuple[Any, ...]:
            return tuple(item for item, keep in zip(row, kept, strict=True) if keep)

        models = tuple((rows(f), measures if state is None else dropped(measures, state)) for f, measures in self.models)
        return replace(self, models=models, rewards=tuple(map(rows, self.rewards)), bonuses=tuple(map(rows, self.bonuses)))

    def build(self) -> Instance:
        """The problem."""
        X, steps = self.S * self.A, self.H - 1
        return make(
            phi=np.array([coordinates(features, self.d) for features, _ in self.models]).reshape(steps, X, self.d),
            psi=np.array([coordinates(measures, self.S) for _, measures in self.models]).reshape(steps, self.d, self.S),
            reward=np.stack([coordinates(row, self.m + 1) for row in self.rewards]),
            A=self.A,
            bonus=np.array(self.bonuses, dtype=float),
            budget=self.budget,
            q=self.q,
            T1=self.T1,
            T2=5,
        )

    def tables(self) -> str:
        """Sizes, and one row per step, state and action: bonus, reward law, features and transitions."""
        instance = self.build()
        public = instance.public
        lines = [
            f"S = {self.S}, A = {self.A}, H = {self.H}, d = {self.d}, T1 = {self.T1}, upsilon = {self.q}/{self.m}, "
            f"initial budget {number(public.grid.levels[self.budget])}"
        ]
        levels = (f"Pr(r={number(level)})" for level in public.grid.levels[: public.grid.n + 1])
        rows = [["h", "s", "a", "b", *levels, "phi", *(f"P({s})" for s in range(self.S))]]
        for h, s, a in np.ndindex(self.H, self.S, self.A):
            x = s * self.A + a
            row = [str(h + 1), str(s), str(a), str(self.bonuses[h][x]), *map(number, public.reward[h, x])]
            moves = [vector(public.phi[h, x]), *map(number, public.P[h, x])] if h < self.H - 1 else [""] * (self.S + 1)
            rows.append([*row, *moves])
        return "\n".join([*lines, *aligned(rows)])

    def transcript(self, run: Run) -> str:
        """One row per planning episode: the path s -a-> s' with the rewards, as multiples of upsilon."""
        rows = [["t", "path"]]
        for t, episode in enumerate(run.history):
            steps = zip(episode.states[0], episode.actions[0], episode.rewards[0], strict=True)
            rows.append([str(t + 1), " -> ".join(f"{s} (a{a}, r={j})" for s, a, j in steps)])
        return "\n".join(aligned(rows))


def problems(
    max_states: int = 3,
    max_actions: int = 2,
    max_rank: int = 2,
    max_steps: int = 3,
    max_rounds: int = 5,
    max_atoms: int = 3,
    max_bonus: int = 3,
) -> SearchStrategy[PlanningRecipe]:
    """Small planning problems, the simplest first.

    Parameters
    ----------
    max_states, max_actions, max_rank, max_steps, max_rounds, max_atoms, max_bonus : int
        Largest sizes, at least 1 and below 10. With three steps of a bonus of 3 values fall far below the printed clip -H.

    Returns
    -------
    hypothesis.strategies.SearchStrategy
        Of `PlanningRecipe`.
    """
    from hypothesis import strategies as st

    @st.composite
    def recipes(draw: Callable[[SearchStrategy[Any]], Any]) -> PlanningRecipe:
        def size(largest: int) -> int:
            return int(draw(st.integers(1, largest))) if largest > 1 else 1

        S, A, d, H, T1, m = map(size, (max_states, max_actions, max_rank, max_steps, max_rounds, max_atoms))
        q = size(m)

        def row(length: int, corners: int) -> Row:
            return tuple(draw(points(corners)) for _ in range(length))

        models = tuple((row(S * A, d), row(d, S)) for _ in range(H - 1))
        rewards = tuple(row(S * A, m + 1) for _ in range(H))
        bonuses = tuple(tuple(draw(st.integers(0, max_bonus)) for _ in range(S * A)) for _ in range(H))
        drawn = PlanningRecipe(S, A, T1, m, q, 0, models, rewards, bonuses)
        return replace(drawn, budget=draw(st.integers(0, drawn.largest_budget)))

    return recipes()
