"""The single-task parents that most public code implements: UCBVI (Azar et al. 2017) and LSVI-UCB (Jin et al. 2020)."""

from __future__ import annotations

from verifier import Algorithm, hookimpl


@hookimpl
def verifier_algorithms() -> list[type[Algorithm]]:
    """UCBVI with both bonuses, and LSVI-UCB."""
    from verifier_reference.lsvi_ucb import LSVIUCB
    from verifier_reference.ucbvi import BernsteinUCBVI, HoeffdingUCBVI

    return [HoeffdingUCBVI, BernsteinUCBVI, LSVIUCB]
