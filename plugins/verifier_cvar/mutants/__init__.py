"""Realistic bugs of implementations of ELA, ELLA and CVaR-LSVI.

Those of exploration are in `collecting` (data and play), `learning` (model, covariance and bonus) and `planning` (exact planning
and the choice of the budget); those of planning by simulation in `regression` (least squares) and `evaluation` (estimates
and what is returned); `discretising` has those of rounded rewards.
"""

from __future__ import annotations

from verifier import Algorithm
from verifier.model.mutant import Mutant
from verifier_cvar.mutants import collecting, discretising, evaluation, learning, planning, regression


def ela_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of ELA."""
    return (*collecting.mutants(original), *learning.mutants(original), *planning.mutants(original))


INHERITED = frozenset(
    {
        *("keeps-budget", "spends-mean", "stale-budget", "largest-budget", "uniform-roll-in"),
        *("never-last-action", "no-second-action", "last-iteration-only", "extra-trajectory"),
        *("learns-from-d", "learns-twice", "stale-model", "covariance-both", "no-bonus", "half-bonus", "printed-clip"),
        "printed-width",
    }
)
"""ELLA collects data and learns by the very methods of ELA: of the bugs in these, one for each claim is planted in both."""


def ella_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of ELLA."""
    inherited = (*collecting.mutants(original), *learning.mutants(original))
    return (
        *(mutant for mutant in inherited if mutant.name in INHERITED),
        *planning.budget_mutants(original, "best-estimate"),
        *discretising.mutants(original),
        *evaluation.inner_mutants(original),
    )


def lsvi_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of CVaR-LSVI."""
    return (*regression.mutants(original), *evaluation.mutants(original))
