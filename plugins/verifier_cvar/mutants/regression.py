"""Bugs inside CVaR-LSVI: its features, its regression and its optimistic values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.mutant import Mutant, plant, planted
from verifier.settings.cvar import Episodes
from verifier_cvar.least_squares import Beta, CVaRLeastSquares, Model, Planner


class OtherRegression(Planner):
    """Plans with `least_squares`, which has the bug."""


# Features and data --------------------------------------------------------------------------------------------------


class LumpsAtoms(CVaRLeastSquares):
    """One reward atom too few: floor(1/ups) + 1 of them, the largest reward being one of the last."""

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


class LearnsTwice(CVaRLeastSquares):
    """Adds every episode twice."""

    def learn(self, episode: Episodes) -> None:
        """Add it, and again."""
        super().learn(episode)
        super().learn(episode)


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


class AddsWidth(CVaRLeastSquares):
    """Adds beta ||phibar||: pessimism."""

    def norm(self, inverse: Array) -> Array:
        """-||phibar||."""
        return -super().norm(inverse)


class SquaredNorm(CVaRLeastSquares):
    """The root forgotten."""

    def norm(self, inverse: Array) -> Array:
        """||phibar||^2."""
        return super().norm(inverse) ** 2


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


class BoughtWidth(CVaRLeastSquares):
    """Asks for the width of values twice as large."""

    def __init__(self, model: Model, beta: Beta, ridge: float, floor: float) -> None:
        super().__init__(model, lambda h, V: beta(h, 2.0 * V), ridge, floor)


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


class WorstAction(CVaRLeastSquares):
    """max over actions."""

    def minimiser(self, Q: Array) -> IntArray:
        """The argmax."""
        return super().minimiser(-Q)


class OneBudget(CVaRLeastSquares):
    """Takes at every budget the best action of the largest one: a policy of the state alone."""

    def minimiser(self, Q: Array) -> IntArray:
        """The argmin at budget N."""
        return np.repeat(super().minimiser(Q)[:, -1:], Q.shape[2], axis=1)


def mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """The bugs of this file."""
    gram, regression, formula = ("gram",), ("regression",), ("formula",)

    def bug(name: str, description: str, bug: type[CVaRLeastSquares], caught_by: tuple[str, ...], **attributes: Any) -> Mutant:
        regression = planted(bug, CVaRLeastSquares, **attributes)
        return plant(original, name, description, OtherRegression, caught_by, least_squares=regression)

    return (
        bug("lumps-atoms", "⌊1/υ⌋ + 1 reward atoms", LumpsAtoms, gram),
        bug("no-last-feature", "φ̄_H = 0", NoLastFeature, gram),
        bug("small-ridge", "λ = 1/10", SmallRidge, gram),
        bug("learns-twice", "every episode counts twice", LearnsTwice, gram),
        bug("last-episode-only", "regresses on the last episode", LastEpisodeOnly, regression),
        bug("next-reward", "the reward of the next step", NextReward, regression),
        bug("keeps-budget", "regresses on V at budget i instead of i − r", KeepsBudget, regression),
        bug("wraps-budget", "a negative budget indexes from the end", WrapsBudget, regression),
        bug("clamps-target", "regresses on V⁺", ClampsTarget, regression),
        bug("adds-width", "adds β‖φ̄‖: pessimism", AddsWidth, formula),
        bug("squared-norm", "β‖φ̄‖²", SquaredNorm, formula),
        bug("other-steps", "‖φ̄_h‖ under Λ_{h+1}", OtherSteps, formula),
        bug("forgets-bonus", "plans without the bonus", ScaledBonus, formula, factor=0.0),
        bug("adds-bonus", "adds the bonus", ScaledBonus, formula, factor=-1.0),
        bug("bought-width", "the width is asked for 2V", BoughtWidth, ("handed",)),
        bug("printed-clip", "lower clip −H, as printed", ClipsAt, ("formula", "optimism"), low=-1.0),
        bug("clip-at-zero", "lower clip 0", ClipsAt, formula, low=0.0),
        bug("no-upper-clip", "no upper clip", NoUpperClip, formula),
        bug("clip-at-one", "upper clip 1", ClipsEstimate, formula),
        bug("worst-action", "max over actions", WorstAction, ("values", "greedy")),
        bug("one-budget", "a policy of the state alone", OneBudget, ("values", "greedy")),
    )
