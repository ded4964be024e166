"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("last-iteration-only", "low-rank", ("likelihood-event",), trials=6),
    Shown("never-last-action", "low-rank", ("norm-concentration",), trials=6),
)
