"""Correct implementations that differ from the shipped ones in what the paper leaves open or in their arithmetic."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import planted
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd.base import LeastSquaresValueIteration
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.least_squares import ContextLeastSquares, GramMatrices, LeastSquares, elliptical_norm
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.shared.mutants import OtherData
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.sharing.mutants import OtherContextData
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.ucblvd.mutants import KeepsWidths
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards


class LastAction(LeastSquaresValueIteration):
    """Ties go to the last action."""

    def greedy_policy(self, Q: Array) -> IntArray:
        return Q.shape[-2] - 1 - np.flip(Q, axis=-2).argmax(axis=-2)


class RandomTies(UCBlvd):
    """Ties are broken at random, once per plan."""

    def greedy_policy(self, Q: Array) -> IntArray:
        noise = np.random.Generator(np.random.PCG64(int(self.data.transitions.sum()))).random(Q.shape)
        return np.where(Q.max(axis=-2, keepdims=True) == Q, noise, -1.0).argmax(axis=-2)


class NoisyTies(LeastSquaresValueIteration):
    """Ties are broken by noise of 1e-12, which also decides between values that differ by less."""

    def greedy_policy(self, Q: Array) -> IntArray:
        rng = np.random.Generator(np.random.PCG64(Q.size))
        return (Q + 1e-12 * rng.random(Q.shape)).argmax(axis=-2)


class _Chain(GramMatrices):
    """The inverse kept by rank-one updates (Sherman and Morrison), log det by summing log(1 + norm^2)."""

    def __init__(self, public: Public, *size: int) -> None:
        super().__init__(public, *size)
        self.kept = np.broadcast_to(np.eye(self.gram.shape[-1]) / public.ridge, self.gram.shape).copy()
        self.growth = np.zeros(public.H)

    def grow(self, features: Array) -> None:
        super().grow(features)
        moved = np.einsum("hij,hj->hi", self.kept, features)
        scale = 1.0 + (moved * features).sum(axis=1)
        self.kept -= moved[:, :, None] * moved[:, None, :] / scale[:, None, None]
        self.growth += np.log(scale)

    def inverse(self) -> Array:
        return self.kept.copy()

    def log_det(self) -> Array:
        return self.growth.copy()


class RankOneUpdates(OtherData, UCBlvd):
    statistics = _Chain


class LSVIRankOne(OtherData, LastAction, LifelongLSVI):
    statistics = _Chain


class SharingRankOne(OtherContextData, LifelongLSVISharing):
    statistics = _Chain


class RewardsRankOne(UCBlvdUnknownRewards):
    """Both inverses kept by rank-one updates, and all widths of the rewards asked for at once, from the first step on."""

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(public, width, minimiser)
        self.data = planted(_Chain, LeastSquares)(public)
        self.context_data = planted(_Chain, ContextLeastSquares)(public)
        self.reward_widths = np.zeros(public.H)

    def plan(self) -> LifelongPlan:
        self.reward_widths = np.array([self.width(h, of="reward") for h in range(self.public.H)])
        return super().plan()

    def reward(self, h: int) -> Array:
        norms = elliptical_norm(self.public.psi, self.psi_inverse[h])
        return self.public.psi @ self.reward_estimate[h] + self.reward_widths[h] * norms


class _Eigenvalues(LeastSquares):
    """Eigenvalue decompositions instead of inverses."""

    def inverse(self) -> Array:
        values, vectors = np.linalg.eigh(self.gram)
        return (vectors / values[:, None, :]) @ vectors.transpose(0, 2, 1)


class PseudoInverse(OtherData, UCBlvd):
    statistics = _Eigenvalues


class _Single(LeastSquares):
    """The inverse in single precision."""

    def inverse(self) -> Array:
        return np.linalg.inv(self.gram.astype(np.float32)).astype(float)


class SinglePrecision(OtherData, UCBlvd):
    statistics = _Single


class _History(LeastSquares):
    """Everything recomputed from the whole history, newest episode first."""

    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.public = public
        self.episodes: list[tuple[Array, IntArray]] = []

    def add(self, states: IntArray, actions: IntArray) -> None:
        for s, a in zip(states, actions, strict=True):
            self.episodes.insert(0, (self._phi[s[:-1] * self._A + a], s[1:]))
        phi = np.stack([phi for phi, _ in self.episodes], axis=1)
        self.gram = phi.transpose(0, 2, 1) @ phi + self.public.ridge * np.eye(self.public.d)
        following = np.eye(self.public.S)[np.array([states for _, states in self.episodes]).T]
        self.transitions = phi.transpose(0, 2, 1) @ following

    def log_det(self) -> Array:
        factor = np.linalg.cholesky(self.gram)
        return 2 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)


class WholeHistory(UCBlvd):
    """Sums in another order, estimates by an augmented QR factorisation."""

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(public, width, minimiser)
        self.data = self.history = _History(public)

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        rows = [np.sqrt(self.public.ridge) * np.eye(self.public.d)]
        values = [np.zeros((self.public.d, target.shape[1]))]
        rows += [phi[h : h + 1] for phi, _ in self.history.episodes]
        values += [target[following[h]][None] for _, following in self.history.episodes]
        estimate[:] = np.linalg.lstsq(np.vstack(rows), np.vstack(values))[0]
        return super().distil(h, target, estimate, beta)


class Lazy(KeepsWidths):
    """Evaluates Q once more, in another order of summation."""

    def again(self, plan: LifelongPlan) -> Array:
        public = self.public
        bonus = self.widths[:, None] * (self.multiplier(public) * self.bonus(self.data.inverse()))
        xi = np.asarray(plan.xi).reshape(public.H, public.d, public.m)
        inner = np.einsum("xi,hij,wj->hxw", public.phi, xi, public.rho)
        return np.maximum(bonus[:, :, None] + inner + public.reward, 0.0).reshape(plan.Q.shape)


class LazyQ(Lazy):
    """Reports and plays another table than the one its values come from."""

    def plan(self) -> LifelongPlan:
        plan = super().plan()
        Q = self.again(plan)
        return replace(plan, Q=Q, policy=self.greedy_policy(Q))


class LazyPolicy(Lazy):
    """Reports one table of Q and plays greedily by another evaluation of the same formula."""

    def plan(self) -> LifelongPlan:
        plan = super().plan()
        return replace(plan, policy=self.greedy_policy(self.again(plan)))


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


class Reordered(UCBlvd):
    """Contexts and targets of the plan in reverse order."""

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        turned = Width(
            lambda of, h, target: width(h, target[:, ::-1], of),
            lambda of, h, target: width.error(h, target[:, ::-1], of)[:, ::-1],
        )
        super().__init__(public, turned, minimiser)

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

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, weight: Array | None = None) -> None:
        super().play(env, replace(plan, policy=plan.policy[..., ::-1]), weight)


class OtherArrays(UCBlvd):
    """Arrays in Fortran order and integers of other widths."""

    def plan(self) -> LifelongPlan:
        plan = super().plan()
        return replace(
            plan,
            Q=np.asfortranarray(plan.Q),
            policy=plan.policy.astype(np.int8),
            contexts=plan.contexts.astype(np.uint16),
        )
