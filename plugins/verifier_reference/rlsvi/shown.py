"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (Shown("garbage-first", "random", ("failures",), trials=16),)
