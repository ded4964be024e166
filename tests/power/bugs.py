"""Planted bugs: small subclasses of the two algorithms, one realistic mistake each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from verifier.arrays import Array
from verifier.settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier.width import Width
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.least_squares import LeastSquares
from verifier_ucblvd.lifelong_lsvi import LifelongLSVI
from verifier_ucblvd.ucblvd import UCBlvd


class NoOp(UCBlvd):
    """No bug at all."""


# The bonus ------------------------------------------------------------------------------------------------------


class HalfBonus(UCBlvd):
    """L instead of 2L."""

    @classmethod
    def multiplier(cls, public: Public) -> float:
        return public.L


class NoL(UCBlvd):
    """2 instead of 2L."""

    @classmethod
    def multiplier(cls, public: Public) -> float:
        return 2.0


class SignedL(UCBlvd):
    """L = max sum c_j, without absolute values, as printed."""

    @classmethod
    def multiplier(cls, public: Public) -> float:
        return 2.0 * float(public.coefficients.sum(axis=-1).max())


class SquaredBonus(UCBlvd):
    """The square root forgotten."""

    def bonus(self, inverse: Array) -> Array:
        return super().bonus(inverse) ** 2


class GramBonus(UCBlvd):
    """Lambda, scaled to norm 1, instead of its inverse."""

    def bonus(self, inverse: Array) -> Array:
        gram = np.linalg.inv(inverse)
        return super().bonus(gram / np.linalg.norm(gram, axis=(1, 2), keepdims=True))


class Greedy(UCBlvd):
    """beta asked for and ignored."""

    def bonus(self, inverse: Array) -> Array:
        return 0.0 * super().bonus(inverse)


class NoLastBonus(UCBlvd):
    """No bonus at the last step, where the next value is known to be zero."""

    def bonus(self, inverse: Array) -> Array:
        bonus = super().bonus(inverse)
        bonus[-1] = 0.0
        return bonus


# The values -----------------------------------------------------------------------------------------------------


class TwoAhead(UCBlvd):
    """The regression aims at V_{h+2}."""

    def target(self, V: Array, h: int) -> Array:
        return V[min(h + 2, len(V) - 1)]


class NoClip(UCBlvd):
    """V is not clipped at H."""

    def value(self, Q: Array) -> Array:
        return Q.max(axis=1)


class ClipAtOne(UCBlvd):
    """V is clipped at 1."""

    def value(self, Q: Array) -> Array:
        return np.minimum(Q.max(axis=1), 1.0)


class OwnPlan(UCBlvd):
    """`UCBlvd.plan` once more, with the steps that some bugs change as methods of their own."""

    def positive(self, Q: Array) -> Array:
        return np.maximum(Q, 0.0)

    def gram(self) -> Array:
        return self.data.gram

    def inverse(self) -> Array:
        return np.linalg.inv(self.data.gram)

    def estimate(self, h: int, inverse: Array, target: Array) -> Array:
        return inverse @ (self.data.transitions[h] @ target)

    def table(self, h: int, xi: Array, bonus: Array) -> Array:
        Q = self.public.reward[h] + self.public.psi @ xi + bonus[:, None]
        return self.positive(Q).reshape(self.public.S, self.public.A, self.public.W)

    def reported(self, h: int, Q: Array, xi: Array, bonus: Array) -> Array:
        return Q

    def choose(self, Q: Array) -> Array:
        return Q.argmax(axis=2)

    def plan(self) -> LifelongPlan:
        public, reps = self.public, list(self.public.representatives)
        inverse = self.inverse()
        bonus = self.multiplier(public) * self.bonus(inverse)
        V = np.zeros((public.H + 1, public.S, public.W))
        Q = np.empty((public.H, public.S, public.A, public.W))
        estimate, theta = np.empty((2, public.H, public.d, public.n))
        xi = np.empty((public.H, public.dp))
        for h in reversed(range(public.H)):
            target = self.target(V, h)[:, reps]
            beta = self.width(h, target)
            estimate[h] = self.estimate(h, inverse[h], target)
            distilled = self.distil(h, target, estimate[h], beta)
            theta[h], xi[h] = distilled.theta, distilled.xi
            table = self.table(h, xi[h], beta * bonus[h])
            V[h] = self.value(table)
            Q[h] = self.reported(h, table, xi[h], beta * bonus[h])
        everything = np.arange(public.W)
        return LifelongPlan(everything, np.array(reps), Q, self.choose(Q), self.gram(), estimate, theta, xi)


class NoPositivePart(OwnPlan):
    """Q may become negative."""

    def positive(self, Q: Array) -> Array:
        return Q


class OtherQ(UCBlvd):
    """Reports another Q than it plays: larger, with the same policy."""

    def plan(self) -> LifelongPlan:
        plan = super().plan()
        return replace(plan, Q=plan.Q + 0.5)


# Least squares --------------------------------------------------------------------------------------------------


class _Twice(LeastSquares):
    def add(self, states: list[int], actions: list[int]) -> None:
        super().add(states, actions)
        phi = self._phi[np.array(states[:-1]) * self._A + actions]
        self.gram += phi[:, :, None] * phi[:, None, :]


class _Forgetful(LeastSquares):
    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.seen = 0

    def add(self, states: list[int], actions: list[int]) -> None:
        self.seen += 1
        if self.seen % 2:
            super().add(states, actions)


class _WrongStep(LeastSquares):
    def add(self, states: list[int], actions: list[int]) -> None:
        super().add(states, actions)
        phi = self._phi[np.array(states[:-1]) * self._A + actions]
        self.gram += np.roll(phi[:, :, None] * phi[:, None, :], 1, axis=0) - phi[:, :, None] * phi[:, None, :]


class _UnitRidge(LeastSquares):
    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.gram = np.broadcast_to(np.eye(public.d), self.gram.shape).copy()


class _WithData(UCBlvd):
    Data = LeastSquares

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = self.Data(public)


class GramTwice(_WithData):
    """Lambda updated twice per step."""

    Data = _Twice


class HalfTheData(_WithData):
    """Every other episode forgotten."""

    Data = _Forgetful


class WrongStep(_WithData):
    """Lambda_h gets the feature of step h - 1."""

    Data = _WrongStep


class UnitRidge(_WithData):
    """lambda = 1 whatever the instance says."""

    Data = _UnitRidge


class OwnTaskOnly(UCBlvd):
    """Each context learns from its own episodes only, as if the dynamics were not shared."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.context = 0
        self.own = [LeastSquares(public) for _ in range(public.W)]

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        before = self.data.transitions.copy()
        super().play(env, plan, state, column)
        self.own[column].transitions += self.data.transitions - before

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        for j, w in enumerate(self.public.representatives):
            estimate[:, j] = np.linalg.solve(self.data.gram[h], self.own[w].transitions[h] @ target[:, j])
        return super().distil(h, target, estimate, beta)


