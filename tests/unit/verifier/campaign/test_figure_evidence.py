"""Verdicts on figures, from ladders with values made up instead of run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier.campaign.figure_evidence import CONFIDENCE, FigureEvidence, verdict_of
from verifier.campaign.ladder import Ladder, Points
from verifier.model.figure import Figure, FigureStatement, Reading
from verifier.model.scaling import Rate
from verifier.record import FigureEntry
from verifier.statistics.scaling import Interval

from .ladders import SIZES, claim, ladder, noisy

K = np.array(SIZES, dtype=float)
PARTS = 4
CALLS, REWARD = claim("calls", quantity="planning calls", rate=Rate("log K", 0.0, 1.0)), claim("reward", quantity="reward")

FIGURE = Figure(
    "1a",
    "Mine vs theirs.",
    printed="d = 5",
    missing="not printed: S",
    seeds=50,
    across="episode",
    drawn=(Reading("reward", along=True), Reading("reward", "theirs", along=True)),
    beside="calls",
    statements=(
        FigureStatement("almost the same", "§4", "mine / theirs", Reading("reward", along=True),
                        Reading("reward", "theirs", along=True), low=0.9, high=1.1),
        FigureStatement("much smaller", "§4", "mine / theirs", Reading("calls"), Reading("calls", "theirs"), high=0.1),
        FigureStatement("logarithmic", "§4", "calls / log K", Reading("calls", relative=True),
                        Reading("calls", at="first", relative=True), low=0.5, high=2.0),
    ),
)  # fmt: skip


def with_curves(values: Array, curve: Array, **changes: Any) -> Ladder:
    """A ladder of rewards whose seeds have a curve, shape (parts,), times their noise, at the largest size."""
    made = ladder(values, REWARD, **changes)
    tally = made.cells[-1].tallies["reward"]
    assert isinstance(tally, Points)
    noise = np.random.default_rng(1).normal(1.0, 0.01, (len(values), len(curve)))
    tally.curves.update({seed: tuple(map(float, curve * noise[seed])) for seed in range(len(values))})
    return made


def entry(
    seeds: int = 20, calls: Array | None = None, curve: Array | None = None, figure: Figure = FIGURE, **changes: Any
) -> FigureEntry:
    """The entry of a figure that is reproduced, with something changed of what is measured."""
    rare = 3 * np.log(K) if calls is None else calls
    own = np.full(PARTS, 2.0) if curve is None else curve
    flat = noisy(np.full_like(K, 2.0), seeds, 0.01)
    ladders = {
        ("mine", "calls"): ladder(noisy(rare, seeds, 0.02), CALLS),
        ("theirs", "calls"): ladder(np.tile(K, (seeds, 1)), CALLS),
        ("mine", "reward"): with_curves(flat, own, **changes),
        ("theirs", "reward"): with_curves(flat, np.full(PARTS, 2.0)),
    }
    return FigureEvidence(figure, "mine", ladders, {"mine": "Mine (Algorithm 1)"}).entry("A paper")


def verdicts(found: FigureEntry) -> list[str]:
    return [each.verdict for each in found.statements]


def test_what_the_paper_says_is_reproduced() -> None:
    found = entry()
    assert (found.verdict, found.reason) == ("reproduced", "3 of 3 statements hold")
    assert (found.measured, found.seeds, found.confidence) == (20, 50, CONFIDENCE)
    assert [curve.algorithm for curve in found.curves] == ["mine", "theirs"]
    assert found.curves[0].title == "Mine (Algorithm 1)"
    assert found.curves[1].beside == "1.6e+04 planning calls"
    assert [point.at for point in found.curves[0].points] == [2000.5, 6000.5, 10_000.5, 14_000.5]
    assert all(point.low < point.value < point.high for curve in found.curves for point in curve.points)


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({"calls": K}, ["holds", "does not hold", "does not hold"]),
        ({"calls": K**0.5}, ["holds", "holds", "does not hold"]),
        ({"curve": np.array([2.0, 2.0, 1.5, 2.0])}, ["does not hold", "holds", "holds"]),
    ],
)
def test_a_planted_difference_differs(changes: dict[str, Any], broken: list[str]) -> None:
    """The trigger that always fires, one that fires too often, and a reward that is a quarter lower for a while."""
    found = entry(**changes)
    assert (found.verdict, verdicts(found)) == ("differs", broken)


def test_the_part_that_differs_is_named() -> None:
    found = entry(curve=np.array([2.0, 2.0, 1.5, 2.0])).statements[0]
    assert (found.part, found.parts) == ("episode 8001 to 12000", PARTS)
    assert found.high < found.lowest


def test_a_difference_that_noise_hides_is_undecided() -> None:
    found = entry(seeds=3)
    assert found.verdict == "cannot tell"
    assert "more seeds would tell" in found.reason
    assert verdicts(found)[0] == "cannot tell"


def test_too_few_seeds_and_missing_trials_decide_nothing() -> None:
    few = entry(seeds=2)
    assert set(verdicts(few)) == {"cannot tell"}
    assert "2 seeds: at least 3 are needed" in few.reason
    assert few.curves[0].points == ()
    cut = entry(planned=30)
    assert verdicts(cut) == ["cannot tell", "holds", "holds"]
    assert "200 of 300 trials finished" in cut.statements[0].reason


def test_what_was_not_measured_is_undecided() -> None:
    other = replace(FIGURE, statements=(replace(FIGURE.statements[1], top=Reading("lost")),))
    found = entry(figure=other)
    assert (found.verdict, found.statements[0].reason) == ("cannot tell", "mine/lost was not measured in this run")
    nothing = entry(figure=replace(FIGURE, statements=()))
    assert (nothing.verdict, nothing.reason) == ("cannot tell", "the paper says nothing that could be compared")


def test_limits_of_a_statement_are_not_crossed_by_some_parts_only() -> None:
    inside, across, outside = Interval(1.0, 0.9, 1.1), Interval(1.0, 0.5, 1.5), Interval(3.0, 2.9, 3.1)
    assert verdict_of([inside], 0.8, 1.2) == "holds"
    assert verdict_of([inside, across], 0.8, 1.2) == "cannot tell"
    assert verdict_of([inside, across, outside], 0.8, 1.2) == "does not hold"


def test_the_levels_of_all_means_add_up() -> None:
    """Two means in each of four parts, and two each for the two quotients: twelve means with two limits each."""
    rare, flat = ladder(noisy(3 * np.log(K), 20, 0.02), CALLS), with_curves(noisy(K, 20), np.full(PARTS, 2.0))
    both = {(name, about): made for name in ("mine", "theirs") for about, made in (("calls", rare), ("reward", flat))}
    assert FigureEvidence(FIGURE, "mine", both, {})._level == pytest.approx((1 - CONFIDENCE) / 24)


def test_a_statement_without_limits_is_refused() -> None:
    with pytest.raises(ContractError, match="expected low < high"):
        FigureStatement("same", "§4", "mine / theirs", Reading("calls"), low=2.0, high=1.0)
    with pytest.raises(ContractError, match="readings of whole and of parts of runs"):
        FigureStatement("same", "§4", "mine / theirs", Reading("reward", along=True), Reading("reward"), high=1.0)
