"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (Shown("narrow-radius", "random", ("confidence-event",), trials=32),)
