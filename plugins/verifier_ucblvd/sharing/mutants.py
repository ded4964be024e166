"""Bugs planted in Lifelong-LSVI with computation sharing (Algorithm 5)."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

import numpy as np

from verifier.base.arrays import Array, IntArray
from verifier.model import bugs
from verifier.model.mutant import plant, planted, telling
from verifier.model.width import Width
from verifier_settings.lifelong import Public
from verifier_ucblvd.least_squares import ContextLeastSquares, GramMatrices
from verifier_ucblvd.shared.mutants import play_mutants, width_mutants
from verifier_ucblvd.shared.switching_mutants import Trigger, plans_in_secret, replans_always
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing


class OtherContextData(LifelongLSVISharing):
    """Other sufficient statistics than the algorithm's."""

    statistics: ClassVar[type[GramMatrices]]

    def __init__(self, public: Public, width: Width) -> None:
        super().__init__(public, width)
        self.context_data = planted(self.statistics, ContextLeastSquares)(public)


class WrongTask(ContextLeastSquares):
    """Successors counted for the next context."""

    def add(self, contexts: IntArray, states: IntArray, actions: IntArray, rewards: Array) -> None:
        """Add episodes."""
        before = self.transitions.copy()
        super().add(contexts, states, actions, rewards)
        self.transitions = before + np.roll(self.transitions - before, 1, axis=3)


_mutant = partial(plant, LifelongLSVISharing)
_CHAIN, _GROWTH = ("q-formula", "bonus-validity", "optimism"), ("trigger", "growth-in-force")
DIFFERS = {
    "gram-twice": "2 times the data",
    "trigger-first-step": "by the growth at step 1",
    "trigger-never": "never planned again",
    "half-bonus": "1/2 times",
    "wrong-step-target": "the formula of step h + 1",
    "squared-bonus": "‖ψ‖ · ",
    "greedy": "width · ‖ψ‖",
    "unit-ridge": "times lambda",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        _mutant(
            "wrong-task", "V at the next task in the regression", OtherContextData, ("psi-regression",), statistics=WrongTask
        ),
        _mutant(
            "gram-twice", "Lambda-tilde updated twice per step", OtherContextData, ("psi-gram",), statistics=bugs.twice("grow")
        ),
        _mutant("trigger-never", "never replans", Trigger, (*_GROWTH, "potential", "stale-bonus"), rule=lambda g: False),
        _mutant("trigger-first-step", "trigger at h = 1 only", Trigger, _GROWTH, rule=lambda g: g[0] > 1),
        replans_always(LifelongLSVISharing),
        plans_in_secret(LifelongLSVISharing),
        _mutant("half-bonus", "half the bonus", bugs.scaled("bonus", 0.5), _CHAIN),
        _mutant("squared-bonus", "the square root of the bonus forgotten", bugs.squared("bonus"), _CHAIN),
        _mutant("wrong-step-target", "V_{h+2} regressed", bugs.wrong_step("target"), ("value-function", "psi-regression")),
        _mutant("clip-at-one", "V clipped at 1", bugs.clipped("value", 1.0), ("value-function",)),
        _mutant("greedy", "no bonus", bugs.no_bonus("optimistic"), _CHAIN),
        _mutant(
            "unit-ridge",
            "lambda = 1 in place of that of the instance",
            OtherContextData,
            ("psi-gram",),
            statistics=bugs.unit_ridge(),
        ),
        *play_mutants(LifelongLSVISharing),
        *width_mutants(LifelongLSVISharing),
    ),
    DIFFERS,
)
