"""Provably Efficient CVaR RL in Low-rank MDPs (ICLR 2024): ELA, its planner CVaR-LSVI, and ELLA, with their guarantees."""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(__name__, "ela")
