"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("one-round-late", "bandit-two", ("gap-of-played",), regime="oracle", trials=6),
    Shown("half-bonus", "bandit-two", ("bonus-validity", "optimism"), regime="oracle"),
)
