"""The words of a verdict, and the verdict of a claim from those of its parts."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum


class Verdict(StrEnum):
    """Verdict on a claim. Only CONFORMS is a pass."""

    VIOLATED = "violated"
    INCONCLUSIVE = "inconclusive"
    CONFORMS = "conforms"
    OBSERVED = "observed"
    """A rate was measured where nobody promises one; neither for nor against the claim."""
    VACUOUS = "vacuous"
    NOT_APPLICABLE = "not applicable"
    ERROR = "error"


ORDER = (
    Verdict.VIOLATED,
    Verdict.ERROR,
    Verdict.INCONCLUSIVE,
    Verdict.CONFORMS,
    Verdict.OBSERVED,
    Verdict.VACUOUS,
    Verdict.NOT_APPLICABLE,
)


def overall(verdicts: Iterable[str]) -> Verdict:
    """The verdict of a claim over its regimes and instances.

    The worst of violated, error and inconclusive; else conforms if it conforms anywhere with power; else observed if a
    rate was measured where nobody promises one; else vacuous; else not applicable.

    Raises
    ------
    ValueError
        If one is no verdict.
    """
    found = set(map(Verdict, verdicts))
    return next((verdict for verdict in ORDER if verdict in found), Verdict.NOT_APPLICABLE)
