"""Growth of a quantity with a size: plain data, part of the record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from verifier.record.verdict import Verdict


@dataclass(frozen=True)
class ScalingPoint:
    """Trial of a scaling claim."""

    size: float
    seed: int
    value: float


@dataclass(frozen=True)
class SizedValue:
    """A value at a size."""

    size: float
    value: float


@dataclass(frozen=True)
class ScalingRate:
    """A claimed rate size^exponent (log size)^log_power, how the paper writes it, and its values at the sizes, up to a factor.

    Where the paper gives the rate in full, e.g. log(1 + K/d), the values are those and the exponents their leading order.
    """

    label: str
    exponent: float
    log_power: float
    curve: tuple[SizedValue, ...] = ()


@dataclass(frozen=True)
class ScalingModel:
    """A curve fitted to the sizes from the burn-in on, the largest left out.

    `score` is the root mean square of the relative errors with which each of them is predicted from the others; the chosen model
    has the smallest. `compatible`: no mean over seeds, that of the largest size included, is further from it than the noise of
    both explains.
    """

    name: str
    formula: str
    parameters: Mapping[str, float]
    score: float
    chosen: bool
    compatible: bool

    @property
    def factor(self) -> float:
        """The parameter a, which every curve has."""
        return self.parameters["a"]

    @property
    def exponent(self) -> float:
        """The parameter b, which the power law a n^b has."""
        return self.parameters["b"]


@dataclass(frozen=True)
class FittedPoint:
    """The chosen curve at a size, with a pointwise 95% band."""

    size: float
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class HeldOut:
    """The geometric mean over seeds at a size no curve was fitted to, and its prediction with a 95% interval."""

    size: float
    value: float
    predicted: float
    low: float
    high: float


@dataclass(frozen=True)
class Stated:
    """A number the paper states."""

    label: str
    size: float
    value: float


@dataclass(frozen=True)
class ScalingPower:
    """Result of a known wrong algorithm for the same claim at the same place; `points` are its trials."""

    alternative: str
    verdict: Annotated[str, Verdict]
    note: str
    points: tuple[ScalingPoint, ...] = ()


@dataclass(frozen=True)
class Scaling:
    """Growth of a quantity with a size.

    `points` are the trials. Sizes below `burn_in` are shown but not used, for `burn_in_reason`. `exponent` is the mean over seeds
    of the slope of log value against log size, `interval` its limits at the levels of the ledger, so that together they have
    `confidence`; None where nothing could be estimated. `claimed_exponent` is that of the claimed curve over the same sizes, and
    up to `margin` more counts as claimed. `bound` is the paper's explicit bound at the constants of the regime, `trivial` what
    trivial bound; the claim is not vacuous where the bound is below, from `nonvacuous_from` on (None if not known).
    """

    quantity: str
    quantity_unit: str
    size: str
    size_unit: str
    points: tuple[ScalingPoint, ...]
    burn_in: float | None
    burn_in_reason: str
    claimed: ScalingRate
    claimed_exponent: float | None
    margin: float
    models: tuple[ScalingModel, ...]
    exponent: float | None
    interval: tuple[float, float] | None
    confidence: float
    fit: tuple[FittedPoint, ...]
    held_out: tuple[HeldOut, ...]
    bound: tuple[SizedValue, ...]
    trivial: tuple[SizedValue, ...]
    nonvacuous_from: float | None
    overlay: tuple[Stated, ...]
    power: ScalingPower | None
    figure: str
    remark: str
