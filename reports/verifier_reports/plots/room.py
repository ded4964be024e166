"""Room that the bounds leave: value over bound, claim by claim, one panel for each regime.

What is shown, where and with which words; the page lays it out itself, `looseness` draws it for files.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from verifier.record import AlgorithmEntry, ClaimEntry, RegimeEntry
from verifier.record.decisive import telling
from verifier_reports.numbers import measured, numeral, plural, short_ratio, within_rounding
from verifier_reports.screen import clean
from verifier_reports.summary import grouped, regimes, short_name, worst
from verifier_reports.wording import horizon

MOST_CLAIMS = 40
ABREAST = 4
"""Number of panels that stand side by side."""

AXIS = "value / bound (no unit; logarithmic). Left of the line: room left; right of it: broken"

_FLOOR, _CEILING = 1e-6, 1e3


@dataclass(frozen=True)
class Dot:
    """A claim in one regime: the comparison that is cited."""

    regime: str
    ratio: float
    verdict: str
    powered: bool


@dataclass(frozen=True)
class Row:
    """A claim in the picture; `horizon` says from which size on its bound would mean something."""

    claim: str
    name: str
    verdict: str
    dots: tuple[Dot, ...]
    horizon: str

    @property
    def note(self) -> str:
        """Note on a claim that does not conform."""
        return " ".join(word for word in (self.verdict if self.verdict != "conforms" else "", self.horizon) if word)

    @property
    def largest(self) -> float:
        """The largest ratio: how close the claim came to its bound anywhere."""
        return max(dot.ratio for dot in self.dots)


@dataclass(frozen=True)
class Block:
    """The panels that stand side by side, and the claims that have a mark in one of them."""

    regimes: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Scale:
    """The logarithmic axis of a panel, from `low` to `high`."""

    low: float
    high: float

    def fraction(self, ratio: float) -> float:
        """Position of a ratio, from 0 on the left to 1 on the right."""
        return math.log(ratio / self.low) / math.log(self.high / self.low)

    def drawn(self, dot: Dot) -> float:
        """The ratio at which a mark stands: one off the scale beside its end."""
        return min(max(dot.ratio, self.low * 1.15), self.high / 1.15)

    def outside(self, dot: Dot) -> str:
        """``<`` or ``>`` for a mark off the scale."""
        return "<" if dot.ratio < self.low else ">" if dot.ratio > self.high else ""

    def decades(self, most: int) -> list[float]:
        """Powers of ten for the numbers below a panel: 1, and at most about so many."""
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        step = math.ceil((last - first + 1) / max(most, 2))
        return [10.0**k for k in range(first, last + 1) if k % step == 0]


@dataclass(frozen=True)
class Room:
    """The picture of one algorithm and its words."""

    title: str
    caption: tuple[str, ...]
    alt: str
    scale: Scale
    blocks: tuple[Block, ...]


def picture(algorithm: AlgorithmEntry) -> Room | None:
    """Figure of an algorithm; None when no claim has a ratio."""
    found = rows(algorithm)
    if not found:
        return None
    kept = found[:MOST_CLAIMS]
    names = [name for name in regimes(algorithm) if any(dot.regime == name for row in kept for dot in row.dots)]
    scale = _scale(kept)
    return Room(
        title=f"How close {clean(algorithm.name)} comes to its bounds",
        caption=_caption(algorithm, found, kept, scale),
        alt=_alt(algorithm, kept),
        scale=scale,
        blocks=tuple(_block(kept, names[first : first + ABREAST]) for first in range(0, len(names), ABREAST)),
    )


def _block(kept: list[Row], names: list[str]) -> Block:
    return Block(tuple(names), tuple(row for row in kept if any(dot.regime in names for dot in row.dots)))


def _scale(kept: list[Row]) -> Scale:
    ratios = [min(max(dot.ratio, _FLOOR), _CEILING) for row in kept for dot in row.dots if dot.ratio > 1e-12] or [1.0]
    low = 10.0 ** min(math.floor(math.log10(min(ratios))), -1)
    return Scale(low / 1.6, max(max(ratios) * 1.6, 12.0))


def _caption(algorithm: AlgorithmEntry, found: list[Row], kept: list[Row], scale: Scale) -> tuple[str, ...]:
    words = [
        "One panel for each regime. A mark is the worst comparison of a claim there: the value that occurred over its bound.",
        "1 is equality; right of 1 is violated. Hollow marks are vacuous: nothing could have exceeded the bound there.",
    ]
    without = sum(claim.kind not in ("assumption", "scaling", "law") for claim in algorithm.claims) - len(found)
    if without > 0:
        words.append(f"{plural(without, 'claim has', 'claims have')} no ratio (identities, bounds at or below zero).")
    if any(scale.outside(dot) for row in kept for dot in row.dots):
        words.append("Arrows point to ratios off the scale.")
    if len(kept) < len(found):
        words.append(f"The {len(kept)} tightest of {len(found)} claims are shown; the table has all.")
    return tuple(words)


def _alt(algorithm: AlgorithmEntry, kept: list[Row]) -> str:
    each = [f"{row.name} {numeral(row.largest, 2)} ({row.verdict})" for row in kept]
    return (
        f"Dot plot of value over bound for {plural(len(kept), 'claim')} of {clean(algorithm.name)}, tightest first: "
        + "; ".join(each)
    )


def rows(algorithm: AlgorithmEntry) -> list[Row]:
    """The claims that have a ratio, tightest first; identities and bounds that are not positive have none."""
    found = [_row(claim) for claim in algorithm.claims if claim.kind not in ("assumption", "identity", "scaling", "law")]
    return sorted((row for row in found if row.dots), key=lambda row: -row.largest)


def _row(claim: ClaimEntry) -> Row:
    there = [entry for entry in claim.regimes if _has_ratio(claim, entry)]
    dots = tuple(_dot(claim, regime, found) for regime, found in grouped(there, lambda entry: entry.regime).items())
    return Row(claim.id, clean(short_name(claim)), claim.verdict, dots, horizon(claim))


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
