"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("garbage-alternating", "mixture-random", ("confidence-event", "noise-event"), trials=40),
    Shown("garbage-first", "mixture-long", ("regret",), trials=60),
)
