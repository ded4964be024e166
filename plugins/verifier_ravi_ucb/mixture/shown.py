"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("no-clip", "mixture-confidence", ("noise-event", "noise-event-sharp", "stability"), trials=40),
    Shown("narrow-width", "mixture-confidence", ("confidence",), trials=80),
    Shown("one-epoch", "mixture-confidence", ("coin", "longest-epoch", "length-factor"), trials=80),
    Shown("timid", "mixture-confidence", ("bonuses-expectation",), trials=100),
    Shown("constant-bonus", "mixture-confidence", ("bonus-sum-expectation",), trials=100),
)
