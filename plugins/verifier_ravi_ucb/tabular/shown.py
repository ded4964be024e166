"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("narrow-width", "random-point", ("confidence",), trials=80),
    Shown("one-epoch", "random-point", ("coin", "longest-epoch", "length-factor"), trials=80),
    Shown("constant-bonus", "random-point", ("bonus-sum-expectation",), trials=200),
    Shown("shy", "random-point", ("bonuses-expectation",), trials=250),
    Shown("stuck", "random-point", ("regret-expectation",), regime="oracle[model=exact]", trials=1500),
)
