"""Small planning problems for the search, written down in the same way as those of `verifier_settings.cvar.strategies`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verifier_settings import drawing, printed
from verifier_settings.cvar.planning.instance import Instance, make
from verifier_settings.cvar.planning.views import Run
from verifier_settings.cvar.strategies import MODEL, Model
from verifier_settings.drawing import DrawnRecipe, counted, number, point, run, size, table
from verifier_settings.parts import Row


@dataclass(frozen=True)
class PlanningRecipe(DrawnRecipe[Instance]):
    """A planning problem in a few small numbers."""

    S: int = size(3)
    A: int = size(2)
    d = counted(2, inside="H")
    H = counted(3)  # with three steps of a bonus of 3 values fall far below the printed clip -H
    T1: int = run(5, of="H")
    m: int = size(3)  # rewards are multiples of 1/m
    q: int = number("m", least=1)  # budgets are multiples of q/m
    models: tuple[Model, ...] = table("H-1", MODEL)
    rewards: tuple[Row, ...] = table("H", "S*A", point("m+1"))  # laws on {0, ..., m}
    bonuses: tuple[tuple[int, ...], ...] = table("H", "S*A", number(3))
    budget: int = number(lambda values: values["H"] * -(-values["m"] // values["q"]))  # index of the initial one

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
        levels = [printed.number(level) for level in public.grid.levels]
        laws = {f"Pr(r={levels[j]})": public.reward[..., j].ravel() for j in range(public.grid.n + 1)}
        X, last = self.S * self.A, self.H - 1
        phi, P = public.phi[:last].reshape(last * X, self.d), public.P[:last].reshape(last * X, self.S)
        moves = {"phi": [*phi, *[""] * X], "P({})": [*P, *[[""] * self.S] * X]}
        sizes = f"{printed.facts(self, 'S A H d T1')}, upsilon = {self.q}/{self.m}, initial budget {levels[self.budget]}"
        return f"{sizes}\n{printed.listed(printed.steps(self), {'b': np.ravel(self.bonuses), **laws, **moves})}"

    def transcript(self, run: Run) -> str:
        """Table with a row per planning episode: the path s -a-> s' with the rewards, as multiples of upsilon."""
        paths = []
        for episode in run.history:
            steps = zip(episode.states[0], episode.actions[0], episode.rewards[0], strict=True)
            paths.append(" -> ".join(f"{s} (a{a}, r={j})" for s, a, j in steps))
        return printed.listed({"t": range(1, len(paths) + 1)}, {"path": paths})
