"""Topics of claims, in the words in which reports count them."""

from __future__ import annotations

from enum import StrEnum

from verifier.model.claim import PSEUDO_CODE, Claim, Kind


class Topic(StrEnum):
    """Topic of a claim. Plugins may have further topics; these are the ones of the property library, in reading order."""

    ASSUMPTIONS = "Assumptions"
    PSEUDO_CODE = "Pseudo-code"
    LAWS = "Laws"
    CONFIDENCE = "Confidence"
    DECOMPOSITION = "Decomposition"
    PLANNING = "Planning"
    OPTIMISM = "Optimism"
    EXPLORATION = "Exploration"
    POTENTIAL = "Potential"
    SWITCHING = "Switching"
    REGRET = "Regret"
    RATES = "Rates"
    OTHER = "Other claims"


_OF_KIND = {Kind.ASSUMPTION: Topic.ASSUMPTIONS, Kind.LAW: Topic.LAWS, Kind.SCALING: Topic.RATES}


def topic_of(claim: Claim) -> str:
    """The topic of a claim: that of its kind, where the kind says it; a line of the pseudo-code; else that of its property.

    A line of the pseudo-code is what names ``"pseudo-code"`` among what it follows from, and where nothing is said of that an
    identity.
    """
    if claim.kind in _OF_KIND:
        return _OF_KIND[claim.kind].value
    if PSEUDO_CODE in claim.follows or (claim.kind is Kind.IDENTITY and not claim.follows):
        return Topic.PSEUDO_CODE.value
    return claim.property.topic or Topic.OTHER.value
