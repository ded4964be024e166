"""Results of a claim in one regime on one instance: plain data, part of the record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated

from verifier.base.difference import Difference
from verifier.record.scaling import Scaling
from verifier.record.verdict import Verdict, overall
from verifier.statistics.detectable import Detectable

SMALL_SHARE = 0.1
"""Below this share of comparisons with power reports say the share."""


@dataclass(frozen=True)
class RegimeEntry:
    """A claim in one regime on one instance, over all trials.

    `value`, `bound`, `trivial`, `ratio`, `tolerance` and `witness` belong to the worst comparison of all trials; `replay`
    reruns it. `margin` is the smallest difference of bound and value. `powered` of the `comparisons` could have failed;
    `excluded` were left out because the premise did not hold there, and `saturated` are about a value function that is the same
    in all states, as where it is at its cap. For claims of kind expectation, `value` and `bound` are the means over the trials,
    `ratio` and `margin` compare them, `violations` is 1 where that comparison is called false, and `replay` reruns the trial
    with the largest ratio; for claims of kind law they are the evidence of all trials and what would refute the law. `interval`
    is a confidence interval of the failure rate, for claims of kind probability, or of the mean of the value, for claims of
    kind expectation. `nonvacuous_from` is the size (in `unit`, e.g. K) from which the bound of a vacuous claim would drop below
    the trivial one, at this regime's constants, if known. `regime` is empty for assumptions, which are of the instance alone.
    `ran` is false where no trial was started, because the budget or the run ended before. `difference` is what all comparisons
    that fail have in common, where one failed comparison refutes the claim. `project` is the folder of the plugin's project,
    for `verifier replay --project`, where that was not installed. `record` is the file of the record, where replay needs that
    (`verifier replay RECORD ID`) and one was written. `needed` more trials without a failure would certify a failure rate that
    is not decided; `enough` is the smallest larger profile that runs so many, empty if none does.

    For claims of kind scaling `instance` is a family, `value` the local exponent, `interval` its limits, `bound` the largest that
    counts as claimed, `trivial` the exponent of the trivial bound, and `scaling` has everything else; null for other kinds.
    """

    regime: str
    instance: str
    verdict: Annotated[str, Verdict]
    reason: str
    trials: int
    failures: int
    comparisons: int
    powered: int
    excluded: int
    violations: int
    value: float
    bound: float
    trivial: float
    ratio: float
    margin: float
    tolerance: float
    witness: Mapping[str, int]
    detectable: Detectable
    interval: tuple[float, float] | None
    nonvacuous_from: float | None
    unit: str
    replay: str
    scaling: Scaling | None = None
    saturated: int = 0
    ran: bool = True
    difference: Difference | None = None
    needed: int = 0
    project: str = ""
    enough: str = ""
    record: str = ""

    @property
    def caveats(self) -> tuple[str, ...]:
        """Reasons why most comparisons say little: the premise left them out, no power, or nothing random to estimate."""
        left_out = f"the premise left out {self.excluded} of {self.comparisons + self.excluded} comparisons"
        saturated = f"{self.saturated} of {self.comparisons} compared value functions are constant in the state: a weak test"
        share = self.powered / max(1, self.comparisons)
        few = f"only {100 * share:.2g}% of the comparisons could have failed"
        told = (
            (left_out, self.excluded > self.comparisons > 0),
            (few, 0 < share < SMALL_SHARE and self.verdict != Verdict.VACUOUS),
            (saturated, 2 * self.saturated > self.comparisons > 0),
        )
        return tuple(text for text, most in told if most)


def verdict_of(entries: Iterable[RegimeEntry]) -> Verdict:
    """The verdict of a claim over its entries.

    The `overall` one; but a place where it was not run does not take back that it conforms everywhere else. What was not run is
    told of the algorithm, which is then unfinished. A trial that was started and did not come to its end does count: an agent
    that hangs where it would fail must not be judged by the rest.
    """
    found = tuple(entries)
    ran = overall(entry.verdict for entry in found if entry.ran)
    return ran if ran is Verdict.CONFORMS else overall(entry.verdict for entry in found)
