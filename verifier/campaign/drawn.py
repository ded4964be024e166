"""Entries of the record for searches on drawn instances."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from verifier import record
from verifier.campaign.evidence import Place, Shown, regime_entry
from verifier.model import script
from verifier.model.claim import Claim
from verifier.model.guarantees import Guarantees
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialError, TrialResult
from verifier.model.setting import Setting
from verifier.record.verdict import Verdict
from verifier.trials.search.drawn import SearchResult
from verifier.trials.search.witness import DRAWN, Witness


def entries(search: SearchResult, claims: Sequence[Claim]) -> Iterator[tuple[str, record.RegimeEntry]]:
    """The record's entries of a search, by claim."""
    broken = {witness.claim: witness for witness in search.witnesses if witness.claim}
    for claim in claims:
        if claim.name in search.powered:
            evidence = DrawnEvidence(search, claim, broken.get(claim.name))
            yield claim.name, regime_entry(evidence, Place(Regime.parse(search.regime), DRAWN))


def errors(search: SearchResult, algorithm: str) -> Iterator[record.ErrorEntry]:
    """The ways in which the plugin itself failed on drawn instances."""
    for witness in search.witnesses:
        if witness.error is not None:
            where = f"{algorithm} on a drawn instance, {search.regime}"
            yield record.ErrorEntry(witness.error.kind, where, witness.error.message, witness.text())


def instances(searches: Sequence[SearchResult]) -> tuple[record.DrawnEntry, ...]:
    """The drawn instances on which claims fail, each of them once."""
    broken = (witness for search in searches for witness in search.witnesses if witness.claim)
    return tuple({each.replay_id: record.DrawnEntry(each.replay_id, each.to_json()) for each in broken}.values())


@dataclass(frozen=True)
class DrawnEvidence:
    """Result of a search for one claim.

    Parameters
    ----------
    search : SearchResult
    claim : Claim
    witness : Witness or None
        The smallest instance on which it fails.
    """

    search: SearchResult
    claim: Claim
    witness: Witness | None

    def violated(self) -> str:
        """Reason why the claim is refuted: it fails on a drawn instance."""
        if self.witness is None:
            return ""
        return f"fails on a drawn instance (of {self.search.examples}), shrunk to the smallest that still fails"

    def unfinished(self) -> str:
        """Reason why nothing was seen: no instance was drawn."""
        return "" if self.search.examples else "no instance was drawn in time"

    def uncompared(self) -> str:
        """Asked of all drawn instances together: whether anything could have failed."""
        return ""

    def powerless(self) -> str:
        """The claim is declared unbreakable, or no drawn instance had a comparison that could have failed."""
        if self.claim.unbreakable or self.search.powered[self.claim.name]:
            return self.claim.unbreakable
        return f"on none of {self.search.examples} drawn instances something could have failed"

    def conclusion(self) -> tuple[Verdict, str]:
        """Verdict that it conforms: no drawn instance shows a failure."""
        powered = self.search.powered[self.claim.name]
        return Verdict.CONFORMS, (
            f"no failure on {self.search.examples} drawn instances; on {powered} something could have failed"
        )

    def shown(self, verdict: Verdict, place: Place) -> Shown:
        """The comparison that fails on the witness."""
        measurement = (self.witness.measurement if self.witness else None) or Measurement(ratio=-math.inf)
        replay = self.witness.replay_id if self.witness else ""
        return Shown(measurement, self.search.examples, int(self.witness is not None), replay)


def failed(result: TrialResult, algorithm: str) -> record.ErrorEntry | None:
    """The error of a search that gave no result."""
    error: TrialError | None = result.error
    if error is None:
        return None
    return record.ErrorEntry(error.kind, f"{algorithm} on drawn instances, {result.spec.regime}", error.message, error.traceback)


def counterexamples(searches: Sequence[SearchResult]) -> dict[str, str]:
    """The text of the first witness of each claim."""
    texts: dict[str, str] = {}
    for search in searches:
        for witness in search.witnesses:
            if witness.claim:
                texts.setdefault(witness.claim, witness.text())
    return texts


def scripts(searches: Sequence[SearchResult], guarantees: Guarantees, setting: Setting[Any, Any]) -> dict[str, script.Shown]:
    """The program for the first witness of each claim, where the adapter has one."""
    known = {claim.name: claim for claim in guarantees.every_claim}
    found: dict[str, script.Shown] = {}
    for search in searches:
        for witness in search.witnesses:
            if witness.measurement is not None and witness.claim in known and witness.claim not in found:
                told = known[witness.claim], setting, witness.recipe, witness.measurement
                found[witness.claim] = script.shown(guarantees.algorithm.script, *told)
    return found
