"""Recipes of small linear MDPs without rewards, drawn and shrunk when counterexamples are searched for.

Every feature vector and every measure is a point of a simplex, see `verifier_settings.drawing`; rewards are halves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from verifier_settings import drawing
from verifier_settings.drawing import Draw, DrawnRecipe, Row
from verifier_settings.reward_free.instance import Instance, make
from verifier_settings.reward_free.phases import Run

RIDGES = (1.0, 0.25, 0.01)


@dataclass(frozen=True)
class RewardFreeRecipe(DrawnRecipe[Instance]):
    """A linear MDP and two rewards, the given one and the largest, in a few small numbers.

    Parameters
    ----------
    S, A, K : int
        States, actions, episodes; every episode starts in state 0.
    features : tuple of Point
        phi(s,a), row ``s*A + a``; points in R^d.
    measures : tuple of tuple of Point
        mu_h^(i), H rows of d points in R^S.
    rewards : tuple of tuple of int
        H by d; reward of feature i at step h, in halves: 0, 1 or 2.
    turned : bool
        Whether features, measures and rewards are rotated by the angle with cosine 3/5.
    ridge : float
        lambda.
    """

    S: int
    A: int
    K: int
    features: Row
    measures: tuple[Row, ...]
    rewards: tuple[tuple[int, ...], ...]
    turned: bool = False
    ridge: float = 1.0

    legend: ClassVar[str] = "s, a counted from 0; h and episodes from 1; r is revealed after exploration"

    @classmethod
    def drawn(cls, draw: Draw) -> RewardFreeRecipe:
        """Recipe drawn with up to three states, steps and features, two actions and eight episodes."""
        S, A, H, K, d = draw.sizes(S=3, A=2, H=3, K=8, d=3)
        features, measures = draw.points(S * A, d), tuple(draw.points(d, S) for _ in range(H))
        rewards = tuple(draw.numbers(d, 2) for _ in range(H))
        return cls(S, A, K, features, measures, rewards, draw.flag(), draw.one_of(RIDGES))

    @property
    def H(self) -> int:
        """Steps."""
        return len(self.measures)

    @property
    def d(self) -> int:
        """Dimension of phi."""
        return len(self.measures[0])

    @property
    def size(self) -> int:
        """Rows of the table times the length of phi, steps of the run."""
        return self.S * self.A * self.H * self.d + self.H * self.K + self.turned + (self.ridge != 1.0)

    def smaller(self) -> Iterator[RewardFreeRecipe]:
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("K")
        yield from self._plain("turned", False)
        yield from self._earlier("ridge", RIDGES)
        for h in drawing.several(self.H):
            yield replace(self, measures=drawing.without(self.measures, h), rewards=drawing.without(self.rewards, h))
        for s in drawing.several(self.S):
            features = drawing.without_state(self.features, self.A, s)
            yield replace(self, S=self.S - 1, features=features, measures=tuple(drawing.dropped(row, s) for row in self.measures))
        for a in drawing.several(self.A):
            yield replace(self, A=self.A - 1, features=drawing.without_action(self.features, self.A, a))
        for i in drawing.several(self.d):
            measures, rewards = (tuple(drawing.without(row, i) for row in table) for table in (self.measures, self.rewards))
            yield replace(self, features=drawing.dropped(self.features, i), measures=measures, rewards=rewards)
        yield from self._simplified("features", drawing.ends, 1)
        yield from self._simplified("measures", drawing.ends, 2)
        yield from self._simplified("rewards", range, 2)

    def build(self) -> Instance:
        """The instance."""
        turn = drawing.rotation(self.d) if self.turned else np.eye(self.d)
        phi = drawing.coordinates(self.features, self.d) @ turn.T
        mu = turn @ np.stack([drawing.coordinates(row, self.S) for row in self.measures])
        fixed = {"drawn": np.array(self.rewards) / 2 @ turn.T, "all": np.ones((self.H, self.d)) @ turn.T}
        return make(phi, mu, A=self.A, K=self.K, fixed=fixed, pieces=turn.T, ridge=self.ridge)

    def tables(self) -> str:
        """Sizes, and one row per step, state and action: features, transition probabilities and the drawn reward."""
        instance = self.build()
        public, truth, reward = instance.public, instance.truth, instance.reward(instance.fixed["drawn"])
        head = ["h", "s", "a", "phi(s,a)", *(f"P({s})" for s in range(self.S)), "r"]
        rows = [
            [h + 1, s, a, public.phi[x], *truth.P[h, x], reward[h, x]]
            for h in range(self.H)
            for x, (s, a) in enumerate(np.ndindex(self.S, self.A))
        ]
        return f"{drawing.facts(public, 'S A H K d lambda=ridge delta')}, starts in 0\n{drawing.table(head, rows)}"

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: the path s -a-> s', and the steps at which the threshold was exceeded."""
        paths = map(drawing.path, run.states, run.actions)
        steps = (" ".join(str(h + 1) for h in np.flatnonzero(row)) for row in run.series.enlarged)
        rows = ([k + 1, path, step] for k, (path, step) in enumerate(zip(paths, steps, strict=True)))
        return drawing.table(["episode", "path", "enlarged at"], rows)
