"""Small instances of the lifelong setting for the search, see `verifier_settings.drawing`.

Every feature vector and every measure is a point of a simplex; rewards are halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np

from verifier_settings import drawing, printed
from verifier_settings.drawing import DrawnRecipe, counted, number, option, point, run, size, table
from verifier_settings.lifelong.instance import Instance, make
from verifier_settings.lifelong.run import Run
from verifier_settings.parts import Draw, Option, Row

Contexts: TypeAlias = Literal["one-hot", "rotated", "copied", "between"]
"""The unit vectors; these with the first two rotated by the angle with cosine 3/5; these and a copy of the first that is no
representative; these and a context halfway between the first two."""

EXACT: tuple[Contexts, ...] = ("one-hot", "copied", "rotated")
"""Context features for which Assumptions 1, 2 and 3 hold by construction; ``between`` breaks Assumption 2."""

TASKS = ("round-robin", "fixed-start", "iid", "blocks", "late-context", "adaptive-regret", "adaptive-novelty")
"""Task rules, easiest to follow by hand first."""


LEAST: dict[Contexts, int] = {"one-hot": 1, "rotated": 2, "copied": 2, "between": 3}
"""The least number of contexts for which a kind differs from the simpler ones."""


@dataclass(frozen=True)
class LifelongRecipe(DrawnRecipe[Instance]):
    """A contextual linear MDP in a few small numbers."""

    S: int = size(3)
    A: int = size(2)
    H = counted(3)
    K: int = run(6, of="H")
    W = counted(2)
    tasks: str = option(TASKS)
    ridge: float = option((1.0,))  # lambda
    contexts: Contexts = option(EXACT)  # rho
    m = counted()
    d = counted(4)
    features: Row = table("S*A", point("d"))  # phi(s,a)
    measures: tuple[Row, ...] = table("H", "d", point("S"))  # mu_h^(i)
    rewards: tuple[tuple[tuple[int, ...], ...], ...] = table("H", "d", "m", number(2))  # of feature i in direction j, in halves

    legend: ClassVar[str] = "s, a, w, e_i counted from 0; h and episodes from 1"

    @classmethod
    def drawn(cls, draw: Draw) -> Self:
        """A recipe; of W contexts a copy is no direction, and features are often those of a table."""
        values = cls.filled(draw, {}, ["S", "A", "H", "K", "W", "tasks", "ridge"])
        contexts, pairs = cls.declared["contexts"], values["S"] * values["A"]
        assert isinstance(contexts, Option)
        values["contexts"] = draw.one_of([kind for kind in contexts.options if LEAST[kind] <= values["W"]])
        values["m"] = values["W"] - (values["contexts"] in ("copied", "between"))
        if draw.given.get("d", pairs) == pairs and 1 < pairs <= 4 and draw.flag():
            values |= {"d": pairs, "features": tuple((i, i) for i in range(pairs))}
        return cls.of(cls.filled(draw, values, cls.declared))

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
        public, P = instance.public, instance.truth.P
        columns = {"phi(s,a)": [*public.phi] * self.H, "P({})": np.concatenate(P), "r(w={})": np.concatenate(public.reward)}
        facts = f"{printed.facts(public, 'S A H K W d m lambda=ridge')}, tasks {self.tasks}"
        contexts = [f"rho(w={w}) = {printed.shown(row)}" for w, row in enumerate(public.rho) if self.contexts != "one-hot"]
        return "\n".join([facts, printed.listed(printed.steps(public), columns), *contexts])

    def transcript(self, run: Run) -> str:
        """Table with a row per episode: context, whether the algorithm planned, and the path s -a-> s'."""
        plans = ["yes" if k in run.plans else "" for k in range(len(run.states))]
        return printed.episodes(run, before={"w": run.contexts, "plans": plans})
