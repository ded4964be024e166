"""Small planning problems for the search, written down in the same way as those of `verifier_settings.cvar.strategies`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from verifier_settings import drawing
from verifier_settings.cvar.planning.instance import Instance, make
from verifier_settings.cvar.planning.views import Run
from verifier_settings.cvar.strategies import Change, Model, capped, mapped, with_models
from verifier_settings.drawing import Draw, DrawnRecipe, Row


@dataclass(frozen=True)
class PlanningRecipe(DrawnRecipe[Instance]):
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
    def drawn(cls, draw: Draw) -> PlanningRecipe:
        """A recipe; with three steps of a bonus of 3 values fall far below the printed clip -H."""
        S, A, d, H, T1, m = draw.sizes(S=3, A=2, d=2, H=3, T1=5, m=3)
        H = with_models(draw, H, ("d",))
        q = draw.size(m)
        models = tuple((draw.points(S * A, d), draw.points(d, S)) for _ in range(H - 1))
        rewards = tuple(draw.points(S * A, m + 1) for _ in range(H))
        bonuses = tuple(draw.numbers(S * A, 3) for _ in range(H))
        recipe = cls(S, A, T1, m, q, 0, models, rewards, bonuses)
        return replace(recipe, budget=draw.number(0, recipe.largest_budget))

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
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("T1")
        for h in drawing.several(self.H):
            rewards, bonuses = drawing.without(self.rewards, h), drawing.without(self.bonuses, h)
            fewer = replace(self, rewards=rewards, bonuses=bonuses, models=drawing.without(self.models, min(h, self.H - 2)))
            yield replace(fewer, budget=min(self.budget, fewer.largest_budget))
        for s in drawing.several(self.S):
            pairs = partial(drawing.without_state, A=self.A, s=s)
            yield replace(self._on(pairs, partial(drawing.dropped, corner=s)), S=self.S - 1)
        for a in drawing.several(self.A):
            yield replace(self._on(partial(drawing.without_action, A=self.A, a=a)), A=self.A - 1)
        for i in drawing.several(self.d):
            yield replace(self, models=mapped(self.models, partial(drawing.dropped, corner=i), partial(drawing.without, i=i)))
        if (self.m, self.q) != (1, 1):
            yield replace(self, m=1, q=1, rewards=capped(self.rewards, 1), budget=min(self.budget, self.H))
        yield from self._plain("budget", 0)
        yield from self._simplified("rewards", drawing.ends, 2)
        yield from self._simplified("models", drawing.ends, 3)
        yield from self._simplified("bonuses", range, 2)

    @property
    def largest_budget(self) -> int:
        """The largest index of the grid."""
        return self.H * -(-self.m // self.q)

    def _on(self, pairs: Change, measures: Change = tuple) -> PlanningRecipe:
        """Recipe with other state-action pairs, and other measures."""
        rewards, bonuses = (tuple(map(pairs, table)) for table in (self.rewards, self.bonuses))
        return replace(self, models=mapped(self.models, pairs, measures), rewards=rewards, bonuses=bonuses)

    def build(self) -> Instance:
        """The problem."""
        X, steps = self.S * self.A, self.H - 1
        return make(
            phi=np.array([drawing.coordinates(features, self.d) for features, _ in self.models]).reshape(steps, X, self.d),
            psi=np.array([drawing.coordinates(measures, self.S) for _, measures in self.models]).reshape(steps, self.d, self.S),
            reward=np.stack([drawing.coordinates(row, self.m + 1) for row in self.rewards]),
            A=self.A,
            bonus=np.array(self.bonuses, dtype=float),
            budget=self.budget,
            q=self.q,
            T1=self.T1,
            T2=5,
        )

    def tables(self) -> str:
        """Sizes, and one row per step, state and action: bonus, reward law, features and transitions."""
        public = self.build().public
        levels = [drawing.number(level) for level in public.grid.levels]
        sizes = f"{drawing.facts(self, 'S A H d T1')}, upsilon = {self.q}/{self.m}, initial budget {levels[self.budget]}"
        atoms = (f"Pr(r={level})" for level in levels[: public.grid.n + 1])
        head = ["h", "s", "a", "b", *atoms, "phi", *(f"P({s})" for s in range(self.S))]
        rows: list[list[Any]] = []
        for h in range(self.H):
            for x, (s, a) in enumerate(np.ndindex(self.S, self.A)):
                moves = [public.phi[h, x], *public.P[h, x]] if h < self.H - 1 else [""] * (self.S + 1)
                rows.append([h + 1, s, a, self.bonuses[h][x], *public.reward[h, x], *moves])
        return f"{sizes}\n{drawing.table(head, rows)}"

    def transcript(self, run: Run) -> str:
        """Table with a row per planning episode: the path s -a-> s' with the rewards, as multiples of upsilon."""
        rows: list[list[Any]] = []
        for t, episode in enumerate(run.history):
            steps = zip(episode.states[0], episode.actions[0], episode.rewards[0], strict=True)
            rows.append([t + 1, " -> ".join(f"{s} (a{a}, r={j})" for s, a, j in steps)])
        return drawing.table(["t", "path"], rows)
