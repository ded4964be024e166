"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("one-round-late", "bandit-two", ("gap-of-played",), regime="oracle"),
    Shown("reward-turned", "bandit-two", ("plays-of-losing-arms", "regret"), trials=10),
    Shown("half-bonus", "bandit-two", ("optimism",), regime="oracle"),
    Shown("sees-rewards", "bandit-two", ("far-means",), trials=10),
)
