"""`verifier.tight` on runs that are short: what repeats, what ends early, what is refused."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base import profile
from verifier.base.config import Config
from verifier.base.errors import UsageError
from verifier.campaign.selection import Selection
from verifier.commands.tight import TightCampaign
from verifier.plugins.registry import registry
from verifier.record import AlgorithmEntry, TightnessEntry
from verifier.trials.search.worst import worst

FAST: dict[str, Any] = {"instances": ["onehot"], "claims": ["confidence-event", "optimism", "gram", "regret"], "keep": False}


@pytest.fixture(autouse=True)
def few_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six runs on an instance, which are too few for an upper bound."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(profile.PROFILES, "quick", replace(profile.PROFILES["quick"], tight_runs=6))


def table(**changes: Any) -> tuple[AlgorithmEntry, TightnessEntry]:
    """The table of an algorithm."""
    entry = verifier.tight("lifelong-lsvi", **{**FAST, "jobs": 1, **changes}).record.algorithms[0]
    assert entry.tightness is not None
    return entry, entry.tightness


def test_a_table_repeats_bit_for_bit_with_any_number_of_workers_and_another_seed_gives_another() -> None:
    first, again, other = table()[1], table(jobs=2)[1], table(seed=3)[1]
    assert repr(first) == repr(again)
    assert repr(first) != repr(other)
    event = next(entry for entry in first.claims if entry.claim == "confidence-event")
    (line,) = event.lines
    assert (line.runs, line.quantile, line.high) == (6, 0.9, math.inf)
    assert line.why.startswith("an upper bound needs ")
    assert 0.0 < line.largest < 1.0
    assert [entry.none for entry in first.claims if entry.claim == "gram"] == ["no factor: an identity"]
    assert first.price is not None
    assert "upper bound needs" in first.price.missing


def test_the_largest_factor_is_that_of_the_run_it_is_replayed_from() -> None:
    (line,) = next(entry.lines for entry in table()[1].claims if entry.claim == "confidence-event")
    assert verifier.replay(line.replay).measurement.factor == line.largest


@pytest.mark.full
def test_the_regret_is_compared_once_the_factor_is_certified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(profile.PROFILES, "quick", replace(profile.PROFILES["quick"], tight_runs=60, trials=1))
    # a run of a check in the oracle regime is in the store, and has no regret: it is no run of this comparison
    verifier.check("lifelong-lsvi", instances="onehot", regimes="oracle", jobs=1, store="kept")
    entry, found = table(keep=True, store="kept", claims=["confidence-event", "regret"])
    assert entry.errors == ()
    price = found.price
    assert price is not None
    widths = [line.regime for line in price.lines]
    assert widths[0] == "published"
    assert widths[1].startswith("scaled(")
    assert widths[2] == "oracle"
    assert [line.runs for line in price.lines] == [60, 12, 12]
    event = next(entry for entry in found.claims if entry.claim == price.claim)
    assert event.worst is not None
    assert float(widths[1][7:-1]) >= event.worst.high >= event.worst.low > 0


def test_what_the_budget_ends_is_unfinished_and_certifies_nothing() -> None:
    report = verifier.tight("lifelong-lsvi", **FAST, jobs=1, budget=1e-9)
    assert report.exit_code == 3
    assert "runs are missing: the budget of 1e-09 s of processor time is spent" in report.record.algorithms[0].unfinished
    found = report.record.algorithms[0].tightness
    assert found is not None
    assert all(math.isnan(line.low) for entry in found.claims for line in entry.lines)


@pytest.mark.parametrize(
    ("target", "arguments", "message"),
    [
        ("lifelong-lsvi~quarter-bonus", {}, "names a planted bug"),
        ("lifelong-lsvi", {"claims": "coverge"}, "coverge"),
        ("lifelong-lsvi", {"instances": "twohot"}, "twohot"),
        ("lifelong-lsvi", {"worst": "worst.txt"}, "a name that ends in .json"),
        ("lifelong-lsvi", {"worst": "no/worst.json"}, "'no/worst.json' cannot be written: No such file"),
        ("lifelong-lsvi", {"worst": "worst.json", "instances": "onehot"}, "leave out --instance"),
        ("lifelong", {"worst": "worst.json"}, "one algorithm needs most on; given are "),
        ("lifelong-lsvi", {"sizes": {"S": 2}}, "--size S: the size of an instance that is searched for; give --worst FILE"),
        (
            "lifelong-lsvi",
            {"worst": "worst.json", "sizes": {"s": 2}},
            "have no such size. Known: A, H, K, S, W, d",
        ),
        ("lifelong-lsvi", {"worst": "worst.json", "sizes": {"S": 10}}, "S=10: expected a number from 1 to 9"),
        ("lifelong-lsvi", {"worst": "worst.json", "sizes": {"K": 0}}, "K=0: expected a number from 1 to 1000"),
        ("lifelong-lsvi", {"worst": "worst.json", "claims": "gram"}, "--claim selects none that has a factor"),
        ("lifelong-lsvi", {"worst": "worst.json", "claims": ["optimism", "regret"]}, "selects optimism, regret"),
    ],
)
def test_what_cannot_be_run_is_refused(target: str, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        verifier.tight(target, **arguments)


@pytest.mark.full
def test_the_instance_that_needs_most_is_searched_for_kept_in_a_file_and_measured_with_runs_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(profile.PROFILES, "quick", replace(profile.PROFILES["quick"], tight_runs=60, examples=10))
    chosen: dict[str, Any] = {"claims": "confidence-event", "keep": False, "jobs": 1}
    entry = verifier.tight("lsvi-ucb", worst="worst.json", **chosen).record.algorithms[0]
    assert entry.tightness is not None
    worst, (found,) = entry.tightness.worst, entry.tightness.claims
    assert worst is not None
    assert worst.examples > 5
    assert [line.instance for line in found.lines] == ["worst.json"]
    assert found.lines[0].runs == 60
    # the factor that is certified there is that of the file, whoever measures it
    again = verifier.tight("lsvi-ucb", instances="worst.json", **chosen).record.algorithms[0].tightness
    assert again is not None
    assert again.worst is None
    assert again.claims == entry.tightness.claims
    # and larger than on an instance of the catalogue, or the search was for nothing
    other = verifier.tight("lsvi-ucb", instances="random", **chosen).record.algorithms[0].tightness
    assert other is not None
    assert found.lines[0].low > 2 * other.claims[0].lines[0].high > 0
    # an instance of this setting is none of another
    with pytest.raises(UsageError, match=r"worst\.json holds an instance of setting episodic, and this algorithm is of setting"):
        verifier.check("lifelong-lsvi", instances="worst.json", keep=False)


def test_the_instance_that_is_searched_for_has_the_sizes_that_were_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(profile.PROFILES, "quick", replace(profile.PROFILES["quick"], tight_runs=6, examples=4))
    chosen: dict[str, Any] = {"claims": "confidence-event", "keep": False, "jobs": 1}
    found = verifier.tight("lsvi-ucb", worst="worst.json", sizes={"S": 4, "K": 9}, **chosen).record.algorithms[0]
    assert found.tightness is not None
    assert found.tightness.worst is not None
    assert found.tightness.worst.sizes == {"S": 4, "K": 9}
    (instance,) = found.instances
    assert (instance.parameters["S"], instance.parameters["K"]) == (4, 9)


@pytest.mark.full
def test_the_search_repeats_and_ends_in_time() -> None:
    known = registry("ucb1")
    bandits, setting = known.guarantees_of("ucb1"), known.setting("episodic")
    claim = bandits.claim("bonus-validity")
    first, again = (worst(bandits, setting, claim, "published", 3, 30) for _ in range(2))
    assert first == again
    assert first.recipe is not None
    assert not first.exhausted
    late = worst(bandits, setting, claim, "published", 3, 30, deadline=0.0)
    assert (late.recipe, late.examples, late.exhausted) == (None, 0, True)


def test_on_a_family_the_factor_is_measured_at_each_size() -> None:
    report = verifier.tight("ucbvi-ch", growth="actions", claims=["coverage", "optimism"], keep=False, jobs=1)
    found = report.record.algorithms[0].tightness
    assert found is not None
    assert found.price is None
    coverage, optimism = found.claims
    assert [line.instance for line in coverage.lines] == [f"actions[A={size}]" for size in (2, 4, 8, 16)]
    assert coverage.growth is not None
    assert coverage.growth.sizes == (2, 4, 8, 16)
    assert coverage.growth.why.startswith("an upper bound needs ")
    assert optimism.growth is not None
    assert optimism.growth.why == "not certified"
    assert math.isfinite(optimism.growth.seen)
    at = coverage.lines[-1]
    assert verifier.replay(at.replay).measurement.factor == at.largest


def test_assumptions_on_a_member_of_a_family_are_those_of_the_instance_that_is_run() -> None:
    """Members of a family are drawn from its stream, not from one of their own."""
    known = registry("ucbvi-ch")
    chosen = Selection(("ucbvi-ch",), ("coverage",), ("published",), ())
    campaign = TightCampaign(known, chosen, profile.PROFILES["quick"].for_tight(), Config(), "actions")
    (subject,) = campaign.subjects
    run_on = known.setting("episodic").scenario("actions[A=4]")
    assert run_on is not None
    np.testing.assert_array_equal(subject.instances["actions[A=4]"].truth.kernel, run_on.draw(campaign.seed).truth.kernel)


def test_at_several_delta_the_quantile_is_the_one_that_is_promised_there() -> None:
    chosen: dict[str, Any] = {"claims": ["coverage", "optimism"], "keep": False, "jobs": 1}
    found = verifier.tight("ucbvi-ch", growth="delta", instances="one-state", **chosen).record.algorithms[0].tightness
    assert found is not None
    coverage, optimism = found.claims
    assert [(line.instance, line.quantile) for line in coverage.lines] == [
        ("one-state[1/delta=2]", 0.5),
        ("one-state[1/delta=4]", 0.75),
    ]
    assert coverage.growth is not None
    assert coverage.growth.left_out == (10, 25, 100)  # six runs
    assert coverage.growth.why.startswith("an upper bound needs ")
    assert optimism.growth is not None
    assert optimism.growth.why == "not certified"
    at = coverage.lines[-1]
    assert verifier.replay(at.replay).measurement.factor == at.largest
    with pytest.raises(UsageError, match="Instances in every size are for `verifier scale`"):
        verifier.check("ucbvi-ch", instances="one-state[1/delta=4]", keep=False)


def test_a_family_takes_the_place_of_instances() -> None:
    with pytest.raises(UsageError, match="leave out --instance"):
        verifier.tight("ucbvi-ch", growth="actions", instances="random", keep=False)
    with pytest.raises(UsageError, match="Did you mean 'actions'"):
        verifier.tight("ucbvi-ch", growth="action", keep=False)
