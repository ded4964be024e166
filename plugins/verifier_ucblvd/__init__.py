"""Lifelong RL with linear representation (ICLR 2023): Lifelong-LSVI, UCBlvd and their variants, with their guarantees."""

from __future__ import annotations

from verifier import Algorithm, hookimpl


@hookimpl
def verifier_algorithms() -> list[type[Algorithm]]:
    """The five algorithms of the paper."""
    from verifier_ucblvd.lifelong_lsvi import LifelongLSVI
    from verifier_ucblvd.modified import ModifiedUCBlvd
    from verifier_ucblvd.sharing import LifelongLSVISharing
    from verifier_ucblvd.ucblvd import UCBlvd
    from verifier_ucblvd.unknown_rewards import UCBlvdUnknownRewards

    return [LifelongLSVI, UCBlvd, UCBlvdUnknownRewards, ModifiedUCBlvd, LifelongLSVISharing]
