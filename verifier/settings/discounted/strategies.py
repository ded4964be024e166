"""Small instances of the discounted setting for the search: hypothesis strategies, and the recipes they draw.

Every instance is a linear mixture, so that one recipe serves the tabular and the mixture algorithm: d kernels whose rows are
points ``(e_i + e_j)/2``, mixed with weights that are such a point too. Rewards are halves and discount factors eighths. So
an instance is a short list of small integers that fits on a page, its kernel is exact in binary, and the simplest choice
always comes first: hypothesis shrinks towards one state, one action, one kernel, one step, a chain that never moves and
rewards of zero.

Only booleans and integers below 100 are drawn, see `verifier.settings.drawing`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeAlias

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.base.tables import aligned
from verifier.model.setting import Recipe
from verifier.settings.discounted.instance import Instance, make
from verifier.settings.drawing import (
    Point,
    coordinates,
    dropped,
    number,
    points,
    rotation,
    rounded,
    vector,
    without,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Prior: TypeAlias = Literal["uniform", "leaning"]

PRIORS: tuple[Prior, ...] = ("uniform", "leaning")
"""pi_0: uniform, or three times as much on the last action as on all others together."""

EIGHTHS = (4, 1, 6, 7)
"""Discount factors in eighths, easiest to follow by hand first."""

STEPS_PER_LINE = 9


class Steps(Protocol):
    """What is printed of a run: arrays over its n steps, padding after T included.

    Attributes
    ----------
    states, actions, successors : (n,) int arrays
        x_t, a_t and the state that followed before any reset.
    resets : (n,) bool array
        Whether the coin after the step came up reset.
    plans : int array
        First step of each epoch, counted from 0.
    """

    states: IntArray
    actions: IntArray
    successors: IntArray
    resets: BoolArray
    plans: IntArray


@dataclass(frozen=True)
class DiscountedRecipe(Recipe[Instance]):
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
    kernels: tuple[tuple[Point, ...], ...]
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
    def strategy(cls) -> SearchStrategy[DiscountedRecipe]:
        """What the search draws from: `instances` with its defaults."""
        return instances()

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
        """With less of everything in turn, then with simpler numbers."""
        for T in dict.fromkeys((1, self.T // 2, self.T - 1)):
            if 0 < T < self.T:
                yield replace(self, T=T)
        for x in range(self.X if self.X > 1 else 0):
            yield self._without_state(x)
        for a in range(self.A if self.A > 1 else 0):
            kernels = tuple(tuple(row for pair, row in enumerate(kernel) if pair % self.A != a) for kernel in self.kernels)
            yield replace(self, A=self.A - 1, kernels=kernels, rewards=tuple(without(row, a) for row in self.rewards))
        for i in range(self.d if self.d > 1 else 0):
            (weights,) = dropped((self.weights,), i)
            yield replace(self, kernels=without(self.kernels, i), weights=weights)
        if self.rotated:
            yield replace(self, rotated=False)
        if self.prior != PRIORS[0]:
            yield replace(self, prior=PRIORS[0])
        if self.loose:
            yield replace(self, loose=False)
        for eighths in EIGHTHS[: EIGHTHS.index(self.eighths)] if self.eighths in EIGHTHS else ():
            yield replace(self, eighths=eighths)
        for (start,) in rounded((self.start,)):
            yield replace(self, start=start)
        for (weights,) in rounded((self.weights,)):
            yield replace(self, weights=weights)
        for i, kernel in enumerate(self.kernels):
            for simpler in rounded(kernel):
                yield replace(self, kernels=(*self.kernels[:i], simpler, *self.kernels[i + 1 :]))
        for (x, a), reward in np.ndenumerate(np.array(self.rewards)):
            for value in range(reward):
                row = (*self.rewards[x][:a], value, *self.rewards[x][a + 1 :])
                yield replace(self, rewards=(*self.rewards[:x], row, *self.rewards[x + 1 :]))

    def _without_state(self, x: int) -> DiscountedRecipe:
        kept = (tuple(row for pair, row in enumerate(kernel) if pair // self.A != x) for kernel in self.kernels)
        kernels, (start,) = tuple(dropped(kernel, x) for kernel in kept), dropped((self.start,), x)
        return replace(self, X=self.X - 1, kernels=kernels, rewards=without(self.rewards, x), start=start)

    def build(self) -> Instance:
        """The instance."""
        kernels = np.stack([coordinates(kernel, self.X) for kernel in self.kernels], axis=-1)
        theta = coordinates([self.weights], self.d)[0]
        turn = rotation(self.d) if self.rotated else np.eye(self.d)
        return make(
            P=kernels @ theta,
            reward=np.array(self.rewards) / 2,
            start=coordinates([self.start], self.X)[0],
            gamma=self.eighths / 8,
            T=self.T,
            psi=kernels @ turn.T,
            theta=turn @ theta,
            B=self.B,
            ridge=self.ridge,
            initial_policy=np.tile(self._prior(), (self.X, 1)),
        )

    def _prior(self) -> Array:
        """(A,) pi_0(.|x)."""
        if self.prior == "uniform" or self.A == 1:
            return np.full(self.A, 1.0 / self.A)
        return np.array([0.25 / (self.A - 1)] * (self.A - 1) + [0.75])

    def tables(self) -> str:
        """Sizes and constants, and one row per state and action: reward, transition probabilities, features by coordinate."""
        instance = self.build()
        public, truth = instance.public, instance.truth
        sizes = ", ".join(f"{name} = {getattr(public, name)}" for name in ("X", "A", "T", "d"))
        constants = f"gamma = {number(public.gamma)}, lambda = {number(public.ridge)}, B = {number(public.B)}"
        laws = f"nu_0 = {vector(truth.start)}, theta = {vector(truth.theta)}, pi_0(.|x) = {vector(public.initial_policy[0])}"
        head = ["x", "a", "r", *(f"P({x})" for x in range(self.X)), *(f"psi_{i + 1}(x,a,.)" for i in range(self.d))]
        rows = [
            [str(x), str(a), number(public.reward[x, a]), *map(number, truth.P[pair]), *map(vector, public.psi[pair].T)]
            for x in range(self.X)
            for a in range(self.A)
            for pair in [x * self.A + a]
        ]
        return "\n".join([f"{sizes}, {constants}", laws, *aligned([head, *rows])])

    def transcript(self, run: Steps) -> str:
        """One row per epoch: its first step, counted from 1, and the path x -a-> x'. A bar stands after step T."""
        rows = [["epoch", "from", "path"]]
        ends = [*run.plans[1:], len(run.states)]
        for k, (first, end) in enumerate(zip(run.plans, ends, strict=True)):
            for begin in range(first, end, STEPS_PER_LINE):
                path = self._path(run, begin, min(begin + STEPS_PER_LINE, end))
                rows.append([str(k + 1) if begin == first else "", str(begin + 1), path])
        return "\n".join(aligned(rows))

    def _path(self, run: Steps, begin: int, end: int) -> str:
        text = str(run.states[begin])
        for t in range(begin, end):
            text += " |" * (t == self.T) + f" -a{run.actions[t]}-> {run.successors[t]}"
        return text + " reset" * bool(run.resets[end - 1])


