"""Places where agents violate claims that are hard to violate."""

from __future__ import annotations

from verifier.model.mutant import Shown

SHOWN = (
    Shown("always-enlarged", "one-feature", ("enlarged-steps", "enlarged-steps-sharp"), regime="oracle"),
    Shown("narrow-radius", "simplex", ("exploration-confidence",), trials=8),
    Shown("garbage-random", "simplex", ("planning-confidence-1", "adversarial-confidence"), trials=6),
    Shown("garbage-alternating", "simplex", ("both-confidences",), trials=16),
    Shown("peeks-at-start", "rotated", ("first-states", "plans-before-start"), regime="calibrated", trials=8),
    Shown("boasts-at-start", "two-states", ("sum-of-values",), regime="calibrated", trials=12),
    Shown("first-action", "two-states", ("certificate",), regime="calibrated", trials=24),
    Shown("knows-the-kernel", "hard", ("hidden-signs", "least-loss"), trials=26),
)
