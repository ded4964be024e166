"""Choice of the statistical test that decides a claim."""

from __future__ import annotations

from typing import Any

from verifier.base.errors import ContractError
from verifier.model.claim import Claim, Kind
from verifier.statistics import EvidenceMonitor, ExpectationTest, Monitor, RateTest


def why_nothing_is_claimed(claim: Claim, public: Any) -> str:
    """Reason why a claim may always fail: several times delta is no probability below 1 on this instance. Empty if it may not."""
    delta = getattr(public, "delta", 0.0)
    if claim.kind is not Kind.PROBABILITY or claim.chance or not delta < 1.0 <= claim.failure_probability * delta:
        return ""
    return f"it may fail with probability {claim.allowed} = {claim.failure_probability * delta:g} here, which says nothing"


def monitor_of(claim: Claim, public: Any, reject_level: float, certify_level: float) -> Monitor:
    """Monitor that decides a claim of a statistical kind over the trials on an instance.

    Parameters
    ----------
    claim : Claim
    public : object
        What the agent may know of the instance; its ``delta`` is read where the claim is about it.
    reject_level, certify_level : float
        Probabilities, in (0, 1), of ever calling it violated if it holds, and conforming if it does not.

    Raises
    ------
    ContractError
        If the claim is of no statistical kind, or is about the delta of an instance that has none.
    """
    if claim.kind is Kind.LAW:
        return EvidenceMonitor(reject_level, claim.wrong_law)
    if claim.kind is Kind.EXPECTATION:
        return ExpectationTest(reject_level, certify_level, claim.resolution).start()
    if claim.kind is not Kind.PROBABILITY:
        raise ContractError(f"claim {claim.name!r} is of kind {claim.kind.value!r}, which no statistical test decides")
    if claim.chance:
        return RateTest(claim.chance, reject_level, certify_level).start()
    if not hasattr(public, "delta"):
        raise ContractError(
            f"claim {claim.name!r} may fail with probability {claim.allowed}, but the public part of the instance has no field "
            "delta; add it, or state the probability as `chance`"
        )
    delta = claim.failure_probability * public.delta
    return RateTest(delta, reject_level, certify_level).start(f"{claim.allowed} = {delta:g}")
