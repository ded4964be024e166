"""Correct implementations of RAVI-UCB that differ from the shipped ones in arithmetic, or in how they draw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace

import numpy as np

from verifier.base.arrays import Array
from verifier.model.width import Width
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.ravi_ucb import RaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import DiscountedEnvironment, DiscountedPlan, Public
from verifier_settings.discounted.policies import log


class ClosedForm(RaviUCB):
    """pi_k = softmax(log pi_0 + eta (Q_1 + ... + Q_k)), from the sum alone."""

    total: Array | float = 0.0

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        self.total = self.total + Q
        weights = log(self.public.initial_policy) + eta * self.total
        V = np.log((np.exp(log_policy) * np.exp(eta * Q)).sum(axis=1)) / eta
        return V, weights - np.logaddexp.reduce(weights, axis=1, keepdims=True)


class ReversedActions(RaviUCB):
    """Draws by the distribution function from the last action down."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        last, rows, successors = self.public.A - 1, [], []
        while env.steps < self.public.T:
            x = env.state
            a = last - int(np.searchsorted(np.cumsum(policy[x, ::-1])[:-1], env.rng.random(), side="right"))
            rows.append(x * self.public.A + a)
            successors.append(env.step(a))
            if env.rng.random() < 1.0 - self.public.gamma:
                env.reset()
                break
        return rows, successors


class LengthFirst(RaviUCB):
    """Draws the length of an epoch at its start, from the geometric law, and actions with numpy's `choice`."""

    def play_epoch(self, env: DiscountedEnvironment, policy: Array) -> tuple[list[int], list[int]]:
        policy = policy / policy.sum(axis=1, keepdims=True)
        rows, successors, left = [], [], int(env.rng.geometric(1.0 - self.public.gamma))
        while env.steps < self.public.T and left:
            a = env.rng.choice(self.public.A, p=policy[env.state])
            rows.append(env.state * self.public.A + int(a))
            successors.append(env.step(a))
            left -= 1
        if not left:
            env.reset()
        return rows, successors


class OtherArrays(RaviUCB):
    """Arrays in Fortran order, numpy scalars."""

    def run(self, env: DiscountedEnvironment) -> Iterator[DiscountedPlan]:
        for plan in super().run(env):
            yield replace(
                plan, Q=np.asfortranarray(plan.Q), bonus=np.asfortranarray(plan.bonus), eta=np.float64(plan.eta),
                log_policy=np.asfortranarray(plan.log_policy),
            )  # fmt: skip


class OverwritesPlans(RaviUCB):
    """Yields the same arrays in every epoch, and overwrites them afterwards: what a plan was is known when it is yielded."""

    def run(self, env: DiscountedEnvironment) -> Iterator[DiscountedPlan]:
        arrays: dict[str, Array] = {}
        for plan in super().run(env):
            for item in fields(plan):
                given = getattr(plan, item.name)
                if isinstance(given, np.ndarray):
                    arrays.setdefault(item.name, np.empty(given.shape))[...] = given
            yield replace(plan, **arrays)
            for array in arrays.values():
                array[...] = np.nan


class SinglePrecision(RaviUCB):
    """Policies and values rounded to single precision."""

    def improve(self, log_policy: Array, Q: Array, eta: float) -> tuple[Array, Array]:
        V, following = super().improve(log_policy, Q, eta)
        return V.astype(np.float32).astype(float), following.astype(np.float32).astype(float)


class IntegerCounts(TabularRaviUCB):
    """Counts kept as integers, without the phantom visit until they are used; values averaged over the list of successors."""

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, bonus, model, **options)
        self.visits = np.ones(public.X * public.A, dtype=np.int64)
        self.seen: list[list[int]] = [[] for _ in range(public.X * public.A)]

    def estimate(self, V: Array) -> Array:
        sums = [sum(V[x] for x in seen) / (len(seen) + 1) for seen in self.seen]
        return np.array(sums, dtype=float).reshape(self.public.X, self.public.A)

    def norm(self, V: Array) -> Array:
        return (self.visits**-0.5).reshape(self.public.X, self.public.A)

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        for row, successor in zip(rows, successors, strict=True):
            self.visits[row] += 1
            self.seen[row].append(successor)


class Solves(MixtureRaviUCB):
    """A solve for theta, a Cholesky factor for norms, steps added one by one."""

    def estimate(self, V: Array) -> Array:
        self.phi = np.stack([psi.T @ V for psi in self.public.psi])
        self.theta = np.linalg.solve(self.gram, self.moment)
        return np.array([phi @ self.theta for phi in self.phi]).reshape(self.public.X, self.public.A)

    def norm(self, V: Array) -> Array:
        whitened = np.linalg.solve(np.linalg.cholesky(self.gram), self.phi.T)
        return np.linalg.norm(whitened, axis=0).reshape(self.public.X, self.public.A)

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        self.gram, self.moment = self.gram.copy(), self.moment.copy()
        for row, successor in zip(rows, successors, strict=True):
            self.gram += np.outer(self.phi[row], self.phi[row])
            self.moment += self.phi[row] * V[successor]


class FromHistory(MixtureRaviUCB):
    """Lambda and b from all rows anew, newest first."""

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, bonus, model, **options)
        self.rows, self.targets = np.zeros((0, public.d)), np.zeros(0)

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        self.rows = np.vstack([self.phi[rows][::-1], self.rows])
        self.targets = np.concatenate([V[successors][::-1], self.targets])
        self.gram = self.rows.T @ self.rows + self.public.ridge * np.eye(self.public.d)
        self.moment = self.rows.T @ self.targets


class RankOne(MixtureRaviUCB):
    """The inverse kept by rank-one updates, as most code has it; it loses digits."""

    def __init__(self, public: Public, width: Width, bonus: str = "formula", model: str = "estimated", **options: str) -> None:
        super().__init__(public, width, bonus, model, **options)
        self.inverse = np.eye(public.d) / public.ridge

    def estimate(self, V: Array) -> Array:
        self.phi = self.features(V)
        self.theta = self.inverse @ self.moment
        return (self.phi @ self.theta).reshape(self.public.X, self.public.A)

    def learn(self, rows: list[int], successors: list[int], V: Array) -> None:
        super().learn(rows, successors, V)
        for phi in self.phi[rows]:
            direction = self.inverse @ phi
            self.inverse = self.inverse - np.outer(direction, direction) / (1.0 + phi @ direction)
