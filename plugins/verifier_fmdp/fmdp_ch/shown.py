"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("garbage-zero", "overlap", ("coverage",), trials=8),
    Shown("garbage-first", "three-rivers",
        ("reward-confidence", "value-confidence", "row-confidence", "entry-confidence", "below-flat"), regime="scaled(0.001)",
        trials=150),
    Shown("other-units", "rivers", ("policy-martingale", "optimum-martingale"), regime="scaled(0.001)", trials=150),
)  # fmt: skip
