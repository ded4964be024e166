"""Realistic bugs planted in Lifelong-LSVI and UCBlvd, each with the claims expected to catch it.

A bug that both algorithms can have is written once, as a function from the class to its mutant.

Two realistic bugs of experiments with these algorithms, a wrong count of planning calls and a regret measured by realised
returns, are planted and declared equivalent: both quantities are the harness's own, and what a plugin counts for itself is
never read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from verifier.arrays import Array
from verifier.mutant import Mutant
from verifier.settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd import constants
from verifier_ucblvd.base import LeastSquaresValueIteration
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.least_squares import LeastSquares
from verifier_ucblvd.lifelong_lsvi import LifelongLSVI
from verifier_ucblvd.ucblvd import UCBlvd

Base: TypeAlias = type[LeastSquaresValueIteration]

# Bugs either algorithm can have --------------------------------------------------------------------------------------


def scaled_bonus(base: Base, factor: float) -> Base:
    """The bonus multiplied by a wrong constant."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        @classmethod
        def multiplier(cls, public: Public) -> float:
            return factor * float(super().multiplier(public))

    return Mutated


def squared_bonus(base: Base) -> Base:
    """The square root of the bonus forgotten."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def bonus(self, inverse: Array) -> Array:
            return super().bonus(inverse) ** 2

    return Mutated


def gram_for_inverse(base: Base) -> Base:
    """Lambda, normalised, where its inverse belongs."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def bonus(self, inverse: Array) -> Array:
            gram = np.linalg.inv(inverse)
            return super().bonus(gram / np.trace(gram, axis1=1, axis2=2)[:, None, None] ** 2)

    return Mutated


def wrong_step_target(base: Base) -> Base:
    """V_{h+2} in the regression of step h."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def target(self, V: Array, h: int) -> Array:
            return V[min(h + 2, len(V) - 1)]

    return Mutated


def clipped_at(base: Base, limit: float) -> Base:
    """The value function clipped at a wrong limit (infinity: not at all)."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def value(self, Q: Array) -> Array:
            return np.minimum(Q.max(axis=1), limit)

    return Mutated


def no_positive_part(base: Base) -> Base:
    """The positive part forgotten."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def optimistic(self, mean: Array, bonus: Array) -> Array:
            return mean + bonus

    return Mutated


def greedy(base: Base) -> Base:
    """No bonus at all: the greedy policy, whose regret is often lower."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def optimistic(self, mean: Array, bonus: Array) -> Array:
            return super().optimistic(mean, 0.0 * bonus)

    return Mutated


def with_data(base: Base, data: type[LeastSquares]) -> Base:
    """Wrong sufficient statistics."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.data = data(self.public)

    return Mutated


class GramTwice(LeastSquares):
    """Lambda updated twice per step."""

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add an episode."""
        before = self.gram.copy()
        super().add(states, actions)
        self.gram += self.gram - before


class GramEveryOther(LeastSquares):
    """Every other episode missing from Lambda, not from the targets."""

    odd = False

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add an episode."""
        before = self.gram.copy()
        super().add(states, actions)
        self.odd = not self.odd
        if self.odd:
            self.gram = before


class WrongStep(LeastSquares):
    """phi of the next step in Lambda."""

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add an episode."""
        before = self.gram.copy()
        super().add(states, actions)
        self.gram = before + np.roll(self.gram - before, 1, axis=0)


class StateForSuccessor(LeastSquares):
    """s_h where s_{h+1} belongs in the regression."""

    def add(self, states: list[int], actions: list[int]) -> None:
        """Add an episode."""
        before = self.transitions.copy()
        super().add(states, actions)
        self.transitions = before
        phi = self._phi[np.array(states[:-1]) * self._A + actions]
        self.transitions[self._steps, :, states[:-1]] += phi


class NoRidge(LeastSquares):
    """The regulariser forgotten (a trace of it kept so that Lambda can be inverted)."""

    def __init__(self, public: Public) -> None:
        super().__init__(public)
        self.gram *= 1e-6


