"""Recipes of small linear MDPs without rewards, drawn and shrunk when counterexamples are searched for.

Every feature vector and every measure is a point of a simplex, see `verifier_settings.drawing`; rewards are halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from verifier_settings import drawing, printed
from verifier_settings.drawing import DrawnRecipe, counted, flag, number, option, point, run, size, table
from verifier_settings.parts import Row
from verifier_settings.reward_free.instance import Instance, make
from verifier_settings.reward_free.phases import Run

RIDGES = (1.0, 0.25, 0.01)


@dataclass(frozen=True)
class RewardFreeRecipe(DrawnRecipe[Instance]):
    """A linear MDP and two rewards, the given one and the largest; every episode starts in state 0."""

    S: int = size(3)
    A: int = size(2)
    H = counted(3)
    K: int = run(8, of="H")
    d = counted(3)
    features: Row = table("S*A", point("d"))  # phi(s,a)
    measures: tuple[Row, ...] = table("H", "d", point("S"))  # mu_h^(i)
    rewards: tuple[tuple[int, ...], ...] = table("H", "d", number(2))  # of feature i at step h, in halves
    turned: bool = flag()  # features, measures and rewards, by the angle with cosine 3/5
    ridge: float = option(RIDGES)  # lambda

    legend: ClassVar[str] = "s, a counted from 0; h and episodes from 1; r is revealed after exploration"

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
        public, P, reward = instance.public, instance.truth.P, instance.reward(instance.fixed["drawn"])
        columns = {"phi(s,a)": [*public.phi] * self.H, "P({})": np.concatenate(P), "r": reward.ravel()}
        facts = f"{printed.facts(public, 'S A H K d lambda=ridge delta')}, starts in 0"
        return f"{facts}\n{printed.listed(printed.steps(public), columns)}"

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: the path s -a-> s', and the steps at which the threshold was exceeded."""
        steps = [" ".join(str(h + 1) for h in np.flatnonzero(row)) for row in run.series.enlarged]
        return printed.episodes(run, after={"enlarged at": steps})
