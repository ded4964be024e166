"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("garbage-random", "random", ("value-confidence", "entry-confidence"), trials=6),
    Shown("rewards-not-divided", "long-run", ("reward-confidence",), trials=13),
    Shown("narrow-width", "random", ("coverage",), trials=12),
)
