"""What a search on drawn instances found, as entries of the record."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from verifier import record
from verifier.model.claim import Claim
from verifier.model.measurement import Measurement
from verifier.model.result import TrialError, TrialResult
from verifier.record.verdict import Verdict
from verifier.trials.search.drawn import Search
from verifier.trials.search.witness import DRAWN, Witness


def entries(search: Search, claims: Sequence[Claim]) -> Iterator[tuple[str, record.RegimeEntry]]:
    """The record's entries of a search, by claim."""
    broken = {witness.claim: witness for witness in search.witnesses if witness.claim}
    for claim in claims:
        if claim.name in search.powered:
            yield claim.name, _entry(search, claim.name, broken.get(claim.name))


def errors(search: Search, algorithm: str) -> Iterator[record.ErrorEntry]:
    """The ways in which the plugin itself failed on drawn instances."""
    for witness in search.witnesses:
        if witness.error is not None:
            where = f"{algorithm} on a drawn instance, {search.regime}"
            yield record.ErrorEntry(witness.error.kind, where, witness.error.message, witness.text())


def _entry(search: Search, name: str, witness: Witness | None) -> record.RegimeEntry:
    powered = search.powered[name]
    measurement = (witness.measurement if witness else None) or Measurement(ratio=-math.inf)
    if witness is not None:
        verdict, reason = (
            Verdict.VIOLATED,
            f"fails on a drawn instance (of {search.examples}), shrunk to the smallest that still fails",
        )
    elif powered:
        verdict, reason = (
            Verdict.CONFORMS,
            f"no failure on {search.examples} drawn instances; on {powered} something could have failed",
        )
    elif search.examples:
        verdict, reason = Verdict.VACUOUS, f"on none of {search.examples} drawn instances something could have failed"
    else:
        verdict, reason = Verdict.INCONCLUSIVE, "no instance was drawn in time"
    return record.RegimeEntry(
        regime=search.regime, instance=DRAWN, verdict=verdict.value, reason=reason, trials=search.examples,
        failures=int(witness is not None), comparisons=measurement.comparisons, powered=measurement.powered,
        excluded=measurement.excluded, violations=measurement.violations, value=measurement.value, bound=measurement.bound,
        trivial=measurement.trivial, ratio=measurement.ratio, margin=measurement.margin, tolerance=measurement.tolerance,
        witness=dict(measurement.place), detectable=record.Detectable("none", math.nan), interval=None, nonvacuous_from=None,
        unit="", replay=witness.replay_id if witness else "",
    )  # fmt: skip


def failed(result: TrialResult, algorithm: str) -> record.ErrorEntry | None:
    """The error of a search that gave no result."""
    error: TrialError | None = result.error
    if error is None:
        return None
    return record.ErrorEntry(error.kind, f"{algorithm} on drawn instances, {result.spec.regime}", error.message, error.traceback)


def counterexamples(searches: Sequence[Search]) -> dict[str, str]:
    """The text of the first witness of each claim."""
    texts: dict[str, str] = {}
    for search in searches:
        for witness in search.witnesses:
            if witness.claim:
                texts.setdefault(witness.claim, witness.text())
    return texts
