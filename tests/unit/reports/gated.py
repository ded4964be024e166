"""A record of a gate, made up: every outcome, claims and planted bugs of one algorithm."""

from __future__ import annotations

from dataclasses import replace

from verifier.record import Record
from verifier.record.finding import Finding, GateEntry, Source

from .kills import power_record
from .sample import sample


def gated() -> Record:
    """A record of a gate with a finding of every outcome, and characters that need care."""
    findings = (
        Finding("lsvi:contract", "contract", "passed", "loads"),
        Finding(
            "lsvi/optimism", "claims", "failed", "violated: Q ≥ Q*: 2 <= 1 is false <&>\x1b[31m", "Lemma 4: Q ≥ Q*", "a/b:c:d:0:0"
        ),
        Finding("lsvi/regret", "claims", "warning", "vacuous: nothing can fail"),
        Finding("lsvi~half", "power", "error", "could not be run\n\x00"),
        Finding("lsvi/old", "claims", "accepted", "violated; accepted until 2030-01-01 (me: later)"),
    )
    sources = {"lsvi": Source("src/my plugin/a.py", 12), "lsvi/optimism": Source("src/my plugin/a.py", 71)}
    gate = GateEntry("./my plugin", "verifier-baseline.json", findings, sources)
    return replace(sample(), gate=gate, exit_code=1)


def with_bugs() -> Record:
    """A record of a gate with planted bugs of the first algorithm."""
    first, *others = gated().algorithms
    return replace(gated(), algorithms=(replace(first, power=power_record().algorithms[0].power), *others))
