"""Small instances of the discounted setting for the search, see `verifier_settings.drawing`.

Every instance is a linear mixture, so that one recipe serves the tabular and the mixture algorithm: d kernels whose rows are
points of a simplex, mixed with weights that are such a point too. Rewards are halves and discount factors eighths.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier_settings import drawing, printed
from verifier_settings.discounted.instance import Instance, make
from verifier_settings.discounted.run import Run
from verifier_settings.drawing import DrawnRecipe, counted, flag, number, option, point, run, size, table
from verifier_settings.parts import Point, Row

Prior: TypeAlias = Literal["uniform", "leaning"]

PRIORS: tuple[Prior, ...] = ("uniform", "leaning")
"""pi_0: uniform, or three times as much on the last action as on all others together."""

EIGHTHS = (4, 1, 6, 7)
"""Discount factors in eighths, easiest to follow by hand first."""

STEPS_PER_LINE = 9


@dataclass(frozen=True)
class DiscountedRecipe(DrawnRecipe[Instance]):
    """A discounted linear mixture in a few small numbers."""

    X: int = size(3)
    A: int = size(2)
    d = counted(3)
    T: int = run(16)
    kernels: tuple[Row, ...] = table("d", "X*A", point("X"))  # psi_i(x,a,.) before the rotation
    rewards: tuple[tuple[int, ...], ...] = table("X", "A", number(2))  # in halves
    weights: Point = point("d")  # theta before the rotation
    start: Point = point("X")  # nu_0
    rotated: bool = flag(where="d")  # psi and theta by the angle with cosine 3/5, so that features take both signs
    loose: bool = flag(where="d")  # declares B = d, not the smallest one, sqrt(d)
    prior: Prior = option(PRIORS, where="A")  # pi_0
    eighths: int = option(EIGHTHS)  # gamma
    ridge: float = option((1.0,))  # lambda

    legend: ClassVar[str] = "x, a counted from 0; epochs and steps from 1"

    @property
    def B(self) -> float:
        """The declared bound. Each kernel has rows of sum 1, so the largest norm of psi is sqrt(d), and ||theta|| <= 1."""
        return float(self.d if self.loose else np.sqrt(self.d))

    def build(self) -> Instance:
        """The instance."""
        kernels = np.stack([drawing.coordinates(kernel, self.X) for kernel in self.kernels], axis=-1)
        theta = drawing.coordinates([self.weights], self.d)[0]
        turn = drawing.rotation(self.d) if self.rotated else np.eye(self.d)
        return make(
            P=kernels @ theta,
            reward=np.array(self.rewards) / 2,
            start=drawing.coordinates([self.start], self.X)[0],
            gamma=self.eighths / 8,
            T=self.T,
            psi=kernels @ turn.T,
            theta=turn @ theta,
            B=self.B,
            ridge=self.ridge,
            initial_policy=np.tile(self._prior(), (self.X, 1)),
        )

    def _prior(self) -> Array:
        """Initial policy pi_0(.|x), shape (A,)."""
        if self.prior == "uniform" or self.A == 1:
            return np.full(self.A, 1.0 / self.A)
        return np.array([0.25 / (self.A - 1)] * (self.A - 1) + [0.75])

    def tables(self) -> str:
        """Sizes and constants, and one row per state and action: reward, transition probabilities, features by coordinate."""
        instance = self.build()
        public, truth = instance.public, instance.truth
        laws = f"{printed.facts(truth, 'nu_0=start theta')}, pi_0(.|x) = {printed.shown(public.initial_policy[0])}"
        features = {f"psi_{i + 1}(x,a,.)": public.psi[:, :, i] for i in range(self.d)}
        columns = {"r": public.reward.ravel(), "P({})": truth.P, **features}
        rows = printed.listed({"x": range(self.X), "a": range(self.A)}, columns)
        return "\n".join([printed.facts(public, "X A T d gamma lambda=ridge B"), laws, rows])

    def transcript(self, run: Run) -> str:
        """Table with a row per epoch: its first step, counted from 1, and the path x -a-> x'. A bar stands after step T."""
        rows: list[list[Any]] = []
        ends = [*run.plans[1:], len(run.states)]
        for k, (first, end) in enumerate(zip(run.plans, ends, strict=True)):
            for begin in range(first, end, STEPS_PER_LINE):
                path = self._path(run, begin, min(begin + STEPS_PER_LINE, end))
                rows.append([k + 1 if begin == first else "", begin + 1, path])
        return printed.table(["epoch", "from", "path"], rows)

    def _path(self, run: Run, begin: int, end: int) -> str:
        text = str(run.states[begin])
        for t in range(begin, end):
            text += " |" * (t == self.T) + f" -a{run.actions[t]}-> {run.successors[t]}"
        return text + " reset" * bool(run.resets[end - 1])
