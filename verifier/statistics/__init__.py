"""Decisions under chance: anytime-valid tests, confidence sequences and the error budget, one procedure per file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from verifier.base.importing import later

if TYPE_CHECKING:
    from verifier.statistics.bounded_mean import MeanTest
    from verifier.statistics.checks import Decision
    from verifier.statistics.evidence import EvidenceMonitor
    from verifier.statistics.expectation import ExpectationMonitor, ExpectationTest
    from verifier.statistics.ledger import Key, Ledger
    from verifier.statistics.martingale import MartingaleTest
    from verifier.statistics.monitor import Monitor
    from verifier.statistics.quantile import quantile_above, quantile_below, quantile_interval, runs_needed
    from verifier.statistics.rate import RateMonitor, RateTest
    from verifier.statistics.rate_evidence import log_evidence_above, log_evidence_below, rate_interval

__all__ = [
    "Decision",
    "EvidenceMonitor",
    "ExpectationMonitor",
    "ExpectationTest",
    "Key",
    "Ledger",
    "MartingaleTest",
    "MeanTest",
    "Monitor",
    "RateMonitor",
    "RateTest",
    "log_evidence_above",
    "log_evidence_below",
    "quantile_above",
    "quantile_below",
    "quantile_interval",
    "rate_interval",
    "runs_needed",
]

_MODULES = (
    "bounded_mean",
    "checks",
    "evidence",
    "expectation",
    "ledger",
    "martingale",
    "monitor",
    "quantile",
    "rate",
    "rate_evidence",
)

__getattr__ = later(__name__, __all__, [f"{__name__}.{module}" for module in _MODULES])
