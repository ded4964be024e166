"""Price of the published constant: regret at the published width, at the certified factor, and at the error of the run.

The factor is that of the claim that says that the width covers the error, on the instance where that needs most. It was measured
on runs at the published width. At a smaller width other data are gathered, so that the claim may fail more often: the runs in
which it does are counted beside the regret.
"""

from __future__ import annotations

import math

from verifier.base.significant import at_least
from verifier.campaign.factors import Factors
from verifier.campaign.subject import Cell, Subject
from verifier.model.claim import Claim, Kind
from verifier.model.regime import Regime
from verifier.record.tightness import FactorEntry, PriceEntry, RegretLine, TightnessEntry
from verifier.statistics.bounded_mean import mean_interval

COVERING = ("coverage", "confidence-event", "confidence")
"""Names of the claim that the width covers the error: an algorithm has at most one of them."""

REGRET = "regret"
SHARE = 5
"""Runs at another width are so many times fewer: a mean needs fewer of them than a quantile in the tail."""

_LEVEL = 0.01
_WIDTHS = 3


def cells(subject: Subject, table: TightnessEntry) -> list[Cell]:
    """Cells in which the regret is compared with that at the published width; none where it cannot be."""
    entry, regret = _covering(table), _claim(subject, REGRET)
    if _missing(subject, table) or entry is None or entry.worst is None or regret is None:
        return []
    event = _claim(subject, entry.claim)
    assert event is not None
    # rounded up, so that the name of the regime has all of it
    smaller = Regime("scaled", at_least(entry.worst.high))
    return [
        Cell(subject.name, entry.worst.instance, regime, max(1, table.runs // SHARE), {c.name: Factors(c) for c in of}, {},
             claims=tuple(c.name for c in of))
        for regime, of in ((smaller, (regret, event)), (Regime("oracle"), (regret,)))
        if regime.source in {Regime.parse(name).source for name in subject.guarantees.algorithm.regimes}
    ]  # fmt: skip


def price(subject: Subject, table: TightnessEntry) -> PriceEntry:
    """The regret at each width, from the cells that have been run."""
    entry, missing = _covering(table), _missing(subject, table)
    if missing or entry is None or entry.worst is None:
        return PriceEntry(entry.claim if entry else "", entry.worst.instance if entry and entry.worst else "", (), missing)
    found = [cell for cell in subject.cells if cell.instance == entry.worst.instance and REGRET in cell.tallies]
    lines = tuple(line for cell in found if (line := _line(cell, entry.claim)) is not None)
    return PriceEntry(entry.claim, entry.worst.instance, lines)


def _line(cell: Cell, event: str) -> RegretLine | None:
    """Regret in a cell; None if it has no run."""
    tally, covered = cell.tallies[REGRET], cell.tallies.get(event)
    runs = [run for run in tally.runs.values() if run.comparisons] if isinstance(tally, Factors) else []
    if not runs:
        return None
    values, most = [run.value for run in runs], max(run.trivial for run in runs)
    low, high = math.nan, math.nan
    if len(runs) == cell.planned and 0.0 < most < math.inf and min(run.trivial for run in runs) == most:
        low, high = mean_interval([min(max(value, 0.0), most) for value in values], 0.0, most, _LEVEL / _WIDTHS / 2)
    return RegretLine(
        cell.regime.name, len(runs), sum(values) / len(values), low, high, covered.failures if covered is not None else None
    )


def _missing(subject: Subject, table: TightnessEntry) -> str:
    """Reason why the regret is not compared; empty if it is."""
    entry = _covering(table)
    if entry is None or entry.worst is None:
        return f"no claim that the width covers the error has a factor here ({', '.join(COVERING)})"
    if _claim(subject, REGRET) is None:
        return "no claim is about the regret of a run"
    if not any(Regime.parse(name).source == "scaled" for name in subject.guarantees.algorithm.regimes):
        return "it is run at no multiple of its width"
    if not math.isfinite(entry.worst.high):
        return entry.worst.why or "the factor is not bounded"
    return "" if entry.worst.high > 0 else "the certified factor is 0: any width would have done"


def _covering(table: TightnessEntry) -> FactorEntry | None:
    return next((entry for name in COVERING for entry in table.claims if entry.claim == name and entry.lines), None)


def _claim(subject: Subject, name: str) -> Claim | None:
    kinds = (Kind.PROBABILITY, Kind.EXPECTATION)
    return next((claim for claim in subject.guarantees.claims if claim.name == name and claim.kind in kinds), None)
