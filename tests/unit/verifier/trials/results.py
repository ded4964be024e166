"""What tests compare of results of trials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from verifier.model.result import TrialResult


def outcomes(results: list[TrialResult]) -> list[str]:
    """The kind of error of each trial, or "fine"."""
    return [result.error.kind if result.error else "fine" for result in results]


def untimed(results: Iterable[TrialResult]) -> list[str]:
    """Results as text, to the last bit and with NaN equal to NaN, without the time they took."""
    return [repr(replace(result, seconds=0.0)) for result in results]
