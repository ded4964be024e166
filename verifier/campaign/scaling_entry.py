"""Entry of the record for the growth of a quantity with the size."""

from __future__ import annotations

import math
import re

import numpy as np

from verifier.base.arrays import Array
from verifier.campaign.ladder import Ladder, Sample
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
from verifier.statistics.scaling import ScalingDecision
from verifier.statistics.scaling_models import Comparison

GRID = 25
"""Number of sizes at which the fitted curve is written down."""


def scaling_of(
    ladder: Ladder, sample: Sample, scaling: ScalingDecision | None, comparison: Comparison | None, power: ScalingPower | None
) -> Scaling:
    """The record of how a quantity grows: points, claimed and fitted curves, exponent, and the wrong algorithm beside it."""
    claim, family = ladder.claim, ladder.family
    estimated = scaling is not None and math.isfinite(scaling.exponent.estimate)
    return Scaling(
        quantity=claim.quantity,
        quantity_unit=claim.unit,
        size=family.symbol,
        size_unit=family.unit,
        points=points_of(ladder),
        burn_in=sample.first if sample.first > ladder.sizes[0] else None,
        burn_in_reason=sample.why_first,
        claimed=_rate(ladder),
        claimed_exponent=scaling.claimed if scaling is not None and math.isfinite(scaling.claimed) else None,
        margin=claim.margin,
        models=_models(comparison, family.symbol),
        exponent=scaling.exponent.estimate if scaling and estimated else None,
        interval=(scaling.exponent.low, scaling.exponent.high) if scaling and estimated else None,
        confidence=1.0 - ladder.reject_level - ladder.certify_level,
        fit=_fit(ladder, sample, comparison),
        held_out=_held_out(ladder, sample, comparison),
        bound=ladder.curve("bound"),
        trivial=ladder.curve("trivial"),
        nonvacuous_from=ladder.nonvacuous_from,
        overlay=tuple(Stated(item.label, item.size, item.value) for item in claim.stated),
        power=power,
        figure=claim.figure,
        remark=claim.remark,
    )


def points_of(ladder: Ladder) -> tuple[ScalingPoint, ...]:
    """The trials of a ladder, by size and seed."""
    rows = zip(ladder.sizes, ladder.points, strict=True)
    return tuple(ScalingPoint(n, seed, values[seed]) for n, values in rows for seed in sorted(values))


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


def grid(sizes: Array) -> Array:
    """The sizes at which the fitted curve is written down, evenly spaced on a logarithmic scale."""
    return np.geomspace(sizes[0], sizes[-1], GRID)


def _fit(ladder: Ladder, sample: Sample, comparison: Comparison | None) -> tuple[FittedPoint, ...]:
    if comparison is None:
        return ()
    sizes = grid(np.array([ladder.sizes[i] for i in sample.used]))
    band = zip(sizes, comparison.band, strict=True)
    return tuple(FittedPoint(float(size), item.estimate, item.low, item.high) for size, item in band)


def _held_out(ladder: Ladder, sample: Sample, comparison: Comparison | None) -> tuple[HeldOut, ...]:
    if comparison is None:
        return ()
    last = sample.used[-1]
    seen = math.exp(float(np.mean(np.log(list(ladder.points[last].values())))))
    predicted = comparison.held_out
    return (HeldOut(ladder.sizes[last], seen, predicted.estimate, predicted.low, predicted.high),)
