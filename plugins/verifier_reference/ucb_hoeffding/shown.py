"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (Shown("seen-or-not", "long-run", ("confidence-event",), trials=10),)
