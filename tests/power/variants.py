"""Correct implementations that differ from the shipped ones in what the paper leaves open or in their arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier.arrays import Array, IntArray
from verifier.settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier.width import Width
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.least_squares import LeastSquares
from verifier_ucblvd.lifelong_lsvi import LifelongLSVI
from verifier_ucblvd.ucblvd import UCBlvd

from .bugs import OwnPlan


def last_argmax(Q: Array) -> IntArray:
    return Q.shape[2] - 1 - np.flip(Q, axis=2).argmax(axis=2)


class LastAction(OwnPlan):
    """Ties go to the last action."""

    def choose(self, Q: Array) -> Array:
        return last_argmax(Q)


class RandomTies(OwnPlan):
    """Ties are broken at random, once per plan."""

    def choose(self, Q: Array) -> Array:
        noise = np.random.Generator(np.random.PCG64(int(self.data.transitions.sum()))).random(Q.shape)
        return np.where(Q.max(axis=2, keepdims=True) == Q, noise, -1.0).argmax(axis=2)


class _RankOne(LeastSquares):
    """The inverse kept by rank-one updates (Sherman and Morrison), log det by summing log(1 + norm^2)."""

    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.kept = np.broadcast_to(np.eye(public.d) / public.ridge, self.gram.shape).copy()
        self.growth = np.zeros(public.H)

    def add(self, states: list[int], actions: list[int]) -> None:
        super().add(states, actions)
        phi = self._phi[np.array(states[:-1]) * self._A + actions]
        moved = np.einsum("hij,hj->hi", self.kept, phi)
        scale = 1.0 + (moved * phi).sum(axis=1)
        self.kept -= moved[:, :, None] * moved[:, None, :] / scale[:, None, None]
        self.growth += np.log(scale)

    def log_det(self) -> Array:
        return self.growth.copy()


class RankOneUpdates(OwnPlan):
    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = self.ranked = _RankOne(public)

    def inverse(self) -> Array:
        return self.ranked.kept


class _History(LeastSquares):
    """Everything recomputed from the whole history, newest episode first."""

    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.public = public
        self.episodes: list[tuple[Array, list[int]]] = []

    def add(self, states: list[int], actions: list[int]) -> None:
        self.episodes.insert(0, (self._phi[np.array(states[:-1]) * self._A + actions], states[1:]))
        phi = np.stack([phi for phi, _ in self.episodes], axis=1)
        self.gram = phi.transpose(0, 2, 1) @ phi + self.public.ridge * np.eye(self.public.d)
        following = np.eye(self.public.S)[np.array([states for _, states in self.episodes]).T]
        self.transitions = phi.transpose(0, 2, 1) @ following

    def log_det(self) -> Array:
        factor = np.linalg.cholesky(self.gram)
        return 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)


class WholeHistory(OwnPlan):
    """Sums in another order, estimates by an augmented QR factorisation."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = self.history = _History(public)

    def estimate(self, h: int, inverse: Array, target: Array) -> Array:
        rows = [np.sqrt(self.public.ridge) * np.eye(self.public.d)]
        values = [np.zeros((self.public.d, target.shape[1]))]
        rows += [phi[h : h + 1] for phi, _ in self.history.episodes]
        values += [target[following[h]][None] for _, following in self.history.episodes]
        return np.linalg.lstsq(np.vstack(rows), np.vstack(values))[0]


class PseudoInverse(OwnPlan):
    """Eigenvalue decompositions instead of inverses."""

    def inverse(self) -> Array:
        values, vectors = np.linalg.eigh(self.data.gram)
        return (vectors / values[:, None, :]) @ vectors.transpose(0, 2, 1)


class LazyQ(OwnPlan):
    """Evaluates Q anew, in another order of summation, for the table it reports and plays."""

    def reported(self, h: int, Q: Array, xi: Array, bonus: Array) -> Array:
        public = self.public
        inner = np.einsum("xi,ij,wj->xw", public.phi, xi.reshape(public.d, public.m), public.rho)
        table = bonus[:, None] + inner + public.reward[h]
        return np.maximum(table, 0.0).reshape(Q.shape)