def worst_action(base: Base) -> Base:
    """Plays the action of least Q in one state."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def plan(self, *arguments: Any) -> LifelongPlan:
            plan: LifelongPlan = super().plan(*arguments)
            policy = plan.policy.copy()
            policy[:, 0] = plan.Q[:, 0].argmin(axis=1)
            return replace(plan, policy=policy)

    return Mutated


def disobedient(base: Base) -> Base:
    """Plays action 0 at the last step whatever the policy says."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
            policy = plan.policy.copy()
            policy[-1] = 0
            super().play(env, replace(plan, policy=policy), state, column)

    return Mutated


def boastful(base: Base) -> Base:
    """Reports action values larger than those it plans with."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def plan(self, *arguments: Any) -> LifelongPlan:
            plan: LifelongPlan = super().plan(*arguments)
            return replace(plan, Q=plan.Q + 0.25)

    return Mutated


def wishful_width(base: Base) -> Base:
    """Hands a value function with larger errors to the width, to get a wider interval."""

    class Mutated(base):  # type: ignore[misc, valid-type]  # a class made from a class
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            honest: Any = self.width
            self.width: Any = lambda h, target, of="transition": honest(h, 2.0 * target, of)

    return Mutated


# Bugs of UCBlvd ------------------------------------------------------------------------------------------------------


def triggered_by(rule: Callable[[Array], Any]) -> type[UCBlvd]:
    """A wrong rule for replanning; `rule` maps the growth of log det, shape (H,), to a decision."""

    class Mutated(UCBlvd):
        def triggered(self, growth: Array) -> bool:
            return bool(rule(growth))

    return Mutated


class StaleReference(UCBlvd):
    """The growth is taken from the first plan for ever."""

    def triggered(self, growth: Array) -> bool:
        """Whether to replan."""
        initial = self.public.d * np.log(self.public.ridge)
        return bool((self.data.log_det() - initial > 1.0).any())


class KroneckerOrder(UCBlvd):
    """xi with the rho index major."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, its xi in the wrong order."""
        found = super().distil(h, target, estimate, beta)
        return replace(found, xi=found.xi.reshape(self.public.d, self.public.m).T.ravel())


class BlockShift(UCBlvd):
    """xi shifted by one block."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, its xi shifted."""
        found = super().distil(h, target, estimate, beta)
        return replace(found, xi=np.roll(found.xi, 1))


class WideBalls(UCBlvd):
    """Balls of radius 50 beta in the program."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser of the wrong program."""
        return super().distil(h, target, estimate, 50.0 * beta)


class CurrentGram(UCBlvd):
    """The bonus uses the current Gram matrix instead of the one of the plan in force."""

    def plan(self) -> LifelongPlan:
        """A plan whose bonuses are kept apart."""
        plan = super().plan()
        assert plan.gram is not None
        assert plan.xi is not None
        self._frozen = self.bonus(np.linalg.inv(plan.gram))
        mean = self.public.reward + np.einsum("xwi,hi->hxw", self.public.psi, plan.xi)
        added = plan.Q.reshape(mean.shape) - mean
        self._width = np.divide(added[:, :, 0], self._frozen, out=np.zeros_like(self._frozen), where=self._frozen > 0)
        return plan

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        """Play greedily for action values that change inside a phase."""
        change = self._width * (self.bonus(np.linalg.inv(self.data.gram)) - self._frozen)
        Q = plan.Q + change.reshape(self.public.H, self.public.S, self.public.A, 1)
        super().play(env, replace(plan, policy=Q.argmax(axis=2)), state, column)


class OneRepresentative(UCBlvd):
    """Every regression aims at the values of the first representative."""

    def target(self, V: Array, h: int) -> Array:
        """V_{h+1} of context 0 for all contexts."""
        return np.repeat(V[h + 1][:, :1], self.public.W, axis=1)


class LWithoutAbsoluteValues(UCBlvd):
    """L computed as max_w sum_j c_j(w)."""

    @classmethod
    def multiplier(cls, public: Public) -> float:
        """2 L with the wrong L."""
        return 2.0 * float(public.coefficients.sum(axis=-1).max())


