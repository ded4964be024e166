"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("garbage-random", "random", ("value-confidence", "entry-confidence", "row-confidence"), trials=6),
    Shown("narrow-bonus", "random", ("coverage",), trials=32),
)
