"""Optimistic Planning by Regularized Dynamic Programming (ICML 2023): RAVI-UCB, tabular and linear mixture."""

from __future__ import annotations

from verifier import Guarantees, hookimpl


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Both instantiations."""
    from verifier_ravi_ucb.guarantees import GUARANTEES

    return GUARANTEES
