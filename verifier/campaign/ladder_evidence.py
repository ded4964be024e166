"""Evidence of a ladder on the claimed rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from verifier import record
from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.campaign.evidence import Place, Shown, judge, regime_entry
from verifier.campaign.ladder import Ladder, Sample
from verifier.campaign.scaling_entry import grid, points_of, scaling_of
from verifier.model.measurement import Measurement
from verifier.model.result import TrialSpec
from verifier.model.scaling import LEAST
from verifier.record.scaling import ScalingPower
from verifier.record.verdict import Verdict
from verifier.statistics.scaling import ScalingDecision, exponents, judge_scaling
from verifier.statistics.scaling_models import Comparison, compare

ROOM = 3.0
"""A quantity further than this factor below the trivial bound could have grown faster over the sizes of a ladder.

From n to 500 n, as long as ladders get, three times as much at the end is an exponent larger by log 3 / log 500 = 0.18, which is
more than the margin; over shorter ladders it is more.
"""


@dataclass(frozen=True)
class LadderEvidence:
    """Evidence of a ladder's trials on the claimed rate, beside those of a known wrong algorithm.

    Parameters
    ----------
    ladder : Ladder
    alternative : Ladder, optional
        The same trials of a known wrong algorithm.
    description : str
        What is wrong with it, in words.
    """

    ladder: Ladder
    alternative: Ladder | None = None
    description: str = ""

    @cached_property
    def sample(self) -> Sample:
        """The sizes used, and the values there."""
        ladder = self.ladder
        first, why = ladder.claim.first_size(ladder.publics[-1], ladder.regime.scale, ladder.sizes, ladder.alternative)
        if ladder.not_applicable or ladder.error or not ladder.complete or first > ladder.sizes[-1]:
            return Sample(first, why)
        values = np.array([[points[seed] for points in ladder.points] for seed in range(ladder.seeds)])
        used = [i for i, size in enumerate(ladder.sizes) if size >= first]
        vanishing = [i for i in used if (values[:, i] <= 0).any()]
        if vanishing:
            used = [i for i in used if i > vanishing[-1]]
            last = ladder.sizes[vanishing[-1]]
            why += f"; up to {ladder.family.symbol} = {last} some value is 0, which has no logarithm"
        return Sample(first, why, tuple(used), values[:, used]) if values.any() else Sample(first, why)

    @property
    def _sizes(self) -> Array:
        return np.array(self.ladder.sizes, dtype=float)[list(self.sample.used)]

    @cached_property
    def scaling(self) -> ScalingDecision | None:
        """The exponent and what follows; None where nothing can be estimated."""
        ladder, claim = self.ladder, self.ladder.claim
        if self.sample.values is None:
            return None
        claimed = np.array([claim.rate.at(ladder.publics[i], ladder.sizes[i]) for i in self.sample.used])
        if not (np.isfinite(claimed) & (claimed > 0)).all():
            shown = ", ".join(f"{value:g}" for value in claimed)
            raise ContractError(
                f"the claimed rate {claim.rate.label} is {shown} at the sizes used; expected positive finite numbers"
            )
        levels = {"reject_level": ladder.reject_level, "certify_level": ladder.certify_level}
        return judge_scaling(self._sizes, self.sample.values, claimed, margin=claim.margin, **levels)

    @cached_property
    def comparison(self) -> Comparison | None:
        """Competing curves; None where there are too few sizes or seeds: one size more than parameters, and one to predict."""
        values, sizes = self.sample.values, self._sizes
        if values is None or values.shape[1] <= LEAST or len(values) < LEAST:
            return None
        return compare(sizes, values, self.ladder.claim.rate.exponent, grid(sizes))

    @property
    def trivial_exponent(self) -> float:
        """The exponent of the trivial bound over the sizes used; infinite if none is known."""
        if self.scaling is None or self.ladder.claim.horizon is None or len(self.sample.used) < 2:
            return math.inf
        values = np.array([item.value for item in self.ladder.curve("trivial")])
        return float(exponents(self._sizes, values[list(self.sample.used)]))

    @cached_property
    def power(self) -> ScalingPower | None:
        """Result of the wrong algorithm for the same claim at the same place."""
        other = self.alternative
        if other is None:
            return None
        verdict, reason = judge(LadderEvidence(other), other.not_applicable, other.error)
        return ScalingPower(self.ladder.claim.alternative, verdict.value, f"{self.description}: {reason}", points_of(other))

    # Evidence ---------------------------------------------------------------------------------------------------

    def violated(self) -> str:
        """Reason why the rate is refuted: even the lower limit of the exponent is too large."""
        return self.scaling.reason if self.scaling is not None and self.scaling.decision == "violated" else ""

    def unfinished(self) -> str:
        """A planned trial has no value."""
        if self.ladder.complete:
            return ""
        wanted = self.ladder.seeds * len(self.ladder.sizes)
        return f"{self.ladder.trials} of {wanted} trials finished within the budget"

    def uncompared(self) -> str:
        """Every run has a value."""
        return ""

    def powerless(self) -> str:
        """The sizes end before the claim begins, nothing could have grown faster, or a wrong algorithm passes too."""
        ladder, sample = self.ladder, self.sample
        if sample.first > ladder.sizes[-1]:
            start = f"the claim begins at {ladder.family.symbol} = {_short(sample.first)}"
            return f"{start}, beyond the largest size {ladder.sizes[-1]}: {sample.why_first}"
        if self.scaling is None:
            return "the quantity is 0 at every size: nothing grows"
        return self._saturated(self.scaling) or self._passed_by_others(self.scaling)

    def _saturated(self, scaling: ScalingDecision) -> str:
        """Reason why it cannot grow faster: at the largest size it is within a factor `ROOM` of the trivial bound."""
        trivial = self.trivial_exponent
        if self.sample.values is None or not trivial <= scaling.claimed + scaling.margin:
            return ""
        if ROOM * np.mean(self.sample.values[:, -1]) < self.ladder.curve("trivial")[-1].value:
            return ""
        return f"nothing can grow faster: the trivial bound has the exponent {trivial:z.2f}, claimed is {scaling.claimed:.2f}"

    def _passed_by_others(self, scaling: ScalingDecision) -> str:
        passing = (Verdict.CONFORMS, Verdict.VACUOUS)
        if self.power is None or scaling.decision != "conforms" or self.power.verdict not in passing:
            return ""
        wrong = f"a wrong algorithm ({self.power.alternative}: {self.description}) passes too"
        return f"{wrong}, so the claim is vacuous; {scaling.reason}"

    def conclusion(self) -> tuple[Verdict, str]:
        """The decision about the exponent."""
        assert self.scaling is not None  # it would be powerless
        return Verdict(self.scaling.decision), self.scaling.reason

    def shown(self, verdict: Verdict, place: Place) -> Shown:
        """The exponent against the largest that counts as claimed."""
        ladder, scaling = self.ladder, self.scaling
        exponent = scaling.exponent.estimate if scaling else math.nan
        limit = scaling.claimed + scaling.margin if scaling else math.nan
        compared = ladder.seeds * len(self.sample.used) if scaling and math.isfinite(exponent) else 0
        measurement = Measurement(
            value=exponent,
            bound=limit,
            trivial=self.trivial_exponent,
            ratio=exponent / limit if limit > 0 else math.nan,
            margin=limit - exponent,
            comparisons=compared,
            powered=compared if verdict is not Verdict.VACUOUS else 0,
            violations=int(verdict is Verdict.VIOLATED),
        )
        interval = (scaling.exponent.low, scaling.exponent.high) if compared and scaling else None
        return Shown(
            measurement,
            ladder.trials,
            failures=0,
            replay=self._replay(),
            interval=interval,
            nonvacuous_from=ladder.nonvacuous_from,
            unit=ladder.family.symbol,
            scaling=scaling_of(ladder, self.sample, scaling, self.comparison, self.power),
        )

    def _replay(self) -> str:
        """The first trial at the largest size, if there is one."""
        ladder = self.ladder
        if not ladder.points[-1]:
            return ""
        cell, worst = ladder.cells[-1], ladder.cells[-1].tallies[ladder.claim.name].worst
        spec = TrialSpec(cell.algorithm, cell.instance, ladder.regime.name, 0, worst.seed if worst else 0)
        return spec.replay_id(ladder.claim.name)


def ladder_entry(ladder: Ladder, alternative: Ladder | None = None, description: str = "") -> record.RegimeEntry:
    """The record's entry of a scaling claim; the parameters are those of `LadderEvidence`."""
    evidence = LadderEvidence(ladder, alternative, description)
    return regime_entry(evidence, Place(ladder.regime, ladder.family.name), ladder.not_applicable, ladder.error)


def _short(size: float) -> str:
    """``5.39e10``, as every report writes it."""
    return f"{size:.3g}".replace("e+0", "e").replace("e+", "e")
