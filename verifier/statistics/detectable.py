"""Smallest deviation that a verdict would have detected."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Detectable:
    """Smallest deviation that a pass would have detected.

    Parameters
    ----------
    kind : {"factor", "difference", "rate", "mean", "runs", "none"}
        ``factor``: the left side multiplied by `value` (or more) would have been called violated. ``difference``: for identities,
        a difference above `value`. ``rate``, ``mean``: a failure probability, or a mean of the left side, of `value` (or more)
        would have been called violated with probability 0.9 in as many trials. ``runs``: for laws, the wrong one that the claim
        names is expected to be called violated after so many runs.
    value : float
        The factor, the difference, the rate, the mean or the number of runs.
    """

    kind: str
    value: float
