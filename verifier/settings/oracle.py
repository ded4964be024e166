"""The oracle width: what sessions that recompute a realised error hand out for it."""

from __future__ import annotations

SLACK = 1e-9
"""Added to the oracle width, relatively and absolutely, so that rounding of the width itself cannot make the event fail."""


def oracle_width(radius: float) -> float:
    """The least width that covers an error of this radius, plus the slack."""
    return float((1 + SLACK) * radius + SLACK)
