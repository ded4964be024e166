"""The single-task parents that most public code implements: UCBVI (Azar et al. 2017) and LSVI-UCB (Jin et al. 2020)."""

from __future__ import annotations

from verifier import Guarantees, hookimpl


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """UCBVI with both bonuses, and LSVI-UCB."""
    from verifier_reference.guarantees import GUARANTEES

    return GUARANTEES
