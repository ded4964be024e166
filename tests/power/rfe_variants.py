"""Correct implementations of LSVI-RFE that differ from the shipped one in what the paper leaves open or in their arithmetic."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from verifier.base.arrays import Array, BoolArray, IntArray
from verifier.model.width import Width
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_settings.drawing import rotation
from verifier_settings.reward_free import ExplorationPlan, PlanningPlan, Public, RewardFreeEnvironment


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
        """||L^-1 phi|| with the Cholesky factor of Lambda."""
        return np.linalg.norm(np.linalg.solve(np.linalg.cholesky(self.gram), self.public.phi.T), axis=1)

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


class Turned(LSVIRFE):
    """Works with rotated features, and turns back what it reports."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        self.turn = rotation(public.d)
        super().__init__(replace(public, phi=public.phi @ self.turn.T), width, **options)

    def explore(self) -> ExplorationPlan:
        return replace(plan := super().explore(), **self.back(plan))

    def weigh(self, plan: ExplorationPlan, x: Array) -> dict[str, Array]:
        return super().weigh(replace(plan, estimate=plan.estimate @ self.turn.T), x)

    def plan(self, theta: Array) -> PlanningPlan:
        plan = super().plan(theta @ self.turn.T)
        return replace(plan, **self.back(plan), measures=np.matmul(self.turn.T, plan.measures))

    def back(self, plan: Any) -> dict[str, Array]:
        turned = {name: self.turn.T @ getattr(plan, name) @ self.turn for name in ("gram", "variance_gram")}
        return {**turned, "estimate": plan.estimate @ self.turn}


class Relabelled(LSVIRFE):
    """Numbers the states from the last to the first, and turns round what it reports."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        phi = public.phi.reshape(public.S, public.A, -1)[::-1].reshape(public.phi.shape)
        turned = Width(lambda of, h, values: width(h, values[::-1], of=of))
        super().__init__(replace(public, phi=phi), turned, **options)

    def run(self, env: RewardFreeEnvironment) -> Iterator[ExplorationPlan | PlanningPlan]:
        H, S, A = self.public.H, self.public.S, self.public.A
        for plan in super().run(env):
            pairs = {name: value for name, value in _arrays(plan) if name in ("bonus", "reward")}
            turned = {name: value.reshape(H, S, A)[:, ::-1].reshape(H, S * A) for name, value in pairs.items()}
            if isinstance(plan, PlanningPlan):
                turned["measures"] = plan.measures[..., ::-1]
            yield replace(plan, Q=plan.Q[:, ::-1], V=plan.V[:, ::-1], policy=plan.policy[:, ::-1], **turned)

    def begin(self, env: RewardFreeEnvironment) -> int:
        return self.public.S - 1 - super().begin(env)

    def act(self, env: RewardFreeEnvironment, plan: ExplorationPlan, h: int, state: int) -> tuple[int, int]:
        action, following = super().act(env, plan, h, state)
        return action, self.public.S - 1 - following


class Textbook(LSVIRFE):
    """(A + zz')^-1 = A^-1 - (A^-1 z)(A^-1 z)' / (1 + z'A^-1 z) for z = x/sigma, one step after the other; mu-hat from moments."""

    def update(self, x: Array, following: IntArray) -> None:
        moments = np.matmul(self.model.gram, self.model.measures)
        moments[np.arange(len(x)), :, following] += x / self.weights["weight"][:, None]
        for matrices, weight in ((self.variances, self.weights["variance"]), (self.model, self.weights["weight"])):
            for h, z in enumerate(x / np.sqrt(weight)[:, None]):
                image = matrices.inverse[h] @ z
                matrices.gram[h] += np.outer(z, z)
                matrices.inverse[h] -= np.outer(image, image) / (1 + z @ image)
        self.model.measures = np.matmul(self.model.inverse, moments)
        self.model.squares = ((self.public.phi @ self.model.inverse) * self.public.phi).sum(axis=-1)


class LargerRadius(LSVIRFE):
    """Bounds B_E and B_P that are larger than they have to be, which the paper leaves open."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return 1.1 * super().published_width(public, of)
