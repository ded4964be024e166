"""How much room the bounds leave, as numbers: value over bound, claim by claim and regime by regime."""

from __future__ import annotations

import math
from dataclasses import dataclass

from verifier.record import AlgorithmEntry, ClaimEntry, RegimeEntry
from verifier.record.decisive import telling
from verifier_reports.numbers import measured, short_ratio, within_rounding
from verifier_reports.screen import clean
from verifier_reports.summary import grouped, short_name, worst
from verifier_reports.wording import horizon


@dataclass(frozen=True)
class Dot:
    """A claim in one regime: the comparison that is cited."""

    regime: str
    ratio: float
    verdict: str
    powered: bool


@dataclass(frozen=True)
class Row:
    """A claim in the picture; `note` says from which size on its bound would mean something."""

    name: str
    verdict: str
    dots: tuple[Dot, ...]
    note: str

    @property
    def largest(self) -> float:
        """The largest ratio: how close the claim came to its bound anywhere."""
        return max(dot.ratio for dot in self.dots)


def rows(algorithm: AlgorithmEntry) -> list[Row]:
    """The claims that have a ratio, tightest first; identities and bounds that are not positive have none."""
    found = [_row(claim) for claim in algorithm.claims if claim.kind not in ("assumption", "identity", "scaling", "law")]
    return sorted((row for row in found if row.dots), key=lambda row: -row.largest)


def _row(claim: ClaimEntry) -> Row:
    there = [entry for entry in claim.regimes if _has_ratio(claim, entry)]
    dots = tuple(_dot(claim, regime, found) for regime, found in grouped(there, lambda entry: entry.regime).items())
    return Row(clean(short_name(claim)), claim.verdict, dots, horizon(claim))


def _has_ratio(claim: ClaimEntry, entry: RegimeEntry) -> bool:
    ratio = entry.ratio
    if entry.verdict in ("not applicable", "error"):
        return False
    return measured(entry) and bool(short_ratio(claim, entry)) and not math.isnan(ratio) and ratio != -math.inf


def _dot(claim: ClaimEntry, regime: str, found: list[RegimeEntry]) -> Dot:
    """The entry of a regime that the claim is cited at, or the one it would be cited at if there were no other regimes."""
    verdict = worst(found)
    entry = next((one for one in found if one is claim.deciding), telling(found, verdict)[0])
    return Dot(regime, _ratio(claim, entry), verdict, entry.powered > 0)


def _ratio(claim: ClaimEntry, entry: RegimeEntry) -> float:
    """Two sides that are equal up to rounding have ratio 1, however small they are."""
    return 1.0 if within_rounding(claim, entry) else entry.ratio