# Distillation ---------------------------------------------------------------------------------------------------


class WrongKronecker(UCBlvd):
    """xi flattened with the rho index major."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        solution = super().distil(h, target, estimate, beta)
        return replace(solution, xi=solution.xi.reshape(self.public.d, self.public.m).T.ravel())


class ShiftedBlocks(UCBlvd):
    """xi shifted by one block."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        solution = super().distil(h, target, estimate, beta)
        return replace(solution, xi=np.roll(solution.xi, 1))


class FirstRepresentative(UCBlvd):
    """Distils the first representative only."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        xi = np.outer(estimate[:, 0], self.distillation.R[0]) / (self.distillation.R[0] @ self.distillation.R[0])
        return Distilled(estimate, xi.ravel(), 0.0)


class FirstTarget(OwnPlan):
    """Distils the first representative only and says so in its plan."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        xi = np.outer(estimate[:, 0], self.distillation.R[0]) / (self.distillation.R[0] @ self.distillation.R[0])
        return Distilled(estimate, xi.ravel(), 0.0)

    def plan(self) -> LifelongPlan:
        width, first = self.width, slice(0, 1)
        self.width = lambda h, target: width(h, target[:, first])
        plan = super().plan()
        self.width = width
        return replace(plan, targets=plan.targets[first], estimate=plan.estimate[..., first], theta=plan.theta[..., first])


class WideBall(UCBlvd):
    """A ball of radius 50 beta, and a minimiser that uses it."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        gram = self.data.gram[h]
        solution = self.distillation.solve(gram, estimate, 50 * beta)
        error = np.ones_like(estimate)
        return self.distillation.pushed(solution, gram, estimate, 50 * beta, error)


class NoSolver(UCBlvd):
    """Gives up where the exact path declines: theta at the estimates, xi = 0."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        solution = self.distillation.project(self.data.gram[h], estimate, beta)
        return solution or Distilled(estimate, np.zeros(self.public.dp), 0.0)


