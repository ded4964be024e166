"""The versioned result of a command; every report is rendered from it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.base.importing import later

if TYPE_CHECKING:
    from verifier.record.drawn import DrawnEntry
    from verifier.record.entries import (
        SCHEMA,
        UNCOMPARED,
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
        TheoremEntry,
        schema,
    )
    from verifier.record.figure import CurvePoint, FigureCurve, FigureEntry, FigureVerdict, StatementEntry, StatementVerdict
    from verifier.record.finding import Finding, GateEntry
    from verifier.record.given import GivenEntry
    from verifier.record.localisation import ConfusionEntry, LocalisationEntry
    from verifier.record.regime import RegimeEntry
    from verifier.record.scaling import Scaling
    from verifier.record.tightness import FactorEntry, FactorLine, GrowthEntry, PriceEntry, RegretLine, TightnessEntry, WorstEntry
    from verifier.statistics.detectable import Detectable
    from verifier.statistics.ledger import LedgerEntry

__all__ = [
    "SCHEMA",
    "UNCOMPARED",
    "AlgorithmEntry",
    "BugsEntry",
    "ClaimEntry",
    "ClaimPowerEntry",
    "ClauseEntry",
    "ConfusionEntry",
    "CurvePoint",
    "Detectable",
    "DrawnEntry",
    "ErratumEntry",
    "ErrorEntry",
    "FactorEntry",
    "FactorLine",
    "FigureCurve",
    "FigureEntry",
    "FigureVerdict",
    "Finding",
    "GateEntry",
    "GivenEntry",
    "GrowthEntry",
    "InstanceEntry",
    "KillEntry",
    "Ledger",
    "LedgerEntry",
    "LocalisationEntry",
    "MutantEntry",
    "MutantOutcome",
    "PowerEntry",
    "PriceEntry",
    "Record",
    "RegimeEntry",
    "RegretLine",
    "Scaling",
    "StatementEntry",
    "StatementVerdict",
    "SupportEntry",
    "TheoremEntry",
    "TightnessEntry",
    "WorstEntry",
    "schema",
]

_MODULES = (
    "record.drawn",
    "record.entries",
    "record.figure",
    "record.finding",
    "record.given",
    "record.localisation",
    "record.scaling",
    "record.tightness",
    "statistics.detectable",
)

__getattr__ = later(__name__, __all__, [f"verifier.{module}" for module in _MODULES])
