"""Names of algorithms as they stand in a legend."""

from __future__ import annotations

import re

from verifier.record import AlgorithmEntry
from verifier_reports.screen import clean, clip

_LONGEST = 24


def called(algorithm: AlgorithmEntry) -> str:
    """The title without the place in the paper, ``UCBVI-CH`` of ``UCBVI-CH (Algorithms 1 to 3)``.

    Of a long title it is the word that is the name, ``MVP`` of ``MVP, monotonic value propagation``, else the name.
    """
    title = re.sub(r"\s*\([^()]*\)$", "", clean(algorithm.title))
    if 0 < len(title) <= _LONGEST:
        return title
    name = clean(algorithm.name)
    return next((word for word in re.split(r"[\s,:]+", title) if word.lower() == name.lower()), clip(name, _LONGEST))
