"""Interface of statistical tests to a campaign."""

from __future__ import annotations

from typing import Protocol, Self

from verifier.model.measurement import Measurement
from verifier.statistics.checks import Decision
from verifier.statistics.detectable import Detectable


class Monitor(Protocol):
    """Trials consumed one by one, in trial order, and the first decision, which later trials do not change."""

    @property
    def decision(self) -> Decision:
        """The first decision other than inconclusive, if any."""

    @property
    def standing(self) -> Decision:
        """The first decision, unless all trials together leave it open again."""

    @property
    def trials(self) -> int:
        """Trials consumed, including those after the decision."""

    def observe(self, measurement: Measurement) -> Self:
        """The monitor after one more trial, in which something was compared.

        Raises
        ------
        ContractError
            If the measurement contradicts what earlier ones said was known before the run.
        """

    def reason(self) -> str:
        """The decision in plain words, with the numbers it rests on."""

    def interval(self) -> tuple[float, float] | None:
        """Confidence sequence of what is tested, if there is one."""

    def detectable(self) -> Detectable:
        """Smallest deviation that would have been called violated within as many trials."""

    def summary(self, measurement: Measurement) -> Measurement:
        """Measurement that reports show of the trials, given that of all of them together."""
