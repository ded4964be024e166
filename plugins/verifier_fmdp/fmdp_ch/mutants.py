"""Bugs planted in FMDP-CH."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.model import Model
from verifier_fmdp.planning import Bonus
from verifier_fmdp.shared.mutants import factored_mutants
from verifier_fmdp.structure import Structure, flat


class SelfInCross(FMDPCH):
    """The cross term with the factor itself, as in FMDP-BF."""

    def cross(self, phi: Array) -> Array:
        """H phi_j sum_l phi_l."""
        return self.public.H * phi * phi.sum(axis=0)


class PerVisit(FMDPCH):
    """1/N where 1/sqrt(N) belongs."""

    def root(self, model: Model, L: float) -> Array:
        """The square root forgotten."""
        return super().root(replace(model, visits=model.visits**2), L)


class VisitsForgotten(FMDPCH):
    """1 where 1/sqrt(N) belongs."""

    def root(self, model: Model, L: float) -> Array:
        """Bonus as after one visit."""
        return super().root(replace(model, visits=np.minimum(model.visits, 1.0)), L)


class SummedTwice(FMDPCH):
    """Bug: each factor is given the bonus of all of them, as if they were not added up afterwards."""

    def root(self, model: Model, L: float) -> Array:
        """The sum over the factors in place of the term of each."""
        root = super().root(model, L)
        return np.broadcast_to(root.sum(axis=0), root.shape)


class Flat(FMDPCH):
    """Bug: the structure is not used; one factor, whose scope is everything, and the mean reward."""

    def scopes(self) -> Structure:
        """Scopes that tell all pairs apart."""
        return flat(self.public)

    def parts(self, rewards: Array) -> Array:
        """The mean of the parts, (H, 1)."""
        return rewards.mean(axis=1, keepdims=True)

    def reported(self, model: Model, rewards: Array, bonuses: Sequence[Bonus]) -> dict[str, Any]:
        """Reports of the flat model in fields of the factored shape."""
        public, N = self.public, model.visits
        factors = np.stack([bonus.factors[0] for bonus in bonuses]) / public.n
        return {
            "visits": np.broadcast_to(N, (public.n, public.X)), "reward_visits": np.broadcast_to(N, (public.m, public.X)),
            "reward": np.broadcast_to(model.reward, (public.m, public.X)), "known": (N > 0).astype(np.int64),
            "kernel": np.zeros((public.n, public.X, max(public.state_sizes))),
            "reward_bonus": np.broadcast_to(rewards, (public.m, public.X)), "cross": np.zeros((public.n, public.X)),
            "transition_bonus": np.broadcast_to(factors, (public.n, *factors.shape)),
        }  # fmt: skip


mutant, thousand = partial(plant, FMDPCH), bugs.reports(Q=lambda Q: 1000.0 * Q, V=lambda V: 1000.0 * V)
DIFFERS = {
    "no-cross": "everywhere: 0",
    "self-in-cross": "φ_j Σ_l φ_l for φ_j Σ_{l≠j} φ_l",
    "per-visit": "2 · L^P / N_j / N_j",
    "without-h": "1/3 times H · √(",
    "other-units": "0.001 times the formula",
    "flat": "N_j of each pair by itself",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        *factored_mutants(FMDPCH),
        mutant("no-cross", "the cross term forgotten", bugs.scaled("cross", 0.0), ("cross-term", "transition-bonus")),
        mutant("self-in-cross", "the cross term with l = j", SelfInCross, ("cross-term", "transition-bonus")),
        mutant("per-visit", "1/N instead of 1/sqrt(N)", PerVisit, ("transition-bonus",)),
        mutant("visits-forgotten", "1 instead of 1/sqrt(N)", VisitsForgotten, ("transition-bonus",)),
        mutant("summed-twice", "the bonuses of all factors in that of each", SummedTwice, ("transition-bonus",)),
        mutant("without-h", "the root not scaled by H", bugs.returns("root", lambda root: root / 3), ("transition-bonus",)),
        mutant("other-units", "reports values in thousandths", thousand, ("width-target", "q-formula", "value-range")),
        mutant("flat", "no structure used", Flat, ("visits", "kernel")),
    ),
    DIFFERS,
)
