"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("boastful", "adversary-constant", ("growth",)),
    Shown("no-exploration", "adversary-constant", ("largest-estimate",), trials=8),
    Shown("draws-from-shares", "adversary-constant", ("drawn-arms",), trials=8),
    Shown("never-learns", "adversary-constant", ("pathwise-regret", "regret", "tuned-regret"), trials=30),
)
