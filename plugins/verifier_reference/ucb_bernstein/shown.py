"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("mean-forgotten", "long-run", ("variance-estimate",), trials=10),
    Shown("stale-value", "cycle", ("lead-sum", "pathwise-regret"), regime="oracle"),
)