class NoNormBound(UCBlvd):
    """The constraint on xi forgotten."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.distillation.norm_bound = 1e9


# Planning calls -------------------------------------------------------------------------------------------------


class FirstStepTrigger(UCBlvd):
    """The trigger looks at h = 1 only."""

    def triggered(self, growth: Array) -> bool:
        return bool(growth[0] > 1.0)


class SumTrigger(UCBlvd):
    """The trigger sums over h."""

    def triggered(self, growth: Array) -> bool:
        return bool(growth.sum() > 1.0)


class AllTrigger(UCBlvd):
    """The trigger needs all h."""

    def triggered(self, growth: Array) -> bool:
        return bool((growth > 1.0).all())


class BaseTwoTrigger(UCBlvd):
    """The logarithm to base 2."""

    def triggered(self, growth: Array) -> bool:
        return super().triggered(growth / np.log(2))


class NeverReplans(UCBlvd):
    """Plans once."""

    def triggered(self, growth: Array) -> bool:
        return False


class AlwaysReplans(UCBlvd):
    """Plans in every episode."""

    def triggered(self, growth: Array) -> bool:
        return True


class StopsReplanning(UCBlvd):
    """Plans five times and not again."""

    calls = 0

    def triggered(self, growth: Array) -> bool:
        replan = self.calls < 5 and super().triggered(growth)
        self.calls += replan
        return replan


# Play -----------------------------------------------------------------------------------------------------------


class CurrentGram(OwnPlan):
    """Plays with the bonus under the current Lambda instead of the frozen one, and xi as planned."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        bonus = self.multiplier(self.public) * self.bonus(np.linalg.inv(self.data.gram))
        assert plan.xi is not None
        width = self.widths[:, None, None, None]
        Q = self.public.reward + np.einsum("xwi,hi->hxw", self.public.psi, plan.xi)
        Q = np.maximum(Q.reshape(plan.Q.shape) + width * bonus.reshape(*plan.Q.shape[:3], 1), 0.0)
        super().play(env, replace(plan, policy=Q.argmax(axis=2)), state, column)

    def plan(self) -> LifelongPlan:
        self.widths = np.zeros(self.public.H)
        return super().plan()

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        self.widths[h] = beta
        return super().distil(h, target, estimate, beta)


class OtherAction(UCBlvd):
    """Sometimes plays another action than its policy's."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        policy = (plan.policy + 1) % self.public.A if env.episode % 7 == 3 else plan.policy
        super().play(env, replace(plan, policy=policy), state, column)


class OtherTask(UCBlvd):
    """Plays the policy of another context."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        super().play(env, plan, state, (column + 1) % self.public.W)


class SecondBest(UCBlvd):
    """Its policy takes the worst action in one state."""

    def plan(self) -> LifelongPlan:
        plan = super().plan()
        policy = plan.policy.copy()
        policy[:, 0] = plan.Q[:, 0].argmin(axis=1)
        return replace(plan, policy=policy)


# What the harness is told ---------------------------------------------------------------------------------------


class BoughtWidth(UCBlvd):
    """Asks for the width twice: with a value function that is hard to estimate, and with its own for the record."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        rng = np.random.Generator(np.random.PCG64(h))
        wide = self.width(h, rng.choice([0.0, 1e6], size=target.shape))
        self.width(h, target)
        return super().distil(h, target, estimate, wide)


class OtherTarget(UCBlvd):
    """Hands the width another value function than it regresses on, and keeps the width bought with it."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        def handed(h: int, target: Array) -> float:
            return width(h, np.where(target > 0, public.H, 0.0) * (np.arange(len(target)) % 2)[:, None])

        super().__init__(public, handed, **options)


class NarrowWidth(UCBlvd):
    """The published width a hundred times too small."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return super().published_width(public, of) / 100


class NoRootWidth(UCBlvd):
    """The published width without the square root of its logarithm."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        return 2.5 * public.H * (public.d + public.dp**0.5) * float(np.log(public.dp * public.T / public.delta))


# Lifelong-LSVI --------------------------------------------------------------------------------------------------


class LSVINoOp(LifelongLSVI):
    """No bug at all."""


class LSVIHalfBonus(LifelongLSVI):
    """Half the bonus."""

    @classmethod
    def multiplier(cls, public: Public) -> float:
        return 0.5


class LSVISquaredBonus(LifelongLSVI):
    """The square root forgotten."""

    def bonus(self, inverse: Array) -> Array:
        return super().bonus(inverse) ** 2


class LSVITwoAhead(LifelongLSVI):
    """The regression aims at V_{h+2}."""

    def target(self, V: Array, h: int) -> Array:
        return V[min(h + 2, len(V) - 1)]


class LSVINoClip(LifelongLSVI):
    """V is not clipped at H."""

    def value(self, Q: Array) -> Array:
        return Q.max(axis=1)


class LSVIClipAtOne(LifelongLSVI):
    """V is clipped at 1."""

    def value(self, Q: Array) -> Array:
        return np.minimum(Q.max(axis=1), 1.0)


class LSVIGramTwice(LifelongLSVI):
    """Lambda updated twice per step."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.data = _Twice(public)


class LSVIOtherAction(LifelongLSVI):
    """Sometimes plays another action than its policy's."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        policy = (plan.policy + 1) % self.public.A if env.episode % 7 == 3 else plan.policy
        super().play(env, replace(plan, policy=policy), state, column)


class LSVIEveryOther(LifelongLSVI):
    """Plans in every other episode only, unless the context changed."""

    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        plan, planned = None, -1
        for k in range(self.public.K):
            state, context = env.begin_episode()
            if plan is None or k % 2 == 0 or planned != context:
                plan, planned = self.plan(context), context
                yield plan
            self.play(env, plan, state, column=0)
