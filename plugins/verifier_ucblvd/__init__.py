"""Lifelong RL with linear representation (ICLR 2023): Lifelong-LSVI, UCBlvd and their variants, with their guarantees."""

from __future__ import annotations

from verifier import Guarantees, hookimpl


@hookimpl
def verifier_algorithms() -> tuple[Guarantees, ...]:
    """The five algorithms of the paper."""
    from verifier_ucblvd.guarantees import GUARANTEES

    return GUARANTEES
