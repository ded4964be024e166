"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("counts-twice", "linear-bandit-random", ("determinant-trace",), regime="oracle"),
    Shown("sees-rewards", "linear-bandit-random", ("noise-event", "confidence-event"), trials=40),
    Shown("worst-action", "linear-bandit-line", ("regret", "rounds-above"), trials=40),
)
