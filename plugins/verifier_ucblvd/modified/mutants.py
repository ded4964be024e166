"""Bugs planted in Modified UCBlvd (Algorithm 4)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_ucblvd.distillation import Distilled
from verifier_ucblvd.modified.algorithm import ModifiedUCBlvd
from verifier_ucblvd.shared.distillation_mutants import BlockShift, FirstContexts, FirstSolve, NoNormCheck
from verifier_ucblvd.shared.mutants import OtherData, play_mutants, width_mutants
from verifier_ucblvd.shared.switching_mutants import Trigger, plans_in_secret, replans_always
from verifier_ucblvd.ucblvd.mutants import LWithoutAbsoluteValues


class NoProjection(ModifiedUCBlvd):
    """theta^(j) reported at the estimates, where the program moved them."""

    def distil(self, h: int, target: Array, estimate: Array, beta: float) -> Distilled:
        """A minimiser, its theta unmoved."""
        return replace(super().distil(h, target, estimate, beta), theta=estimate)


_mutant = partial(plant, ModifiedUCBlvd)
_CHAIN = ("q-formula", "distillation-error", "optimism")
DIFFERS = {
    "squared-bonus": "‖φ‖ · ",
    "wrong-step-target": "the formula of step h + 1",
    "gram-twice": "2 times the data",
    "trigger-first-step": "by the growth at step 1",
    "trigger-never": "never planned again",
    "greedy": "width · ‖φ‖",
}
"""Words that the sentence about the difference has to have, by bug."""


MUTANTS = telling(
    (
        _mutant("small-bonus", "bonus scaled to a hundredth", bugs.scaled("bonus", 0.01), _CHAIN),
        _mutant("squared-bonus", "the square root of the bonus forgotten", bugs.squared("bonus"), _CHAIN),
        _mutant("wrong-step-target", "V_{h+2} regressed", bugs.wrong_step("target"), ("value-function", "regression")),
        _mutant("signed-l", "L without absolute values", LWithoutAbsoluteValues, ("q-formula",)),
        _mutant("block-shift", "xi shifted by one", BlockShift, ("program-value",)),
        _mutant("no-projection", "theta reported where the program moved it", NoProjection, ("program-value",)),
        _mutant("gram-twice", "Lambda updated twice per step", OtherData, ("gram", "regression"), statistics=bugs.twice("grow")),
        _mutant("trigger-first-step", "trigger at h = 1 only", Trigger, ("trigger", "growth-in-force"), rule=lambda g: g[0] > 1),
        _mutant(
            "trigger-never",
            "never replans",
            Trigger,
            ("trigger", "growth-in-force", "planning-calls-least"),
            rule=lambda g: False,
        ),
        replans_always(ModifiedUCBlvd),
        plans_in_secret(ModifiedUCBlvd),
        _mutant("greedy", "no bonus", bugs.no_bonus("optimistic"), _CHAIN),
        _mutant("first-contexts", "the first n contexts taken as representatives", FirstContexts, ("distillation-error",)),
        _mutant("no-norm-check", "the exact path taken where its xi is too long", NoNormCheck, ("norm-constraint",)),
        _mutant("first-solve", "the balls of the first program of a step kept", FirstSolve, ("ball-constraint",)),
        *play_mutants(ModifiedUCBlvd),
        *width_mutants(ModifiedUCBlvd),
    ),
    DIFFERS,
)
