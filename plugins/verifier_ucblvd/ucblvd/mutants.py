"""Bugs planted in UCBlvd (Algorithm 2).

Two realistic bugs of experiments with these algorithms, a wrong count of planning calls and a regret measured by realised
returns, are planted and declared equivalent: both quantities are the harness's own, and what a plugin counts for itself is
never read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier.model.width import Width
from verifier_settings.lifelong import LifelongEnvironment, LifelongPlan, Public
from verifier_ucblvd import widths
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.least_squares import ContextLeastSquares, LeastSquares
from verifier_ucblvd.shared.distillation_mutants import (
    BlockShift,
    FirstContexts,
    FirstSolve,
    KroneckerOrder,
    LooseInverse,
    NoBallCheck,
    NoNormBound,
    NoNormCheck,
    WideBalls,
)
from verifier_ucblvd.shared.mutants import shared_mutants
from verifier_ucblvd.shared.switching_mutants import (
    EveryEpisode,
    ShareOfOne,
    StaleReference,
    StopsReplanning,
    Trigger,
    plans_in_secret,
    replans_always,
)
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

# The distillation ---------------------------------------------------------------------------------------------------


class OwnTaskOnly(UCBlvd):
    """Bug: each context learns from its own episodes only, as if the dynamics were not shared."""

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(public, width, minimiser)
        self.own = [LeastSquares(public) for _ in range(public.W)]

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes, also to the data of their contexts."""
        super().learn(contexts, states, actions, rewards)
        for w, data in enumerate(self.own):
            data.add(states[contexts == w], actions[contexts == w])

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser for estimates from the wrong sums."""
        for j, w in enumerate(self.public.representatives):
            estimate[:, j] = np.linalg.solve(self.data.gram[h], self.own[w].transitions[h] @ target[:, j])
        return super().distil(h, target, estimate, beta)


class OneRepresentative(UCBlvd):
    """Every regression aims at the values of the first representative."""

    def target(self, V: Array, h: int) -> Array:
        """V_{h+1} of context 0 for all contexts."""
        return np.repeat(V[h + 1][:, :1], self.public.W, axis=1)


class OneTarget(UCBlvd):
    """Regresses and distils the first representative only, and says so in its plan."""

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(replace(public, representatives=public.representatives[:1]), width, minimiser)


class BoughtWidth(UCBlvd):
    """Asks for the width twice: with a value function of larger errors for its balls, and with its own for the record."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser in balls that are too wide."""
        wide = self.width(h, 2.0 * target)
        self.width(h, target)
        return super().distil(h, target, estimate, wide)


# The trigger -------------------------------------------------------------------------------------------------------


class WatchesContexts(EveryEpisode, UCBlvd):
    """Watches the Gram matrices of psi, too: what it takes to share a bonus, not to plan rarely."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.watched = ContextLeastSquares(public)

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes to both data sets."""
        super().learn(contexts, states, actions, rewards)
        self.watched.add(contexts, states, actions, rewards)

    def log_det(self) -> Array:
        """Log determinants of Lambda_h and of Lambda-tilde_h, shape (2H,)."""
        return np.concatenate([super().log_det(), self.watched.log_det()])


# Constants ----------------------------------------------------------------------------------------------------------


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
        """Multiplier 2."""
        return 2.0


class WidthWithoutRoot(UCBlvd):
    """The square root of the logarithm forgotten in beta."""

    @classmethod
    def published_width(cls, public: Public, of: str) -> float:
        """A width that is larger than the paper's."""
        size = public.H * (public.d + np.sqrt(public.dp))
        return float(super().published_width(public, of) ** 2 / (widths.C * size))


# Play and bookkeeping -----------------------------------------------------------------------------------------------


class KeepsWidths(UCBlvd):
    """Remembers the widths of its last plan, by step; no bug yet."""

    def __init__(self, public: Public, width: Width, minimiser: str = "exact") -> None:
        super().__init__(public, width, minimiser)
        self.widths = np.zeros(public.H)

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser."""
        self.widths[h] = beta
        return super().distil(h, target, estimate, beta)


class CurrentGram(EveryEpisode, KeepsWidths):
    """The bonus uses the current Gram matrix instead of the one of the plan in force."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, weight: Array | None = None) -> None:
        """Play greedily for action values that change inside a phase."""
        bonus = self.multiplier(self.public) * self.widths[:, None] * self.bonus(self.data.inverse())
        mean = self.public.reward + np.einsum("xwi,hi->hxw", self.public.psi, np.asarray(plan.xi))
        Q = self.optimistic(mean, bonus[:, :, None]).reshape(plan.Q.shape)
        super().play(env, replace(plan, policy=self.greedy_policy(Q)), weight)


class WrongContext(UCBlvd):
    """Plays the policy of the next context."""

    def play(self, env: LifelongEnvironment, plan: LifelongPlan, weight: Array | None = None) -> None:
        """Play for the wrong task."""
        super().play(env, replace(plan, policy=np.roll(plan.policy, -1, axis=-1)), weight)


