"""Realistic bugs of implementations of RAVI-UCB: in planning, in playing, in counting and in the regression."""

from __future__ import annotations

from verifier import Algorithm
from verifier.model.mutant import Mutant


def shared_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of both instantiations."""
    from verifier_ravi_ucb.mutants import planning, playing

    return (*planning.mutants(original), *playing.mutants(original))


def tabular_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of the tabular instantiation."""
    from verifier_ravi_ucb.mutants import counting

    return counting.mutants(original)


def mixture_mutants(original: type[Algorithm]) -> tuple[Mutant, ...]:
    """Bugs of the linear-mixture instantiation."""
    from verifier_ravi_ucb.mutants import regression

    return regression.mutants(original)
