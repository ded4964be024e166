"""Factors of an algorithm's claims, measured by `verifier tight`: plain data, part of the record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class FactorLine:
    """Factor of one claim on one instance at the published width.

    `largest` is that of all runs, and `replay` the run it is from. Of a claim of probability `low` and `high` are confidence
    bounds on the quantile of level `quantile`, which is 1 minus the probability with which it may fail. Of one in expectation
    they are bounds on `mean`, the mean of the value over that of the bound. They are not a number where nothing is certified, and
    then `why` says why not.
    """

    instance: str
    runs: int
    largest: float
    replay: str = ""
    quantile: float = math.nan
    mean: float = math.nan
    low: float = math.nan
    high: float = math.nan
    why: str = ""


@dataclass(frozen=True)
class GrowthEntry:
    """Growth of the factor of a claim from the smallest to the largest of the `sizes` of a family, as a power of the size.

    `low` and `high` bound the exponent, with the confidence of the table: they follow from its intervals at both ends. They are
    not a number where nothing is certified, and then `why` says why not. `seen` is the exponent of the largest factors of a run.
    `argument` is what the exponent is a power of: ``ln(1/delta)``, or the symbol, which is meant where it is empty, too. The
    sizes in `left_out` are not measured, since the runs are too few to bound a quantile there.
    """

    family: str
    symbol: str
    sizes: tuple[int, ...]
    seen: float = math.nan
    low: float = math.nan
    high: float = math.nan
    why: str = ""
    argument: str = ""
    left_out: tuple[int, ...] = ()


@dataclass(frozen=True)
class FactorEntry:
    """A claim with its factors by instance; `none` says why it has no factor, `growth` is there where a family was measured."""

    claim: str
    source: str
    statement: str
    kind: str
    allowed: str
    lines: tuple[FactorLine, ...]
    none: str = ""
    growth: GrowthEntry | None = None

    @property
    def worst(self) -> FactorLine | None:
        """The instance with the largest certified lower bound; among equal ones with the largest factor of a run."""
        return max(self.lines, key=lambda line: (line.low if line.low == line.low else 0.0, line.largest), default=None)


@dataclass(frozen=True)
class RegretLine:
    """Regret at one width: its mean over runs with a confidence interval, and the runs in which the event failed.

    `broken` is None in a regime in which nobody asked for the event.
    """

    regime: str
    runs: int
    mean: float
    low: float
    high: float
    broken: int | None = None


@dataclass(frozen=True)
class PriceEntry:
    """Regret at the published width, at the certified factor of a claim on an instance, and at the error of the run.

    `missing` says why there is no such comparison.
    """

    claim: str
    instance: str
    lines: tuple[RegretLine, ...]
    missing: str = ""


@dataclass(frozen=True)
class WorstEntry:
    """Instance that was searched for: the one of `examples` drawn ones on which the claim needed the largest factor.

    It is in `file`, as its `tables` say, with a legend for them. `exhausted` says that time ran out before all were drawn. The
    runs of the search are none of those of the table. All that were drawn have the `sizes` that were asked for.
    """

    claim: str
    file: str
    examples: int
    tables: str
    legend: str
    exhausted: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class TightnessEntry:
    """Table of an algorithm: all its certified bounds hold together with probability `confidence`.

    `intervals` is the number of intervals that the rest is divided by (Bonferroni), `runs` the number of runs on each instance,
    which is fixed before the first one. `worst` is there where the instance was searched for.
    """

    confidence: float
    intervals: int
    runs: int
    claims: tuple[FactorEntry, ...]
    price: PriceEntry | None = None
    worst: WorstEntry | None = None