class LOmitted(UCBlvd):
    """2 beta instead of 2 L beta."""

    @classmethod
    def multiplier(cls, public: Public) -> float:
        """2."""
        return 2.0


class WidthWithoutRoot(UCBlvd):
    """The square root of the logarithm forgotten in beta."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """A width that is larger than the paper's."""
        size = public.H * (public.d + np.sqrt(public.dp))
        return float(super().published_width(public, of) ** 2 / (constants.C_BETA * size))


class WrongContext(UCBlvd):
    """Plays the policy of the next context."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, state: int, column: int) -> None:
        """Play for the wrong task."""
        super().play(env, plan, state, (column + 1) % self.public.W)


class ForgetfulDistillation(UCBlvd):
    """theta^(j) reported as the estimates of the step before."""

    def plan(self) -> LifelongPlan:
        """A plan with theta one step off."""
        plan = super().plan()
        assert plan.theta is not None
        return replace(plan, theta=np.roll(plan.theta, 1, axis=0))


class FarTheta(UCBlvd):
    """theta^(j) reported far outside its ball; what is played does not depend on it."""

    def plan(self) -> LifelongPlan:
        """A plan with theta moved."""
        plan = super().plan()
        assert plan.theta is not None
        return replace(plan, theta=plan.theta + 10.0)


class CountsEverySolve(UCBlvd):
    """Counts a planning call for every step and context."""

    planning_calls = 0

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser; the count goes up by the number of contexts."""
        self.planning_calls += self.public.n
        return super().distil(h, target, estimate, beta)


class RealisedRegret(UCBlvd):
    """Measures its regret by realised returns."""

    returns = 0.0

    def learn(self, column: int, states: list[int], actions: list[int], rewards: list[float]) -> None:
        """Add an episode, and its return."""
        self.returns += sum(rewards)
        super().learn(column, states, actions, rewards)


# Bugs of Lifelong-LSVI -----------------------------------------------------------------------------------------------


class PlansEveryOther(LifelongLSVI):
    """Plans in every other episode only, unless the context changes."""

    def run(self, env: LifelongEnvironment) -> Iterator[LifelongPlan]:
        """Play with plans that are one episode old."""
        plan, planned_for = None, -1
        for k in range(self.public.K):
            state, context = env.begin_episode()
            if plan is None or k % 2 == 0 or context != planned_for:
                plan, planned_for = self.plan(context), context
                yield plan
            self.play(env, plan, state, column=0)


class PlansForThePreviousTask(LifelongLSVI):
    """The reward of context 0 whatever the task."""

    def plan(self, context: int) -> LifelongPlan:
        """A plan for context 0, passed off as one for the task at hand."""
        return replace(super().plan(0), contexts=np.array([context]), targets=np.array([context]))


def _common(base: Base) -> tuple[Mutant, ...]:
    validity = "distillation-error" if base is UCBlvd else "bonus-validity"
    chain = (validity, "optimism", "q-formula")
    return (
        Mutant("quarter-bonus", "bonus scaled to a quarter", scaled_bonus(base, 0.25), chain),
        Mutant("squared-bonus", "the square root of the bonus forgotten", squared_bonus(base), chain),
        Mutant("gram-for-inverse", "Lambda in the bonus instead of its inverse", gram_for_inverse(base), chain),
        Mutant("wrong-step-target", "V_{h+2} regressed", wrong_step_target(base), ("regression", "value-function", validity)),
        Mutant("no-clip", "V not clipped at H", clipped_at(base, np.inf), ("value-range", "value-function")),
        Mutant("clip-at-one", "V clipped at 1", clipped_at(base, 1.0), ("value-function", "optimism")),
        Mutant("no-positive-part", "Q without positive part", no_positive_part(base), ("q-formula",)),
        Mutant("greedy", "no bonus", greedy(base), chain),
        Mutant("gram-twice", "Lambda updated twice per step", with_data(base, GramTwice), ("gram", "regression")),
        Mutant("gram-every-other", "Lambda lacks every other episode", with_data(base, GramEveryOther), ("gram", "regression")),
        Mutant("gram-wrong-step", "phi of another step in Lambda", with_data(base, WrongStep), ("gram",)),
        Mutant("state-for-successor", "regresses on s_h, not s_{h+1}", with_data(base, StateForSuccessor), ("regression",)),
        Mutant("no-ridge", "lambda forgotten", with_data(base, NoRidge), ("gram",)),
        Mutant("worst-action", "argmin in one state", worst_action(base), ("greedy",)),
        Mutant("disobedient", "plays another action than its policy", disobedient(base), ("plays-policy",)),
        Mutant("boastful", "reports larger Q than it uses", boastful(base), ("q-formula", "value-function")),
        Mutant("wishful-width", "asks for the width of another value function", wishful_width(base), ("value-function",)),
    )  # fmt: skip


