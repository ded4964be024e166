"""Small instances of the discounted setting for the search, see `verifier_settings.drawing`.

Every instance is a linear mixture, so that one recipe serves the tabular and the mixture algorithm: d kernels whose rows are
points of a simplex, mixed with weights that are such a point too. Rewards are halves and discount factors eighths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from verifier.base.arrays import Array
from verifier_settings import drawing
from verifier_settings.discounted.instance import Instance, make
from verifier_settings.discounted.run import Run
from verifier_settings.drawing import Draw, DrawnRecipe, Point, Row

Prior: TypeAlias = Literal["uniform", "leaning"]

PRIORS: tuple[Prior, ...] = ("uniform", "leaning")
"""pi_0: uniform, or three times as much on the last action as on all others together."""

EIGHTHS = (4, 1, 6, 7)
"""Discount factors in eighths, easiest to follow by hand first."""

STEPS_PER_LINE = 9


@dataclass(frozen=True)
class DiscountedRecipe(DrawnRecipe[Instance]):
    """A discounted linear mixture in a few small numbers.

    Parameters
    ----------
    X, A, T : int
        States, actions, steps.
    kernels : tuple of tuple of Point
        d kernels of X*A points in R^X, row ``x*A + a``: psi_i(x,a,.) before the rotation.
    weights : Point
        theta before the rotation, a point in R^d.
    rewards : tuple of tuple of int
        X by A, in halves: 0, 1 or 2.
    start : Point
        nu_0.
    eighths : int
        gamma in eighths, 1 to 7.
    rotated : bool
        Turn psi and theta in the first two coordinates by the angle with cosine 3/5, so that features take both signs.
    prior : {"uniform", "leaning"}
        pi_0.
    loose : bool
        Declare B = d, not the smallest one, sqrt(d).
    ridge : float
        lambda.
    """

    X: int
    A: int
    T: int
    kernels: tuple[Row, ...]
    weights: Point
    rewards: tuple[tuple[int, ...], ...]
    start: Point = (0, 0)
    eighths: int = EIGHTHS[0]
    rotated: bool = False
    prior: Prior = "uniform"
    loose: bool = False
    ridge: float = 1.0

    legend: ClassVar[str] = "x, a counted from 0; epochs and steps from 1"

    @classmethod
    def drawn(cls, draw: Draw, ridges: Sequence[float] = (1.0,)) -> DiscountedRecipe:
        """A recipe with up to three states and kernels, two actions and 16 steps; Assumption 5.3 holds on all of them.

        Parameters
        ----------
        draw : Draw
        ridges : sequence of float
            Values of lambda to choose from.
        """
        X, A, d, T = draw.sizes(X=3, A=2, d=3, T=16)
        kernels = tuple(draw.points(X * A, X) for _ in range(d))
        rewards = tuple(draw.numbers(A, 2) for _ in range(X))
        (weights,), (start,) = draw.points(1, d), draw.points(1, X)
        rotated, loose = (d > 1 and draw.flag() for _ in range(2))
        prior = draw.one_of(PRIORS) if A > 1 else PRIORS[0]
        return cls(X, A, T, kernels, weights, rewards, start, draw.one_of(EIGHTHS), rotated, prior, loose, draw.one_of(ridges))

    @property
    def d(self) -> int:
        """Dimension of psi."""
        return len(self.kernels)

    @property
    def B(self) -> float:
        """The declared bound. Each kernel has rows of sum 1, so the largest norm of psi is sqrt(d), and ||theta|| <= 1."""
        return float(self.d if self.loose else np.sqrt(self.d))

    @property
    def size(self) -> int:
        """Rows of the table times kernels, steps of the run, and one for each complication."""
        return self.X * self.A * self.d + self.T + self.rotated + (self.prior != PRIORS[0]) + self.loose

    def smaller(self) -> Iterator[DiscountedRecipe]:
        """Smaller recipes: less of everything in turn, then simpler numbers."""
        yield from self._shorter("T")
        for x in drawing.several(self.X):
            kernels = tuple(drawing.dropped(drawing.without_state(kernel, self.A, x), x) for kernel in self.kernels)
            (start,) = drawing.dropped((self.start,), x)
            yield replace(self, X=self.X - 1, kernels=kernels, rewards=drawing.without(self.rewards, x), start=start)
        for a in drawing.several(self.A):
            kernels = tuple(drawing.without_action(kernel, self.A, a) for kernel in self.kernels)
            yield replace(self, A=self.A - 1, kernels=kernels, rewards=tuple(drawing.without(row, a) for row in self.rewards))
        for i in drawing.several(self.d):
            (weights,) = drawing.dropped((self.weights,), i)
            yield replace(self, kernels=drawing.without(self.kernels, i), weights=weights)
        yield from self._plain("rotated", False)
        yield from self._plain("prior", PRIORS[0])
        yield from self._plain("loose", False)
        yield from self._earlier("eighths", EIGHTHS)
        yield from self._simplified("start", drawing.ends)
        yield from self._simplified("weights", drawing.ends)
        yield from self._simplified("kernels", drawing.ends, 2)
        yield from self._simplified("rewards", range, 2)

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
        laws = f"{drawing.facts(truth, 'nu_0=start theta')}, pi_0(.|x) = {drawing.shown(public.initial_policy[0])}"
        head = ["x", "a", "r", *(f"P({x})" for x in range(self.X)), *(f"psi_{i + 1}(x,a,.)" for i in range(self.d))]
        rows = [
            [x, a, public.reward[x, a], *truth.P[pair], *public.psi[pair].T]
            for pair, (x, a) in enumerate(np.ndindex(self.X, self.A))
        ]
        return "\n".join([drawing.facts(public, "X A T d gamma lambda=ridge B"), laws, drawing.table(head, rows)])

    def transcript(self, run: Run) -> str:
        """Table with a row per epoch: its first step, counted from 1, and the path x -a-> x'. A bar stands after step T."""
        rows: list[list[Any]] = []
        ends = [*run.plans[1:], len(run.states)]
        for k, (first, end) in enumerate(zip(run.plans, ends, strict=True)):
            for begin in range(first, end, STEPS_PER_LINE):
                path = self._path(run, begin, min(begin + STEPS_PER_LINE, end))
                rows.append([k + 1 if begin == first else "", begin + 1, path])
        return drawing.table(["epoch", "from", "path"], rows)

    def _path(self, run: Run, begin: int, end: int) -> str:
        text = str(run.states[begin])
        for t in range(begin, end):
            text += " |" * (t == self.T) + f" -a{run.actions[t]}-> {run.successors[t]}"
        return text + " reset" * bool(run.resets[end - 1])
