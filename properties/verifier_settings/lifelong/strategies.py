"""Small instances of the lifelong setting for the search, see `verifier_settings.drawing`.

Every feature vector and every measure is a point of a simplex; rewards are halves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from verifier_settings import drawing
from verifier_settings.drawing import Draw, DrawnRecipe, Row
from verifier_settings.lifelong.instance import Instance, make
from verifier_settings.lifelong.run import Run

Contexts: TypeAlias = Literal["one-hot", "rotated", "copied", "between"]

EXACT: tuple[Contexts, ...] = ("one-hot", "copied", "rotated")
"""Context features for which Assumptions 1, 2 and 3 hold by construction; ``between`` breaks Assumption 2."""

TASKS = ("round-robin", "fixed-start", "iid", "blocks", "late-context", "adaptive-regret", "adaptive-novelty")
"""Task rules, easiest to follow by hand first."""


LEAST: dict[Contexts, int] = {"one-hot": 1, "rotated": 2, "copied": 2, "between": 3}
"""The least number of contexts for which a kind differs from the simpler ones."""


@dataclass(frozen=True)
class LifelongRecipe(DrawnRecipe[Instance]):
    """A contextual linear MDP in a few small numbers.

    Parameters
    ----------
    S, A, K : int
        States, actions, episodes.
    features : tuple of Point
        phi(s,a), row ``s*A + a``; points in R^d.
    measures : tuple of tuple of Point
        mu_h^(i), H rows of d points in R^S.
    rewards : tuple of tuple of tuple of int
        H by d by m; reward of feature i in context direction j at step h, in halves: 0, 1 or 2.
    contexts : {"one-hot", "copied", "rotated", "between"}
        rho: the unit vectors; these and a copy of the first that is no representative; these with the first two rotated by the
        angle with cosine 3/5; these and a context halfway between the first two, for which Assumption 2 fails.
    tasks : str
        Rule that chooses initial state and context (see `verifier_settings.lifelong.tasks`).
    ridge : float
        lambda.
    """

    S: int
    A: int
    K: int
    features: Row
    measures: tuple[Row, ...]
    rewards: tuple[tuple[tuple[int, ...], ...], ...]
    contexts: Contexts = "one-hot"
    tasks: str = "round-robin"
    ridge: float = 1.0

    legend: ClassVar[str] = "s, a, w, e_i counted from 0; h and episodes from 1"

    @classmethod
    def drawn(
        cls, draw: Draw, contexts: Sequence[Contexts] = EXACT, max_contexts: int = 2, ridges: Sequence[float] = (1.0,)
    ) -> LifelongRecipe:
        """A recipe with up to three states and steps, two actions, four features and six episodes.

        Parameters
        ----------
        draw : Draw
        contexts : sequence of str
            Kinds of context features to choose from; those in `EXACT` satisfy Assumptions 1, 2 and 3.
        max_contexts : int
        ridges : sequence of float
            Values of lambda to choose from.
        """
        S, A, H, K, W = draw.sizes(S=3, A=2, H=3, K=6, W=max_contexts)
        rule, ridge = draw.one_of(TASKS), draw.one_of(ridges)
        kind = draw.one_of([kind for kind in contexts if LEAST[kind] <= W])
        m = W - (kind in ("copied", "between"))
        tabular = draw.given("d") in (None, S * A) and 1 < S * A <= 4 and draw.flag()
        (d,) = (S * A,) if tabular else draw.sizes(d=4)
        features = tuple((i, i) for i in range(d)) if tabular else draw.points(S * A, d)
        measures = tuple(draw.points(d, S) for _ in range(H))
        rewards = tuple(tuple(draw.numbers(m, 2) for _ in range(d)) for _ in range(H))
        return cls(S, A, K, features, measures, rewards, kind, rule, ridge)

    @property
    def H(self) -> int:
        """Steps."""
        return len(self.measures)

    @property
    def d(self) -> int:
        """Dimension of phi."""
        return len(self.measures[0])

    @property
    def m(self) -> int:
        """Dimension of rho."""
        return len(self.rewards[0][0])

    @property
    def size(self) -> int:
        """Rows of the table times the length of phi, steps of the run, contexts."""
        return self.S * self.A * self.H * self.d + self.H * self.K + self.m + (self.contexts in ("copied", "between"))

    def smaller(self) -> Iterator[LifelongRecipe]:
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("K")
        for h in drawing.several(self.H):
            yield replace(self, measures=drawing.without(self.measures, h), rewards=drawing.without(self.rewards, h))
        for s in drawing.several(self.S):
            features = drawing.without_state(self.features, self.A, s)
            yield replace(self, S=self.S - 1, features=features, measures=tuple(drawing.dropped(row, s) for row in self.measures))
        for a in drawing.several(self.A):
            yield replace(self, A=self.A - 1, features=drawing.without_action(self.features, self.A, a))
        for i in drawing.several(self.d):
            measures, rewards = (tuple(drawing.without(rows, i) for rows in table) for table in (self.measures, self.rewards))
            yield replace(self, features=drawing.dropped(self.features, i), measures=measures, rewards=rewards)
        yield from self._plain("contexts", "one-hot")
        for j in drawing.several(self.m) if self.contexts == "one-hot" else ():
            yield replace(self, rewards=tuple(tuple(drawing.without(row, j) for row in table) for table in self.rewards))
        yield from self._earlier("tasks", TASKS)
        yield from self._simplified("features", drawing.ends, 1)
        yield from self._simplified("measures", drawing.ends, 2)
        yield from self._simplified("rewards", range, 3)

    def build(self) -> Instance:
        """The instance."""
        directions = drawing.rotation(self.m) if self.contexts == "rotated" else np.eye(self.m)
        rho, chosen = directions, tuple(range(self.m))
        if self.contexts == "copied":
            rho = np.vstack([directions, directions[0]])
        elif self.contexts == "between":
            rho = np.vstack([directions, (directions[0] + directions[-1]) / 2])
        return make(
            phi=drawing.coordinates(self.features, self.d),
            mu=np.stack([drawing.coordinates(row, self.S) for row in self.measures]),
            rho=rho,
            E=np.array(self.rewards) / 2 @ directions,
            K=self.K,
            A=self.A,
            representatives=chosen,
            tasks=self.tasks,
            ridge=self.ridge,
        )

    def tables(self) -> str:
        """Sizes, and one row per step, state and action: features, transition probabilities, rewards by context."""
        instance = self.build()
        public, truth = instance.public, instance.truth
        head = ["h", "s", "a", "phi(s,a)", *(f"P({s})" for s in range(self.S)), *(f"r(w={w})" for w in range(public.W))]
        rows = [
            [h + 1, s, a, public.phi[x], *truth.P[h, x], *public.reward[h, x]]
            for h in range(self.H)
            for x, (s, a) in enumerate(np.ndindex(self.S, self.A))
        ]
        lines = [f"{drawing.facts(public, 'S A H K W d m lambda=ridge')}, tasks {self.tasks}", drawing.table(head, rows)]
        if self.contexts != "one-hot":
            lines += [f"rho(w={w}) = {drawing.shown(row)}" for w, row in enumerate(public.rho)]
        return "\n".join(lines)

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: context, whether the algorithm planned, and the path s -a-> s'."""
        paths = map(drawing.path, run.states, run.actions)
        rows = ([k + 1, run.contexts[k], "yes" if k in run.plans else "", path] for k, path in enumerate(paths))
        return drawing.table(["episode", "w", "plans", "path"], rows)
