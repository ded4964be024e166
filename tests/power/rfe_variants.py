"""Correct implementations of LSVI-RFE that differ from the shipped one in what the paper leaves open or in their arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.model.width import Width
from verifier.settings.reward_free import ExplorationPlan, PlanningPlan, Public, RewardFreeEnvironment
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE


class LastAction(LSVIRFE):
    """Ties go to the last action."""

    def greedy(self, Q: Array) -> IntArray:
        return Q.shape[-1] - 1 - np.flip(Q, axis=-1).argmax(axis=-1)


class RandomTies(LSVIRFE):
    """Ties are broken at random, in each plan anew."""

    def greedy(self, Q: Array) -> IntArray:
        rng = np.random.default_rng(int(self.model.gram.sum() * 1e6))
        return np.where(Q.max(axis=-1, keepdims=True) == Q, rng.random(Q.shape), -1.0).argmax(axis=-1)


class _History:
    """Everything that was seen, summed up and solved whenever something is asked."""

    def __init__(self, public: Public) -> None:
        self.public = public
        self.x, self.following, self.weights = (
            np.zeros((0, public.H, public.d)),
            np.zeros((0, public.H), int),
            np.zeros((0, public.H)),
        )

    @property
    def gram(self) -> Array:
        scaled = self.x / self.weights[..., None]
        return np.asarray(self.public.ridge * np.eye(self.public.d) + np.einsum("khi,khj->hij", scaled, self.x))

    @property
    def measures(self) -> Array:
        seen = np.eye(self.public.S)[self.following]
        return np.linalg.solve(self.gram, np.einsum("khi,kh,khs->his", self.x, 1 / self.weights, seen))

    def norms(self) -> Array:
        phi = np.broadcast_to(self.public.phi.T, (self.public.H, *self.public.phi.T.shape))
        return np.asarray(np.sqrt((phi * np.linalg.solve(self.gram, phi)).sum(axis=1)))

    def norm(self, x: Array) -> Array:
        return np.asarray(np.sqrt((x * np.linalg.solve(self.gram, x[..., None])[..., 0]).sum(axis=-1)))

    def backup(self, h: int, values: Array) -> Array:
        """Lambda^-1 sum phi V(s') / sigma^2, over the states that were seen."""
        met = values[self.following[:, h]] / self.weights[:, h]
        return np.linalg.solve(self.gram[h], met @ self.x[:, h])

    def add(self, x: Array, weight: Array) -> None:
        self.observe(x, weight, np.zeros(len(x), dtype=np.int64))

    def observe(self, x: Array, weight: Array, following: IntArray) -> None:
        self.x, self.weights = np.append(self.x, x[None], axis=0), np.append(self.weights, weight[None], axis=0)
        self.following = np.append(self.following, following[None], axis=0)


class FromHistory(LSVIRFE):
    """The form with sums over the past, as printed: what the shipped one keeps up to date is solved anew each time."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.model: Any = _History(public)
        self.variances: Any = _History(public)


class Roots(LSVIRFE):
    """Standard deviations are kept, and squared where they are used."""

    def variance(self, spread: Array) -> Array:
        return np.asarray(np.sqrt(super().variance(spread)) ** 2)

    def exploration_bonus(self, beta: float, norms: Array) -> Array:
        return np.asarray(beta * np.sqrt((2 * norms) ** 2))


class Rational(LSVIRFE):
    """The threshold as d^6 ||phi||^2 > sigma-tilde^2, without roots."""

    def enlarged(self, relative: Array) -> BoolArray:
        return np.asarray(self.public.d**6 * relative**2 > 1.0)


class OtherArrays(LSVIRFE):
    """Fortran order and short integers."""

    def run(self, env: RewardFreeEnvironment) -> Iterator[ExplorationPlan | PlanningPlan]:
        short = {"policy", "enlarged"}
        for plan in super().run(env):
            changed = {
                name: np.asfortranarray(value.astype(np.int8) if name in short else value) for name, value in _arrays(plan)
            }
            yield replace(plan, **changed)


class OverwritesPlans(LSVIRFE):
    """The arrays of a plan are used again as soon as it was looked at."""

    def run(self, env: RewardFreeEnvironment) -> Iterator[ExplorationPlan | PlanningPlan]:
        for plan in super().run(env):
            shown = replace(plan, **{name: value.copy() for name, value in _arrays(plan)})
            yield shown
            for _, value in _arrays(shown):
                value[...] = 77


def _arrays(plan: ExplorationPlan | PlanningPlan) -> Iterator[tuple[str, Array]]:
    for item in fields(plan):
        if (value := getattr(plan, item.name)) is not None:
            yield item.name, value


class CutBelow(LSVIRFE):
    """Values cut at 0, too, as the covering of Lemma A.6 needs: no difference where the event holds."""

    def value(self, Q: Array) -> Array:
        return np.maximum(super().value(Q), 0.0)


class LargerRadius(LSVIRFE):
    """Bounds B_E and B_P that are larger than they have to be, which the paper leaves open."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return 1.1 * super().published_width(public, of)
