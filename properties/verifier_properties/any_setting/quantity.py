"""A number of a run by itself, for scaling claims: there is nothing to compare it with but its values at other sizes."""

from __future__ import annotations

from typing import Any

from verifier.model.inequality import UNBOUNDED, Inequality


def quantity(value: Any) -> Inequality:
    """A value, against no bound."""
    return Inequality(float(value), float("inf"), trivial=UNBOUNDED)
