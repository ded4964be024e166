"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("one-round-late", "bandit-two", ("gap-of-played",), regime="oracle"),
    Shown("reward-turned", "bandit-two", ("plays-of-losing-arms", "regret"), trials=10),
    Shown("no-logarithm", "bandit-two", ("plays-of-arm-1",), trials=20),
    Shown("half-bonus", "bandit-two", ("optimism",), regime="oracle"),
    Shown("sees-rewards", "bandit-two", ("far-means",), trials=10),
    Shown("arm-before", "bandit-apart", ("plays-of-arm-2",), trials=40),
    Shown("other-arm", "bandit-apart", ("plays-of-arm-3",), trials=40),
    Shown("worst-arm", "bandit-apart", ("plays-of-arm-4",), trials=40),
)
