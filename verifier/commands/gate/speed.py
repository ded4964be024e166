"""Whether a plugin has become slower, in multiples of a yardstick that every process measures itself."""

from __future__ import annotations

from collections.abc import Mapping

from verifier.record.finding import Finding

SLOWER = 2.0
"""The largest accepted ratio unless another is asked for. Eight measurements of the same code on a loaded machine differed by a
factor of at most 1.53 per trial, also for trials as short as a yardstick, and of at most 1.27 in the sum."""


def slowdown(now: Mapping[str, float], before: Mapping[str, float]) -> float | None:
    """Work now over work before, summed over the trials that both have; None if there are none."""
    common = [place for place in before if place in now]
    total = sum(before[place] for place in common)
    return sum(now[place] for place in common) / total if total > 0 else None


def finding(name: str, now: Mapping[str, float], before: Mapping[str, float], most: float) -> Finding | None:
    """The comparison with a baseline; None if there is nothing to compare."""
    ratio = slowdown(now, before)
    if ratio is None:
        return None
    message = f"takes {ratio:.2f} times the processor time of the baseline; up to {most:g} times is accepted"
    rule = "not slower than the baseline by more than the stated ratio"
    if ratio <= most:
        return Finding(f"{name}:speed", "speed", "passed", message, rule)
    return Finding(f"{name}:speed", "speed", "failed", f"{message}; if that is meant, write a new baseline", rule)
