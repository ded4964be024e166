"""Provably Efficient CVaR RL in Low-rank MDPs (ICLR 2024): ELA, its planner CVaR-LSVI, and ELLA, with their guarantees."""

from __future__ import annotations

from verifier import Algorithm, hookimpl


@hookimpl
def verifier_algorithms() -> list[type[Algorithm]]:
    """The three algorithms of the paper."""
    from verifier_cvar.cvar_lsvi import CVaRLSVI
    from verifier_cvar.ela import ELA
    from verifier_cvar.ella import ELLA

    return [ELA, CVaRLSVI, ELLA]
