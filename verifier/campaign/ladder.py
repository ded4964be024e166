"""Ladders: the trials of a scaling claim at all of its sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.campaign.subject import Cell
from verifier.campaign.tally import Deterministic
from verifier.model.horizon import horizon_size, horizon_value
from verifier.model.measurement import Measurement
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.model.scaling import ScalingClaim
from verifier.model.setting import Family
from verifier.record.scaling import SizedValue


@dataclass
class Points(Deterministic):
    """A tally that keeps the value of every trial, and its curve along the run, by number of the trial."""

    values: dict[int, float] = field(default_factory=dict)
    curves: dict[int, tuple[float, ...]] = field(default_factory=dict)

    @property
    def undecided(self) -> bool:
        """A curve is fitted to all trials of the plan."""
        return True

    def add(self, spec: TrialSpec, measurement: Measurement) -> None:
        """Take in one trial."""
        if measurement.comparisons != 1 or not math.isfinite(measurement.value):
            raise ContractError(
                f"the quantity of a scaling claim is {measurement.value} in {measurement.comparisons} comparisons; expected one "
                "finite number for each run"
            )
        super().add(spec, measurement)
        self.values[spec.index] = measurement.value
        self.curves[spec.index] = measurement.curve


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
    def curves(self) -> list[dict[int, tuple[float, ...]]]:
        """Curves along the run by seed, for each size; empty tuples where the quantity has none."""
        return [tally.curves if isinstance(tally := cell.tallies[self.claim.name], Points) else {} for cell in self.cells]

    @property
    def error(self) -> str:
        """Failure of a trial; empty if there is none."""
        return next(filter(None, (cell.why_not_measured(self.claim.name) for cell in self.cells)), "")

    @property
    def not_applicable(self) -> str:
        """Reason why an assumption fails on a member of the family, if one does."""
        reasons = (cell.not_applicable.get(self.claim.name, "") for cell in self.cells)
        return next(filter(None, reasons), "")

    @property
    def complete(self) -> bool:
        """Whether every planned trial has a value."""
        return all(len(values) == self.seeds for values in self.points)

    @property
    def trials(self) -> int:
        """Trials that have a value."""
        return sum(map(len, self.points))

    def curve(self, name: Literal["bound", "trivial"]) -> tuple[SizedValue, ...]:
        """A function of the horizon at every size; nothing where the claim has none."""
        horizon = self.claim.horizon
        if horizon is None:
            return ()
        pairs = zip(self.sizes, self.publics, strict=True)
        return tuple(SizedValue(size, horizon_value(horizon, name, public, self.regime.scale, size)) for size, public in pairs)

    @property
    def nonvacuous_from(self) -> float | None:
        """The size from which the bound drops below the trivial one; None where the claim has no horizon."""
        horizon = self.claim.horizon
        return None if horizon is None else horizon_size(horizon, self.publics[-1], self.regime.scale)


@dataclass(frozen=True)
class Sample:
    """Sizes and values of a ladder that enter the estimate.

    Parameters
    ----------
    first : float
        Sizes below are not used.
    why_first : str
    used : tuple of int
        Indices of the sizes used.
    values : (seeds, used sizes) array or None
        None where nothing can be estimated.
    """

    first: float
    why_first: str
    used: tuple[int, ...] = ()
    values: Array | None = None
