"""The versioned result of a command; every report is rendered from it alone."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verifier.record.entries import (
        SCHEMA,
        AlgorithmEntry,
        BugsEntry,
        ClaimEntry,
        ClaimPowerEntry,
        ClauseEntry,
        ErratumEntry,
        ErrorEntry,
        InstanceEntry,
        KillEntry,
        Ledger,
        MutantEntry,
        MutantOutcome,
        PowerEntry,
        Record,
        SupportEntry,
        schema,
    )
    from verifier.record.finding import Finding, GateEntry
    from verifier.record.localisation import ConfusionEntry, LocalisationEntry
    from verifier.record.regime import RegimeEntry
    from verifier.record.scaling import Scaling
    from verifier.statistics.detectable import Detectable
    from verifier.statistics.ledger import LedgerEntry

__all__ = [
    "SCHEMA",
    "AlgorithmEntry",
    "BugsEntry",
    "ClaimEntry",
    "ClaimPowerEntry",
    "ClauseEntry",
    "ConfusionEntry",
    "Detectable",
    "ErratumEntry",
    "ErrorEntry",
    "Finding",
    "GateEntry",
    "InstanceEntry",
    "KillEntry",
    "Ledger",
    "LedgerEntry",
    "LocalisationEntry",
    "MutantEntry",
    "MutantOutcome",
    "PowerEntry",
    "Record",
    "RegimeEntry",
    "Scaling",
    "SupportEntry",
    "schema",
]

_PLACES = ("record.entries", "record.finding", "record.localisation", "record.scaling", "statistics.detectable")
"""Modules in which all of these are; some have them from others."""


@cache
def __getattr__(name: str) -> Any:
    """Import what is in the record when it is first asked for: plugins, and lists of them, need `writer` alone."""
    if name in __all__:
        for place in _PLACES:
            found = vars(import_module(f"verifier.{place}"))
            if name in found:
                return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
