"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("garbage-random", "random", ("confidence-event",), trials=6),
    Shown("stops-at-once", "stops-fork", ("certified",), trials=24),
    Shown("never-stops", "stops-soon", ("episodes",), trials=24),
)
