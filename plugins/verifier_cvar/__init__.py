"""Provably Efficient CVaR RL in Low-rank MDPs (ICLR 2024): ELA, its planner CVaR-LSVI, and ELLA, with their guarantees."""

from __future__ import annotations

from verifier import Guarantees, hookimpl


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """The three algorithms of the paper."""
    from verifier_cvar.guarantees import GUARANTEES

    return GUARANTEES
