"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("garbage-first", "overlap", ("reward-confidence", "value-confidence", "row-confidence", "entry-confidence"), trials=8),
    Shown("garbage-zero", "overlap", ("coverage",), trials=8),
    Shown("plays-another", "overlap", ("expected-visits",), trials=8),
)