class SharedArrays(UCBlvd):
    """Yields its own Gram matrices, which grow while the plan is in force."""

    def plan(self) -> LifelongPlan:
        """A plan that changes with the data."""
        return replace(super().plan(), gram=self.data.gram)


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

    def learn(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes, and their returns."""
        self.returns += float(rewards.sum())
        super().learn(contexts, states, actions, rewards)


_mutant = partial(plant, UCBlvd)
_TRIGGER, _GROWTH = ("trigger",), ("trigger", "growth-in-force")
_PROGRAM = ("program-value", "distillation-error")
_REPORTED = ("ball-constraint", "program-value")
DIFFERS = {
    "half-bonus": "without the factor 2",
    "one-representative": "of the first task for all",
    "l-omitted": "without the factor L",
    "width-without-root": "times the formula",
    "trigger-first-step": "by the growth at step 1",
    "trigger-never": "never planned again",
    "trigger-sum": "by the growth of all steps together",
    "trigger-all": "where every step has grown",
    "trigger-base-two": "in powers of two",
    "trigger-over-d": "by 1/d",
    "trigger-determinant": "planned in every episode",
    "trigger-contexts": "planned where no plan is due",
    "trigger-stale-reference": "since the first plan",
    "stops-replanning": "no plan where one is due",
    "current-gram": "not at the first episode",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *shared_mutants(UCBlvd, "distillation-error"),
        _mutant("half-bonus", "L beta instead of 2 L beta", bugs.scaled("bonus", 0.5), ("q-formula", "distillation-error")),
        _mutant("kronecker-order", "xi with the rho index major", KroneckerOrder, _PROGRAM),
        _mutant("block-shift", "xi shifted by one", BlockShift, _PROGRAM),
        _mutant("wide-balls", "balls of radius 50 beta", WideBalls, ("ball-constraint", "distillation-error")),
        _mutant("no-norm-bound", "the constraint on xi forgotten", NoNormBound, ("norm-constraint",)),
        _mutant("no-norm-check", "the exact path taken where its xi is too long", NoNormCheck, ("norm-constraint",)),
        _mutant("no-ball-check", "the exact path taken where theta leaves its ball", NoBallCheck, ("ball-constraint",)),
        _mutant("loose-inverse", "a pseudo-inverse with a loose cut-off", LooseInverse, ("program-value", "program-value-any")),
        _mutant("first-solve", "the balls of the first program of a step kept", FirstSolve, ("ball-constraint",)),
        _mutant("first-contexts", "the first n contexts taken as representatives", FirstContexts, ("distillation-error",)),
        _mutant("own-task-only", "every context learns from its own episodes only", OwnTaskOnly, ("regression",)),
        _mutant("one-representative", "distils one representative", OneRepresentative, ("value-function", "distillation-error")),
        _mutant("one-target", "regresses one representative only", OneTarget, ("distillation-error",)),
        _mutant("bought-width", "wider balls than the width on record", BoughtWidth, ("ball-constraint",)),
        _mutant(
            "forgetful", "reports theta of another step", bugs.reports(theta=lambda theta: np.roll(theta, 1, axis=0)), _REPORTED
        ),
        _mutant("far-theta", "theta reported outside its ball", bugs.reports(theta=lambda theta: theta + 10.0), _REPORTED),
        _mutant("signed-l", "L without absolute values", LWithoutAbsoluteValues, ("q-formula",)),
        _mutant("l-omitted", "2 beta instead of 2 L beta", LOmitted, ("q-formula",)),
        _mutant("width-without-root", "log instead of its root in beta", WidthWithoutRoot, ("width",)),
        _mutant("trigger-first-step", "trigger at h = 1 only", Trigger, _GROWTH, rule=lambda g: g[0] > 1),
        _mutant("trigger-sum", "trigger sums over h", Trigger, _TRIGGER, rule=lambda g: g.sum() > 1),
        _mutant("trigger-all", "trigger needs all h", Trigger, _GROWTH, rule=lambda g: (g > 1).all()),
        _mutant("trigger-never", "never replans", Trigger, (*_TRIGGER, "planning-calls-least"), rule=lambda g: False),
        replans_always(UCBlvd),
        plans_in_secret(UCBlvd),
        _mutant("trigger-late", "plays on for twice as long as no trigger is possible", bugs.scaled("patience", 0.5), _GROWTH),
        _mutant("trigger-base-two", "logarithm to base 2", Trigger, _TRIGGER, rule=lambda g: (g > np.log(2)).any()),
        _mutant("trigger-over-d", "threshold 1/d", ShareOfOne, _TRIGGER),
        _mutant("trigger-determinant", "det instead of log det", Trigger, _TRIGGER, rule=lambda g: (np.exp(g) > 1).any()),
        _mutant("trigger-contexts", "the Gram matrices of psi are watched, too", WatchesContexts, _TRIGGER),
        _mutant("trigger-stale-reference", "growth since the first plan", StaleReference, _TRIGGER),
        _mutant("stops-replanning", "replans five times and not again", StopsReplanning, _GROWTH),
        _mutant("current-gram", "bonus not frozen within a phase", CurrentGram, ("plays-policy",)),
        _mutant("wrong-context", "plays the policy of another context", WrongContext, ("plays-policy",)),
        _mutant(
            "shared-arrays",
            "the Gram matrices of a plan are the algorithm's own, and grow while it is in force",
            SharedArrays,
            (),
            "the harness copies the arrays of a plan when it is yielded, and what is played is the policy, not a matrix",
        ),
        _mutant(
            "counts-every-solve",
            "counts a planning call per step and context",
            CountsEverySolve,
            ("planning-calls",),
            "the harness counts the plans it is given; a plugin's own count is never read",
        ),
        _mutant(
            "realised-regret",
            "regret from realised returns",
            RealisedRegret,
            ("regret",),
            "the harness computes the regret from exact values; a plugin's own is never read",
        ),
    ),
    DIFFERS,
)