def lifelong_lsvi_mutants() -> tuple[Mutant, ...]:
    """Mutants of Algorithm 1."""
    return (
        *_common(LifelongLSVI),
        Mutant("plans-every-other", "plans in every other episode", PlansEveryOther, ("planning-calls",)),
        Mutant("previous-task", "plans for another task", PlansForThePreviousTask, ("q-formula", "optimism")),
    )


def ucblvd_mutants() -> tuple[Mutant, ...]:
    """Mutants of Algorithm 2."""
    trigger = ("trigger",)
    return (
        *_common(UCBlvd),
        Mutant("half-bonus", "L beta instead of 2 L beta", scaled_bonus(UCBlvd, 0.5), ("q-formula", "distillation-error")),
        Mutant("kronecker-order", "xi with the rho index major", KroneckerOrder, ("program-value", "distillation-error")),
        Mutant("block-shift", "xi shifted by one", BlockShift, ("program-value", "distillation-error")),
        Mutant("trigger-first-step", "trigger at h = 1 only", triggered_by(lambda g: g[0] > 1), (*trigger, "growth-in-force")),
        Mutant("trigger-sum", "trigger sums over h", triggered_by(lambda g: g.sum() > 1), trigger),
        Mutant("trigger-all", "trigger needs all h", triggered_by(lambda g: (g > 1).all()), (*trigger, "growth-in-force")),
        Mutant("trigger-never", "never replans", triggered_by(lambda g: False), (*trigger, "planning-calls-least")),
        Mutant("trigger-always", "replans in every episode", triggered_by(lambda g: True), (*trigger, "planning-calls")),
        Mutant("trigger-base-two", "logarithm to base 2", triggered_by(lambda g: (g > np.log(2)).any()), trigger),
        Mutant("trigger-determinant", "det instead of log det", triggered_by(lambda g: (np.exp(g) > 1).any()), trigger),
        Mutant("trigger-stale-reference", "growth since the first plan", StaleReference, trigger),
        Mutant("wide-balls", "balls of radius 50 beta", WideBalls, ("ball-constraint",)),
        Mutant("current-gram", "bonus not frozen within a phase", CurrentGram, ("plays-policy",)),
        Mutant("one-representative", "distils one representative", OneRepresentative, ("value-function", "distillation-error")),
        Mutant("signed-l", "L without absolute values", LWithoutAbsoluteValues, ("q-formula",)),
        Mutant("l-omitted", "2 beta instead of 2 L beta", LOmitted, ("q-formula",)),
        Mutant("width-without-root", "log instead of its root in beta", WidthWithoutRoot, ("width",)),
        Mutant("wrong-context", "plays the policy of another context", WrongContext, ("plays-policy",)),
        Mutant("forgetful", "reports theta of another step", ForgetfulDistillation, ("ball-constraint", "program-value")),
        Mutant("far-theta", "theta reported outside its ball", FarTheta, ("ball-constraint", "program-value")),
        Mutant(
            "counts-every-solve",
            "counts a planning call per step and context",
            CountsEverySolve,
            ("planning-calls",),
            equivalent="the harness counts the plans it is given; a plugin's own count is never read",
        ),
        Mutant(
            "realised-regret",
            "regret from realised returns",
            RealisedRegret,
            ("regret",),
            equivalent="the harness computes the regret from exact values; a plugin's own is never read",
        ),
    )  # fmt: skip
