"""Small instances of the CVaR setting for the search, see `verifier_settings.drawing`.

Every feature vector, measure and reward law is a point of a simplex; hypothesis shrinks towards tau = 1 and one model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from verifier_settings import drawing, printed
from verifier_settings.cvar.instance import Instance, make
from verifier_settings.cvar.run import Run
from verifier_settings.drawing import DrawnRecipe, counted, index, number, option, point, run, size, table, together
from verifier_settings.parts import Row

Model: TypeAlias = tuple[Row, Row]
"""Features phi(s,a), S*A points in R^d, and measures, d points in R^S."""

MODEL = together(table("S*A", point("d")), table("d", point("S")))

RISK_LEVELS = (100, 50, 25, 10)
"""tau in percent, the risk-neutral one first."""


@dataclass(frozen=True)
class CVaRRecipe(DrawnRecipe[Instance]):
    """A low-rank MDP and its model class in a few small numbers."""

    S: int = size(3)
    A: int = size(2)
    d = counted(2, inside="H")
    H = counted(4)  # the least number with two steps that have a bonus
    M = counted(3, inside="H")
    K: int = run(5, of="H")
    m: int = size(3)  # rewards are multiples of 1/m
    q: int = number("m", least=1)  # the coarse step is q/m
    percent: int = option(RISK_LEVELS)  # 100 tau
    models: tuple[tuple[Model, ...], ...] = table("H-1", "M", MODEL)
    truth: tuple[int, ...] = table("H-1", index("M"))
    rewards: tuple[Row, ...] = table("H", "S*A", point("m+1"))  # laws on {0, ..., m}

    def smaller(self) -> Iterator[CVaRRecipe]:
        """Smaller recipes; also without a model of each step that is not the true one there."""
        yield from super().smaller()
        for decoy in range(self.M - 1):
            places = [decoy + (decoy >= t) for t in self.truth]
            models = tuple((*step[:i], *step[i + 1 :]) for step, i in zip(self.models, places, strict=True))
            yield replace(self, models=models, truth=tuple(t - (i < t) for t, i in zip(self.truth, places, strict=True)))

    def build(self) -> Instance:
        """The instance."""
        steps, X = self.H - 1, self.S * self.A
        phi, psi = np.zeros((self.M, steps, X, self.d)), np.zeros((self.M, steps, self.d, self.S))
        for h, step in enumerate(self.models):
            for i, (features, measures) in enumerate(step):
                phi[i, h], psi[i, h] = drawing.coordinates(features, self.d), drawing.coordinates(measures, self.S)
        return make(
            phi=phi,
            psi=psi,
            index=list(self.truth),
            A=self.A,
            K=self.K,
            tau=self.percent / 100,
            reward=np.stack([drawing.coordinates(row, self.m + 1) for row in self.rewards]),
            q=self.q,
            T1=3,
            T2=5,
        )

    def tables(self) -> str:
        """Sizes, and one row per step, state and action: reward law, and features and transitions of each model."""
        public = self.build().public
        laws = {f"Pr(r={printed.number(j / self.m)})": public.reward[..., j].ravel() for j in range(self.m + 1)}
        facts = f"{printed.facts(public, 'S A H K d tau')}, upsilon = {self.q}/{self.m}"
        blocks, indices = [facts, printed.listed(printed.steps(public), laws)], printed.steps(public, last=self.H - 1)
        for i in range(self.M if self.H > 1 else 0):
            true = np.repeat(["true" if t == i else "" for t in self.truth], self.S * self.A)
            kernels = {f"phi of model {i}": np.concatenate(public.phi[i]), "P({})": np.concatenate(public.kernels[i])}
            blocks.append(printed.listed(indices, {**kernels, "": true}))
        return "\n".join(blocks)

    def transcript(self, run: Run) -> str:
        """Table with a row per trajectory: iteration, and the path s -a-> s' with the rewards."""
        paths: list[str] = []
        for k, j in np.ndindex(*run.actions.shape[:2]):
            states, actions, rewards = run.states[k, j], run.actions[k, j], run.rewards[k, j]
            path = str(states[0])
            for a, r, s in zip(actions, rewards, states[1:], strict=True):
                path += f" -a{a}, r={printed.number(int(r) / self.m)}->" + (f" {s}" if s >= 0 else "") if a >= 0 else ""
            paths.append(path)
        iterations, trajectories = run.actions.shape[:2]
        indices = {"iteration": range(1, iterations + 1), "trajectory": range(trajectories)}
        return printed.listed(indices, {"path": paths})
