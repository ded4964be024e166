"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("printed-range", "wide-bonuses", ("confidence-event",), trials=32),
    Shown("garbage-alternating", "plain-model", ("noise-event", "evaluation-error"), trials=12),
)