class LazyPolicy(OwnPlan):
    """Reports one table of Q and plays greedily by another evaluation of the same formula."""

    def reported(self, h: int, Q: Array, xi: Array, bonus: Array) -> Array:
        self.played[h] = LazyQ.reported(self, h, Q, xi, bonus)
        return Q

    def plan(self) -> LifelongPlan:
        public = self.public
        self.played = np.zeros((public.H, public.S, public.A, public.W))
        plan = super().plan()
        return replace(plan, policy=self.played.argmax(axis=2))


class ConeOnly(UCBlvd):
    """Every program by the cone solver."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        return self.distillation.solve_cone(self.data.gram[h], estimate, beta)


class OtherPairs(ConeOnly):
    """Another D: the first independent pairs in reverse order."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.distillation.independent_pairs = self.pairs

    def pairs(self) -> list[int]:
        chosen: list[int] = []
        for x in reversed(range(len(self.public.phi))):
            if np.linalg.matrix_rank(self.public.phi[[*chosen, x]]) > len(chosen):
                chosen.append(x)
        return chosen


class RandomMinimiser(UCBlvd):
    """A random point of value zero in the balls."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        gram = self.data.gram[h]
        solution = self.distillation.solve(gram, estimate, beta)
        rng = np.random.Generator(np.random.PCG64(h))
        return self.distillation.pushed(solution, gram, estimate, beta * rng.random(), rng.normal(size=estimate.shape))


class LongXi(UCBlvd):
    """A component of xi that psi does not see."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        solution = super().distil(h, target, estimate, beta)
        psi = self.public.psi.reshape(-1, self.public.dp)
        unseen = np.eye(self.public.dp) - np.linalg.pinv(psi) @ psi
        return replace(solution, xi=solution.xi + 0.1 * unseen.sum(axis=0))


class _Turned:
    """A width that is asked with the targets in reverse order."""

    def __init__(self, width: Width) -> None:
        self._width = width

    def __call__(self, h: int, target: Array) -> float:
        return self._width(h, target[:, ::-1])

    def error(self, h: int, target: Array) -> Array:
        return self._width.error(h, target[:, ::-1])[:, ::-1]


class Reordered(UCBlvd):
    """Contexts and targets of the plan in reverse order."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, _Turned(width), **options)

    def plan(self) -> LifelongPlan:
        plan = super().plan()
        assert plan.theta is not None
        assert plan.estimate is not None
        return replace(
            plan,
            contexts=plan.contexts[::-1],
            targets=plan.targets[::-1],
            Q=plan.Q[..., ::-1],
            policy=plan.policy[..., ::-1],
            estimate=plan.estimate[..., ::-1],
            theta=plan.theta[..., ::-1],
        )

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        super().play(env, plan, state, self.public.W - 1 - column)


class OtherArrays(OwnPlan):
    """Arrays in Fortran order and integers of other widths."""

    def plan(self) -> LifelongPlan:
        plan = super().plan()
        return replace(
            plan,
            Q=np.asfortranarray(plan.Q),
            policy=plan.policy.astype(np.int8),
            contexts=plan.contexts.astype(np.uint16),
        )


class SinglePrecision(OwnPlan):
    """The inverse in single precision."""

    def inverse(self) -> Array:
        return np.linalg.inv(self.data.gram.astype(np.float32)).astype(float)


class LSVIRankOne(LifelongLSVI):
    """The inverse of Lambda by rank-one updates."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = self.ranked = _RankOne(public)

    def plan(self, context: int) -> LifelongPlan:
        public = self.public
        bonus = self.bonus(self.ranked.kept)
        V = np.zeros((public.H + 1, public.S, 1))
        Q = np.empty((public.H, public.S, public.A, 1))
        estimate = np.empty((public.H, public.d, 1))
        for h in reversed(range(public.H)):
            beta = self.width(h, V[h + 1])
            estimate[h] = self.ranked.kept[h] @ (self.data.transitions[h] @ V[h + 1])
            mean = (public.phi @ estimate[h])[:, 0]
            Q[h] = np.maximum(beta * bonus[h] + mean + public.reward[h, :, context], 0.0).reshape(public.S, public.A, 1)
            V[h] = np.minimum(Q[h].max(axis=1), public.H)
        contexts = np.array([context])
        return LifelongPlan(contexts, contexts, Q, last_argmax(Q), self.data.gram, estimate)
