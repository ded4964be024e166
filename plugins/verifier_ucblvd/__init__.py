"""Lifelong RL with linear representation (ICLR 2023): Lifelong-LSVI, UCBlvd and their variants, with their guarantees."""

from __future__ import annotations

from verifier import Guarantees, hookimpl
from verifier.model.discovery import guarantees_in


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """Guarantees declared in the folders of this plugin, one for each algorithm."""
    return guarantees_in(__name__, "lifelong_lsvi", "ucblvd", "unknown_rewards")
