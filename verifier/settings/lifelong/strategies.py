"""Small instances of the lifelong setting for the search: hypothesis strategies, and the recipes they draw.

Every feature vector and every measure is a point ``(e_i + e_j)/2``, written as the pair (i, j) of small numbers; rewards are
halves. So an instance is a short list of small integers that fits on a page, its numbers are exact in binary, and the
simplest choice always comes first: hypothesis shrinks towards one state, one action, one step, one episode, a chain that never
moves and rewards of zero.

Only booleans and integers below 100 are drawn: what hypothesis draws from a seed then does not depend on the constants it
collects from the source files that happen to be loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np

from verifier.base.tables import aligned
from verifier.model.setting import Recipe
from verifier.settings.drawing import (
    Point,
    coordinates,
    dropped,
    nested,
    number,
    points,
    rotation,
    rounded,
    vector,
    without,
)
from verifier.settings.lifelong.instance import Instance, make
from verifier.settings.lifelong.run import Run

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Contexts: TypeAlias = Literal["one-hot", "rotated", "copied", "between"]

EXACT: tuple[Contexts, ...] = ("one-hot", "copied", "rotated")
"""Context features for which Assumptions 1, 2 and 3 hold by construction; ``between`` breaks Assumption 2."""

TASKS = ("round-robin", "fixed-start", "iid", "blocks", "late-context", "adaptive-regret", "adaptive-novelty")
"""Task rules, easiest to follow by hand first."""


@dataclass(frozen=True)
class LifelongRecipe(Recipe[Instance]):
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
        Rule that chooses initial state and context (see `verifier.settings.lifelong.tasks`).
    ridge : float
        lambda.
    """

    S: int
    A: int
    K: int
    features: tuple[Point, ...]
    measures: tuple[tuple[Point, ...], ...]
    rewards: tuple[tuple[tuple[int, ...], ...], ...]
    contexts: Contexts = "one-hot"
    tasks: str = "round-robin"
    ridge: float = 1.0

    legend: ClassVar[str] = "s, a, w, e_i counted from 0; h and episodes from 1"

    @classmethod
    def strategy(cls) -> SearchStrategy[LifelongRecipe]:
        """What the search draws from: `instances` with its defaults."""
        return instances()

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
        """With less of everything in turn, then with simpler numbers."""
        for K in dict.fromkeys((1, self.K // 2, self.K - 1)):
            if 0 < K < self.K:
                yield replace(self, K=K)
        for h in range(self.H if self.H > 1 else 0):
            yield replace(self, measures=without(self.measures, h), rewards=without(self.rewards, h))
        for s in range(self.S if self.S > 1 else 0):
            kept = tuple(row for x, row in enumerate(self.features) if x // self.A != s)
            yield replace(self, S=self.S - 1, features=kept, measures=tuple(dropped(row, s) for row in self.measures))
        for a in range(self.A if self.A > 1 else 0):
            yield replace(self, A=self.A - 1, features=tuple(row for x, row in enumerate(self.features) if x % self.A != a))
        for i in range(self.d if self.d > 1 else 0):
            measures, rewards = (tuple(without(rows, i) for rows in table) for table in (self.measures, self.rewards))
            yield replace(self, features=dropped(self.features, i), measures=measures, rewards=rewards)
        if self.contexts != "one-hot":
            yield replace(self, contexts="one-hot")
        for j in range(self.m if self.m > 1 and self.contexts == "one-hot" else 0):
            yield replace(self, rewards=tuple(tuple(without(row, j) for row in table) for table in self.rewards))
        for rule in TASKS[: TASKS.index(self.tasks)] if self.tasks in TASKS else ():
            yield replace(self, tasks=rule)
        for features in rounded(self.features):
            yield replace(self, features=features)
        for h, row in enumerate(self.measures):
            for points_of_step in rounded(row):
                yield replace(self, measures=(*self.measures[:h], points_of_step, *self.measures[h + 1 :]))
        flat = np.array(self.rewards)
        for index in np.ndindex(flat.shape):
            for value in range(flat[index]):
                changed = flat.copy()
                changed[index] = value
                yield replace(self, rewards=nested(changed.tolist(), tuple))

    def build(self) -> Instance:
        """The instance."""
        directions = rotation(self.m) if self.contexts == "rotated" else np.eye(self.m)
        rho, chosen = directions, tuple(range(self.m))
        if self.contexts == "copied":
            rho = np.vstack([directions, directions[0]])
        elif self.contexts == "between":
            rho = np.vstack([directions, (directions[0] + directions[-1]) / 2])
        return make(
            phi=coordinates(self.features, self.d),
            mu=np.stack([coordinates(row, self.S) for row in self.measures]),
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
        sizes = ", ".join(f"{name} = {getattr(public, name)}" for name in ("S", "A", "H", "K", "W", "d", "m"))
        head = ["h", "s", "a", "phi(s,a)", *(f"P({s})" for s in range(self.S)), *(f"r(w={w})" for w in range(public.W))]
        rows = [
            [str(h + 1), str(s), str(a), vector(public.phi[x]), *map(number, truth.P[h, x]), *map(number, public.reward[h, x])]
            for h in range(self.H)
            for s in range(self.S)
            for a in range(self.A)
            for x in [s * self.A + a]
        ]
        lines = [f"{sizes}, lambda = {number(self.ridge)}, tasks {self.tasks}", *aligned([head, *rows])]
        if self.contexts != "one-hot":
            lines += [f"rho(w={w}) = {vector(row)}" for w, row in enumerate(public.rho)]
        return "\n".join(lines)

    def transcript(self, run: Run) -> str:
        """One row per episode: context, whether the algorithm planned, and the path s -a-> s'."""
        rows = [["episode", "w", "plans", "path"]]
        for k, (states, actions) in enumerate(zip(run.states, run.actions, strict=True)):
            path = str(states[0]) + "".join(f" -a{a}-> {s}" for a, s in zip(actions, states[1:], strict=True))
            rows.append([str(k + 1), str(run.contexts[k]), "yes" if k in run.plans else "", path])
        return "\n".join(aligned(rows))


def instances(
    max_states: int = 3,
    max_actions: int = 2,
    max_d: int = 4,
    max_contexts: int = 2,
    max_steps: int = 3,
    max_episodes: int = 6,
    contexts: Sequence[Contexts] = EXACT,
    tasks: Sequence[str] = TASKS,
    ridges: Sequence[float] = (1.0,),
) -> SearchStrategy[LifelongRecipe]:
    """Small instances, the simplest first.

    Parameters
    ----------
    max_states, max_actions, max_d, max_contexts, max_steps, max_episodes : int
        Largest sizes, at least 1 and below 100.
    contexts : sequence of str
        Kinds of context features to choose from; those in `EXACT` satisfy Assumptions 1, 2 and 3.
    tasks : sequence of str
        Names of task rules to choose from.
    ridges : sequence of float
        Values of lambda to choose from.

    Returns
    -------
    hypothesis.strategies.SearchStrategy
        Of `LifelongRecipe`.
    """
    from hypothesis import strategies as st

    @st.composite
    def recipes(draw: Callable[[SearchStrategy[Any]], Any]) -> LifelongRecipe:
        def size(largest: int) -> int:
            return int(draw(st.integers(1, largest))) if largest > 1 else 1

        def one_of(options: Sequence[Any]) -> Any:
            return draw(st.sampled_from(options)) if len(options) > 1 else options[0]

        S, A, H, K, W = map(size, (max_states, max_actions, max_steps, max_episodes, max_contexts))
        rule, ridge = one_of(tasks), one_of(ridges)
        kind = one_of([kind for kind in contexts if _smallest(kind) <= W])
        m = W - (kind in ("copied", "between"))
        if 1 < S * A <= max_d and draw(st.booleans()):
            d = S * A
            features = [(i, i) for i in range(d)]
        else:
            d = size(max_d)
            features = [draw(points(d)) for _ in range(S * A)]
        measures = tuple(tuple(draw(points(S)) for _ in range(d)) for _ in range(H))
        rewards = tuple(tuple(tuple(draw(st.integers(0, 2)) for _ in range(m)) for _ in range(d)) for _ in range(H))
        return LifelongRecipe(S, A, K, tuple(features), measures, rewards, kind, rule, ridge)

    return recipes()


def _smallest(kind: Contexts) -> int:
    """The least number of contexts for which a kind differs from the simpler ones."""
    return {"one-hot": 1, "rotated": 2, "copied": 2, "between": 3}[kind]
