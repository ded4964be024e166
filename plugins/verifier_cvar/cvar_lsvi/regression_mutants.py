"""Bugs inside CVaR-LSVI: its features, its regression and its optimistic values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import Mutant, plant, planted
from verifier.settings.cvar import Episodes
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.least_squares import Beta, CVaRLeastSquares, Model, Planner


class OtherRegression(Planner):
    """Plans with other least squares: those of `least_squares`."""


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


def _inside(name: str, description: str, bug: type[Any], caught_by: tuple[str, ...], **attributes: Any) -> Mutant:
    """The mutant whose regression has a bug."""
    regression = planted(bug, CVaRLeastSquares, **attributes)
    return plant(CVaRLSVI, name, description, OtherRegression, caught_by, least_squares=regression)


_GRAM, _REGRESSION, _FORMULA = ("gram",), ("regression",), ("formula",)
REGRESSION_MUTANTS = (
    _inside("lumps-atoms", "⌊1/υ⌋ + 1 reward atoms", LumpsAtoms, _GRAM),
    _inside("no-last-feature", "φ̄_H = 0", NoLastFeature, _GRAM),
    _inside("small-ridge", "λ = 1/10", SmallRidge, _GRAM),
    _inside("learns-twice", "every episode counts twice", bugs.twice("learn"), _GRAM),
    _inside("last-episode-only", "regresses on the last episode", LastEpisodeOnly, _REGRESSION),
    _inside("next-reward", "the reward of the next step", NextReward, _REGRESSION),
    _inside("keeps-budget", "regresses on V at budget i instead of i − r", KeepsBudget, _REGRESSION),
    _inside("wraps-budget", "a negative budget indexes from the end", WrapsBudget, _REGRESSION),
    _inside("clamps-target", "regresses on V⁺", ClampsTarget, _REGRESSION),
    _inside("adds-width", "adds β‖φ̄‖: pessimism", bugs.scaled("norm", -1.0), _FORMULA),
    _inside("squared-norm", "β‖φ̄‖²", bugs.squared("norm"), _FORMULA),
    _inside("other-steps", "‖φ̄_h‖ under Λ_{h+1}", OtherSteps, _FORMULA),
    _inside("forgets-bonus", "plans without the bonus", ScaledBonus, _FORMULA, factor=0.0),
    _inside("adds-bonus", "adds the bonus", ScaledBonus, _FORMULA, factor=-1.0),
    plant(CVaRLSVI, "bought-width", "the width is asked for 2V", bugs.wishful_width(), ("handed",)),
    _inside("printed-clip", "lower clip −H, as printed", ClipsAt, ("formula", "optimism"), low=-1.0),
    _inside("clip-at-zero", "lower clip 0", ClipsAt, _FORMULA, low=0.0),
    _inside("no-upper-clip", "no upper clip", NoUpperClip, _FORMULA),
    _inside("clip-at-one", "upper clip 1", ClipsEstimate, _FORMULA),
    _inside("worst-action", "max over actions", bugs.opposite("minimiser"), ("values", "greedy")),
    _inside("one-budget", "a policy of the state alone", OneBudget, ("values", "greedy")),
)
