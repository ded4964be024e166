"""From the trials of a scaling claim to its entry in the record."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from verifier import record
from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.campaign.target import Cell
from verifier.campaign.verdict import Tally
from verifier.model.horizon import horizon_size, horizon_value
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.model.scaling import LEAST, ScalingClaim
from verifier.model.setting import Family
from verifier.record.scaling import (
    FittedPoint,
    HeldOut,
    Scaling,
    ScalingModel,
    ScalingPoint,
    ScalingPower,
    ScalingRate,
    SizedValue,
    Stated,
)
from verifier.record.verdict import Verdict
from verifier.statistics.growth import Growth, exponents, judge_growth
from verifier.statistics.growth_models import Comparison, compare

GRID = 25
"""At so many sizes the fitted curve is written down."""


ROOM = 3.0
"""A quantity further than this factor below what anything meets could have grown faster over the sizes of a ladder.

From n to 500 n, as long as ladders get, three times as much at the end is an exponent larger by log 3 / log 500 = 0.18, which is
more than the margin; over shorter ladders it is more.
"""


@dataclass
class Points(Tally):
    """A tally that keeps the value of every trial, by number of the trial."""

    values: dict[int, float] = field(default_factory=dict)

    def add(self, spec: TrialSpec, measurement: Measurement) -> None:
        """Take in one trial."""
        if measurement.comparisons != 1 or not math.isfinite(measurement.value):
            raise ContractError(
                f"the quantity of a scaling claim is {measurement.value} in {measurement.comparisons} comparisons; expected one "
                "finite number for each run"
            )
        super().add(spec, measurement)
        self.values[spec.index] = measurement.value


@dataclass(frozen=True)
class Ladder:
    """The trials of one claim in one regime, at all of its sizes.

    Parameters
    ----------
    claim : ScalingClaim
    regime : Regime
    family : Family
    sizes : tuple of int
    cells : sequence of Cell
        One for each size.
    publics : sequence
        What the agent may know, at each size.
    seeds : int
        Trials planned at each size.
    reject_level, certify_level : float
        Of the ledger.
    alternative : bool
        Whether these are the trials of the wrong algorithm.
    """

    claim: ScalingClaim
    regime: Regime
    family: Family[Any]
    sizes: tuple[int, ...]
    cells: Sequence[Cell]
    publics: Sequence[Any]
    seeds: int
    reject_level: float
    certify_level: float
    alternative: bool = False

    @property
    def points(self) -> list[dict[int, float]]:
        """Values by seed, for each size."""
        return [tally.values if isinstance(tally := cell.tallies[self.claim.name], Points) else {} for cell in self.cells]

    @property
    def error(self) -> str:
        """What went wrong in a trial, if anything did."""
        return next((cell.error.message for cell in self.cells if cell.error is not None), "")

    @property
    def not_applicable(self) -> str:
        """Why an assumption fails on a member of the family, if one does."""
        reasons = (cell.not_applicable.get(self.claim.name, "") for cell in self.cells)
        return next(filter(None, reasons), "")

    @property
    def complete(self) -> bool:
        """Whether every planned trial has a value."""
        return all(len(values) == self.seeds for values in self.points)


@dataclass(frozen=True)
class Finding:
    """What the trials of a ladder say.

    Attributes
    ----------
    verdict : Verdict
    reason : str
    first : float
        Sizes below are not used.
    why_first : str
    used : tuple of int
        Indices of the sizes used.
    growth : Growth or None
    comparison : Comparison or None
    """

    verdict: Verdict
    reason: str
    first: float
    why_first: str
    used: tuple[int, ...] = ()
    growth: Growth | None = None
    comparison: Comparison | None = None


def find(ladder: Ladder) -> Finding:
    """Judge the growth on a ladder of sizes, whatever a wrong algorithm would get."""
    claim, sizes = ladder.claim, ladder.sizes
    first, why = claim.first_size(ladder.publics[-1], ladder.regime.scale, sizes, ladder.alternative)
    if ladder.not_applicable:
        return Finding(Verdict.NOT_APPLICABLE, ladder.not_applicable, first, why)
    if ladder.error:
        return Finding(Verdict.ERROR, ladder.error, first, why)
    if not ladder.complete:
        got, wanted = sum(map(len, ladder.points)), ladder.seeds * len(sizes)
        return Finding(Verdict.INCONCLUSIVE, f"{got} of {wanted} trials finished within the budget", first, why)
    if first > sizes[-1]:
        reason = f"the claim begins at {ladder.family.symbol} = {first:.3g}, beyond the largest size {sizes[-1]}: {why}"
        return Finding(Verdict.VACUOUS, reason, first, why)
    values = np.array([[points[seed] for points in ladder.points] for seed in range(ladder.seeds)])
    used = [i for i, size in enumerate(sizes) if size >= first]
    vanishing = [i for i in used if (values[:, i] <= 0).any()]
    if vanishing:
        used = [i for i in used if i > vanishing[-1]]
        why += f"; up to {ladder.family.symbol} = {sizes[vanishing[-1]]} some value is 0, which has no logarithm"
    return _judged(ladder, values, tuple(used), first, why)


def _judged(ladder: Ladder, values: Array, used: tuple[int, ...], first: float, why: str) -> Finding:
    claim = ladder.claim
    if not values.any():
        return Finding(Verdict.VACUOUS, "the quantity is 0 at every size: nothing grows", first, why)
    sizes, kept = np.array(ladder.sizes, dtype=float)[list(used)], values[:, list(used)]
    claimed = np.array([claim.rate.at(ladder.publics[i], ladder.sizes[i]) for i in used])
    if not (np.isfinite(claimed) & (claimed > 0)).all():
        shown = ", ".join(f"{value:g}" for value in claimed)
        raise ContractError(f"the claimed rate {claim.rate.label} is {shown} at the sizes used; expected positive finite numbers")
    levels = {"reject_level": ladder.reject_level, "certify_level": ladder.certify_level}
    growth = judge_growth(sizes, kept, claimed, margin=claim.margin, **levels)
    comparison = None
    if kept.shape[1] > LEAST and len(kept) >= LEAST:  # one size more than parameters, and one to predict
        comparison = compare(sizes, kept, claim.rate.exponent, np.geomspace(sizes[0], sizes[-1], GRID))
    verdict, reason = Verdict(growth.decision), growth.reason
    anything = _trivial_exponent(ladder, used)
    if verdict is not Verdict.VIOLATED and anything <= growth.claimed + claim.margin and _saturated(ladder, kept[:, -1]):
        verdict = Verdict.VACUOUS
        reason = f"nothing can grow faster: what anything meets has the exponent {anything:z.2f}, claimed is {growth.claimed:.2f}"
    return Finding(verdict, reason, first, why, used, growth, comparison)


def _trivial_exponent(ladder: Ladder, used: Sequence[int]) -> float:
    """The exponent of what anything meets over the sizes used; infinite if nothing is known to be met by anything."""
    if ladder.claim.horizon is None or len(used) < 2:
        return math.inf
    values = [item.value for item in _curve(ladder, "trivial")]
    return float(exponents(np.array(ladder.sizes, dtype=float)[list(used)], np.array(values)[list(used)]))


def _saturated(ladder: Ladder, values: Array) -> bool:
    """Whether the quantity at the largest size is within a factor `ROOM` of what anything meets: it cannot grow faster then."""
    return bool(ROOM * np.mean(values) >= _curve(ladder, "trivial")[-1].value)


def _curve(ladder: Ladder, name: Literal["bound", "trivial"]) -> tuple[SizedValue, ...]:
    """A function of the horizon at every size; nothing where the claim has none."""
    horizon, scale = ladder.claim.horizon, ladder.regime.scale
    if horizon is None:
        return ()
    pairs = zip(ladder.sizes, ladder.publics, strict=True)
    return tuple(SizedValue(size, horizon_value(horizon, name, public, scale, size)) for size, public in pairs)


def entry(ladder: Ladder, alternative: Ladder | None, description: str) -> record.RegimeEntry:
    """The record's entry.

    Parameters
    ----------
    ladder : Ladder
    alternative : Ladder, optional
        The same trials of a known wrong algorithm.
    description : str
        What is wrong with it, in words.
    """
    found = find(ladder)
    verdict, reason, power = found.verdict, found.reason, None
    if alternative is not None:
        other = find(alternative)
        power = ScalingPower(ladder.claim.alternative, other.verdict.value, f"{description}: {other.reason}")
        if verdict is Verdict.CONFORMS and other.verdict in (Verdict.CONFORMS, Verdict.VACUOUS):
            verdict = Verdict.VACUOUS
            reason = f"a wrong algorithm ({ladder.claim.alternative}: {description}) passes too, so this says nothing; {reason}"
    growth = found.growth
    exponent = growth.exponent.estimate if growth else math.nan
    limit = growth.claimed + growth.margin if growth else math.nan
    anything = _trivial_exponent(ladder, found.used) if growth else math.inf
    compared = ladder.seeds * len(found.used) if growth and math.isfinite(exponent) else 0
    worst = TrialSpec(ladder.cells[-1].algorithm, ladder.cells[-1].instance, ladder.regime.name, 0, _seed(ladder))
    return record.RegimeEntry(
        regime=ladder.regime.name,
        instance=ladder.family.name,
        verdict=verdict.value,
        reason=reason,
        trials=sum(map(len, ladder.points)),
        failures=0,
        comparisons=compared,
        powered=compared if verdict is not Verdict.VACUOUS else 0,
        excluded=0,
        violations=int(verdict is Verdict.VIOLATED),
        value=exponent,
        bound=limit,
        trivial=anything,
        ratio=exponent / limit if limit > 0 else math.nan,
        margin=limit - exponent,
        tolerance=0.0,
        witness={},
        detectable=record.Detectable("none", math.nan),
        interval=(growth.exponent.low, growth.exponent.high) if compared and growth else None,
        nonvacuous_from=_horizon(ladder),
        unit=ladder.family.symbol,
        replay=worst.replay_id(ladder.claim.name) if ladder.points[-1] else "",
        scaling=_scaling(ladder, found, power),
    )


def _seed(ladder: Ladder) -> int:
    worst = ladder.cells[-1].tallies[ladder.claim.name].worst
    return worst.seed if worst else 0


def _horizon(ladder: Ladder) -> float | None:
    horizon = ladder.claim.horizon
    return None if horizon is None else horizon_size(horizon, ladder.publics[-1], ladder.regime.scale)


def _scaling(ladder: Ladder, found: Finding, power: ScalingPower | None) -> Scaling:
    claim, family, growth = ladder.claim, ladder.family, found.growth
    estimated = growth is not None and math.isfinite(growth.exponent.estimate)
    rows = zip(ladder.sizes, ladder.points, strict=True)
    return Scaling(
        quantity=claim.quantity,
        quantity_unit=claim.unit,
        size=family.symbol,
        size_unit=family.unit,
        points=tuple(ScalingPoint(n, seed, values[seed]) for n, values in rows for seed in sorted(values)),
        burn_in=found.first if found.first > ladder.sizes[0] else None,
        burn_in_reason=found.why_first,
        claimed=_rate(ladder),
        claimed_exponent=growth.claimed if growth is not None and math.isfinite(growth.claimed) else None,
        margin=claim.margin,
        models=_models(found.comparison, family.symbol),
        exponent=growth.exponent.estimate if growth and estimated else None,
        interval=(growth.exponent.low, growth.exponent.high) if growth and estimated else None,
        confidence=1.0 - ladder.reject_level - ladder.certify_level,
        fit=_fit(ladder, found),
        held_out=_held_out(ladder, found),
        bound=_curve(ladder, "bound"),
        trivial=_curve(ladder, "trivial"),
        nonvacuous_from=_horizon(ladder),
        overlay=tuple(Stated(item.label, item.size, item.value) for item in claim.stated),
        power=power,
        figure=claim.figure,
        remark=claim.remark,
    )


def _rate(ladder: Ladder) -> ScalingRate:
    rate, pairs = ladder.claim.rate, zip(ladder.sizes, ladder.publics, strict=True)
    curve = tuple(SizedValue(size, rate.at(public, size)) for size, public in pairs)
    return ScalingRate(rate.label, rate.exponent, rate.log_power, curve)


def _models(comparison: Comparison | None, symbol: str) -> tuple[ScalingModel, ...]:
    if comparison is None:
        return ()
    return tuple(
        ScalingModel(
            name=item.model.name,
            formula=_in(symbol, item.model.formula),
            parameters=item.parameters,
            score=item.score,
            chosen=i == comparison.chosen,
            compatible=item.compatible,
        )
        for i, item in enumerate(comparison.fitted)
    )


def _in(symbol: str, formula: str) -> str:
    """A formula in the symbol of the size."""
    return re.sub(r"\bn\b", symbol, formula)


def _fit(ladder: Ladder, found: Finding) -> tuple[FittedPoint, ...]:
    if found.comparison is None:
        return ()
    sizes = [ladder.sizes[i] for i in found.used]
    grid = np.geomspace(sizes[0], sizes[-1], GRID)
    band = zip(grid, found.comparison.band, strict=True)
    return tuple(FittedPoint(float(size), item.estimate, item.low, item.high) for size, item in band)


def _held_out(ladder: Ladder, found: Finding) -> tuple[HeldOut, ...]:
    if found.comparison is None:
        return ()
    last = found.used[-1]
    seen = math.exp(float(np.mean(np.log(list(ladder.points[last].values())))))
    predicted = found.comparison.held_out
    return (HeldOut(ladder.sizes[last], seen, predicted.estimate, predicted.low, predicted.high),)
