"""Bugs inside CVaR-LSVI, by itself or as ELLA's planner: its features, its regression and its optimistic values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, planted
from verifier_cvar.least_squares import Beta, CVaRLeastSquares, Model, Planner
from verifier_settings.cvar import Episodes
from verifier_settings.cvar.planning import Round


class OtherRegression(Planner):
    """Plans with other least squares: those of `least_squares`."""


# Features and data --------------------------------------------------------------------------------------------------


class LumpsAtoms(CVaRLeastSquares):
    """Bug: one reward atom too few, floor(1/ups) + 1 of them, the largest reward being one of the last."""

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        reward = model.reward.copy()
        reward[..., -2] += reward[..., -1]
        reward[..., -1] = 0.0
        super().__init__(replace(model, reward=reward), beta, ridge, floor)


class NoLastFeature(CVaRLeastSquares):
    """Features of zero in the last step, where there is no transition."""

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        super().__init__(model, beta, ridge, floor)
        self.features[-1] = 0.0


class SmallRidge(CVaRLeastSquares):
    """lambda a tenth of what it is."""

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        super().__init__(model, beta, ridge / 10, floor)


class LastEpisodeOnly(CVaRLeastSquares):
    """Regresses on the last episode, under the Gram matrix of all."""

    def learn(self, episode: Episodes) -> None:
        """Forget what was seen before."""
        self.seen[:] = 0.0
        super().learn(episode)


class NextReward(CVaRLeastSquares):
    """Pairs each transition with the reward of the next step."""

    def learn(self, episode: Episodes) -> None:
        """Add an episode whose rewards are shifted."""
        super().learn(replace(episode, rewards=np.roll(episode.rewards, -1, axis=1)))


# The regression -----------------------------------------------------------------------------------------------------


class KeepsBudget(CVaRLeastSquares):
    """Regresses on values at the budget before the reward."""

    def targets(self, V: Array, h: int) -> Array:
        """sum_j phibar_j V(s'_j, i)."""
        return np.asarray(self.seen[h].sum(axis=1) @ V)


class WrapsBudget(CVaRLeastSquares):
    """Lets budgets go below 0, where indices count from the end."""

    def targets(self, V: Array, h: int) -> Array:
        """sum_j phibar_j V(s'_j, i - r_j)."""
        N, n = self.model.grid.N, self.model.grid.n
        wrapped = V[:, np.arange(N + 1)[:, None] - np.arange(n + 1)]
        return np.asarray(np.einsum("djs,sij->di", self.seen[h], wrapped))


class ClampsTarget(CVaRLeastSquares):
    """Regresses on V cut off at 0 from below, as if there were no bonuses."""

    def targets(self, V: Array, h: int) -> Array:
        """sum_j phibar_j V(s'_j, ...)^+."""
        return super().targets(np.maximum(V, 0.0), h)


# Optimism -----------------------------------------------------------------------------------------------------------


class OtherSteps(CVaRLeastSquares):
    """Norms under the Gram matrices of the wrong steps."""

    def norm(self, inverse: Array) -> Array:
        """||phibar_h|| under Lambda_{h+1}."""
        return super().norm(np.roll(inverse, -1, axis=0))


class ScaledBonus(CVaRLeastSquares):
    """A multiple of the bonus it was given."""

    factor: ClassVar[float]

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        super().__init__(replace(model, bonus=self.factor * model.bonus), beta, ridge, floor)


class ClipsAt(CVaRLeastSquares):
    """Another lower clip."""

    low: ClassVar[float]

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        super().__init__(model, beta, ridge, self.low * model.grid.H)


class NoUpperClip(CVaRLeastSquares):
    """Clips from below only."""

    def clipped(self, Q: Array) -> Array:
        """max(Q, floor)."""
        return np.maximum(Q, self.floor)


class ClipsEstimate(CVaRLeastSquares):
    """Clips at 1, the largest reward."""

    def clipped(self, Q: Array) -> Array:
        """Clip to [floor, 1]."""
        return np.minimum(super().clipped(Q), 1.0)


class OneBudget(CVaRLeastSquares):
    """Takes at every budget the best action of the largest one: a policy of the state alone."""

    def minimiser(self, Q: Array) -> IntArray:
        """The argmin at budget N."""
        return np.repeat(super().minimiser(Q)[:, -1:], Q.shape[2], axis=1)


class EpsilonUnderRoot(CVaRLeastSquares):
    """A small number under the root, as it is added against division by zero: nothing is divided here."""

    def norm(self, inverse: Array) -> Array:
        """sqrt(||phibar||^2 + 1e-9)."""
        return np.sqrt(super().norm(inverse) ** 2 + 1e-9)


class NeverAsks(CVaRLeastSquares):
    """Takes the width for zero, and asks for none."""

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        super().__init__(model, lambda h, V: 0.0, ridge, floor)


class AsksForNothing(CVaRLeastSquares):
    """Asks for the width of zero values, which is none where it is the realised error."""

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        super().__init__(model, lambda h, V: beta(h, 0.0 * V), ridge, floor)


class NeverLearns(CVaRLeastSquares):
    """Forgets to add what was simulated."""

    def learn(self, episode: Episodes) -> None:
        """Forget the episode."""


class OtherPolicy(CVaRLeastSquares):
    """Plans, and plays something that has nothing to do with it."""

    def minimiser(self, Q: Array) -> IntArray:
        """The argmin of a table that does not depend on what was learned."""
        rng = np.random.Generator(np.random.PCG64(int(self.gram.trace(axis1=1, axis2=2).sum())))
        return super().minimiser(rng.random(Q.shape))


class ValuesFromElsewhere(CVaRLeastSquares):
    """Goes on with the least values, and plays a random policy."""

    def plan(self) -> Round:
        """The round, its policy replaced."""
        rng = np.random.Generator(np.random.PCG64(int(self.gram.trace(axis1=1, axis2=2).sum())))
        made = super().plan()
        return replace(made, policy=rng.integers(self.model.A, size=made.policy.shape))


@dataclass(frozen=True)
class Bug:
    """Bug in the least squares of a planner."""

    description: str
    regression: type[Any]
    attributes: Mapping[str, Any] = field(default_factory=dict)


BUGS = {
    "lumps-atoms": Bug("⌊1/υ⌋ + 1 reward atoms", LumpsAtoms),
    "no-last-feature": Bug("φ̄_H = 0", NoLastFeature),
    "small-ridge": Bug("λ = 1/10", SmallRidge),
    "learns-twice": Bug("every episode counts twice", bugs.twice("learn")),
    "never-learns": Bug("nothing is learned from what is simulated", NeverLearns),
    "last-episode-only": Bug("regresses on the last episode", LastEpisodeOnly),
    "next-reward": Bug("the reward of the next step", NextReward),
    "keeps-budget": Bug("regresses on V at budget i instead of i − r", KeepsBudget),
    "wraps-budget": Bug("a negative budget indexes from the end", WrapsBudget),
    "clamps-target": Bug("regresses on V⁺", ClampsTarget),
    "adds-width": Bug("adds β‖φ̄‖: pessimism", bugs.scaled("norm", -1.0)),
    "small-bonus": Bug("0.9 β‖φ̄‖", bugs.scaled("norm", 0.9)),
    "squared-norm": Bug("β‖φ̄‖²", bugs.squared("norm")),
    "epsilon-under-root": Bug("√(‖φ̄‖² + 10⁻⁹)", EpsilonUnderRoot),
    "other-steps": Bug("‖φ̄_h‖ under Λ_{h+1}", OtherSteps),
    "forgets-bonus": Bug("plans without the bonus", ScaledBonus, {"factor": 0.0}),
    "adds-bonus": Bug("adds the bonus", ScaledBonus, {"factor": -1.0}),
    "printed-clip": Bug("lower clip −H, as printed", ClipsAt, {"low": -1.0}),
    "clip-at-zero": Bug("lower clip 0", ClipsAt, {"low": 0.0}),
    "no-upper-clip": Bug("no upper clip", NoUpperClip),
    "clip-at-one": Bug("upper clip 1", ClipsEstimate),
    "worst-action": Bug("max over actions", bugs.opposite("minimiser")),
    "one-budget": Bug("a policy of the state alone", OneBudget),
    "asks-for-nothing": Bug("the width is asked for V = 0", AsksForNothing),
    "never-asks": Bug("no width is asked for", NeverAsks),
    "other-policy": Bug("a policy that looks at nothing", OtherPolicy),
    "random-policy": Bug("a random policy, beside the right values", ValuesFromElsewhere),
}


def in_regression(original: type[Algorithm], name: str, caught_by: tuple[str, ...], prefix: str = "") -> Mutant:
    """The mutant of an algorithm whose regression has one of these bugs."""
    bug = BUGS[name]
    regression = planted(bug.regression, CVaRLeastSquares, **bug.attributes)
    return plant(original, prefix + name, bug.description, OtherRegression, caught_by, least_squares=regression)