def instances(
    max_states: int = 3,
    max_actions: int = 2,
    max_d: int = 3,
    max_steps: int = 16,
    eighths: Sequence[int] = EIGHTHS,
    priors: Sequence[Prior] = PRIORS,
    ridges: Sequence[float] = (1.0,),
) -> SearchStrategy[DiscountedRecipe]:
    """Small instances, the simplest first. Assumption 5.3 holds on all of them.

    Parameters
    ----------
    max_states, max_actions, max_d, max_steps : int
        Largest sizes, at least 1 and below 100; states and kernels below 14.
    eighths : sequence of int
        Discount factors to choose from, in eighths.
    priors : sequence of str
        Initial policies to choose from.
    ridges : sequence of float
        Values of lambda to choose from.

    Returns
    -------
    hypothesis.strategies.SearchStrategy
        Of `DiscountedRecipe`.
    """
    from hypothesis import strategies as st

    @st.composite
    def recipes(draw: Callable[[SearchStrategy[Any]], Any]) -> DiscountedRecipe:
        def size(largest: int) -> int:
            return int(draw(st.integers(1, largest))) if largest > 1 else 1

        def one_of(options: Sequence[Any]) -> Any:
            return draw(st.sampled_from(options)) if len(options) > 1 else options[0]

        X, A, d, T = map(size, (max_states, max_actions, max_d, max_steps))
        kernels = tuple(tuple(draw(points(X)) for _ in range(X * A)) for _ in range(d))
        rewards = tuple(tuple(draw(st.integers(0, 2)) for _ in range(A)) for _ in range(X))
        weights, start = draw(points(d)), draw(points(X))
        rotated, loose = (d > 1 and draw(st.booleans()) for _ in range(2))
        prior = one_of(priors) if A > 1 else PRIORS[0]
        return DiscountedRecipe(X, A, T, kernels, weights, rewards, start, one_of(eighths), rotated, prior, loose, one_of(ridges))

    return recipes()
