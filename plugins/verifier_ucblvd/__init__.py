"""Lifelong RL with linear representation (ICLR 2023): Lifelong-LSVI and UCBlvd with their guarantees."""

from __future__ import annotations

from verifier import Algorithm, hookimpl


@hookimpl
def verifier_algorithms() -> list[type[Algorithm]]:
    """The algorithms of the paper."""
    from verifier_ucblvd.lifelong_lsvi import LifelongLSVI
    from verifier_ucblvd.ucblvd import UCBlvd

    return [LifelongLSVI, UCBlvd]
