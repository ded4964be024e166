"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("evaluates-last", "no-transition", ("evaluated-policies",), regime="oracle"),
    Shown("garbage-zero", "step-one", ("likelihood-event", "evaluation-error"), trials=24),
    Shown("garbage-first", "step-one", ("norm-concentration",), trials=24),
    Shown("narrow-width", "step-one", ("planner-confidence",), trials=24),
)
