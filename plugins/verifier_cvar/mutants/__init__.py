"""Realistic bugs of implementations of ELA, ELLA and CVaR-LSVI.

Those of exploration are in `collecting` (data and play), `learning` (model, covariance and bonus) and `planning` (exact planning
and the choice of the budget); those of planning by simulation in `regression` (least squares) and `evaluation` (estimates
and what is returned); `discretising` has those of rounded rewards.
"""

from __future__ import annotations

from verifier import Algorithm
from verifier.mutant import Mutant


def ela_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of ELA."""
    from verifier_cvar.mutants import collecting, learning, planning

    return (*collecting.mutants(original), *learning.mutants(original), *planning.mutants(original))


def ella_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of ELLA."""
    from verifier_cvar.mutants import collecting, discretising, evaluation, learning, planning

    return (
        *collecting.mutants(original),
        *learning.mutants(original),
        *planning.budget_mutants(original, "best-estimate"),
        *discretising.mutants(original),
        *evaluation.inner_mutants(original),
    )


def lsvi_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of CVaR-LSVI."""
    from verifier_cvar.mutants import evaluation, regression

    return (*regression.mutants(original), *evaluation.mutants(original))
