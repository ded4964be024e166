from __future__ import annotations

import itertools
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.campaign.drawn import DrawnEvidence
from verifier.campaign.evidence import Place, judge, regime_entry
from verifier.campaign.tally import Deterministic, Sequential, Tally
from verifier.campaign.verdict import claim_entry
from verifier.model.claim import Claim, Kind
from verifier.model.horizon import Horizon, nonvacuous_from
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.measurement import Measurement, measure
from verifier.model.property import Property
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.record.regime import RegimeEntry
from verifier.record.verdict import Verdict, overall
from verifier.statistics import RateTest
from verifier.trials.search.drawn import SearchResult

CALIBRATED = Regime("calibrated")

PROPERTY = Property("p", "run", lambda view: Inequality(0.0, 0.0, trivial=UNBOUNDED), frozenset(), "")


def claim(kind: Kind = Kind.ALWAYS, **options: Any) -> Claim:
    if kind is Kind.PROBABILITY:
        options.setdefault("failure_probability", 1.0)
    if kind is Kind.GIVEN:
        options.setdefault("given", "the event")
    return Claim("c", PROPERTY, source="s", theorem="t", statement="x <= y", kind=kind, **options)


def found(value: float = 0.5, bound: float = 1.0, trivial: float = math.inf, premise: bool = True) -> Measurement:
    return measure(Inequality(np.array([value]), bound, ("h",), trivial=trivial, premise=premise))


def spec(index: int) -> TrialSpec:
    return TrialSpec("a", "i", "published", index, 0)


def tally(*measurements: Measurement, kind: Kind = Kind.ALWAYS, **options: Any) -> Tally:
    about = claim(kind, **options)
    rate = kind is Kind.PROBABILITY
    out: Tally = Sequential(about, monitor=RateTest(0.1, 1e-5, 0.01).start()) if rate else Deterministic(about)
    for index, item in enumerate(measurements):
        out.add(spec(index), item)
    return out


def judged(*measurements: Measurement, failed: str = "", error: str = "", **options: Any) -> tuple[Verdict, str]:
    return judge(tally(*measurements, **options), failed, error)


def test_one_failing_comparison_violates_a_deterministic_claim() -> None:
    for kind in (Kind.ALWAYS, Kind.IDENTITY, Kind.GIVEN):
        got, reason = judged(found(), found(2.0), found(), kind=kind)
        assert got is Verdict.VIOLATED
        assert "in 1 of 3 trials" in reason


def test_a_violation_outweighs_an_error_and_an_error_a_pass() -> None:
    assert judged(found(2.0), error="boom")[0] is Verdict.VIOLATED
    assert judged(found(), error="boom") == (Verdict.ERROR, "boom")
    assert judged(error="boom") == (Verdict.ERROR, "boom")


def test_a_failed_assumption_outweighs_all() -> None:
    assert judged(found(2.0), failed="outside", error="boom") == (Verdict.NOT_APPLICABLE, "outside")


def test_nothing_run_is_no_pass() -> None:
    for kind in (Kind.ALWAYS, Kind.PROBABILITY):
        assert judged(kind=kind)[0] is Verdict.INCONCLUSIVE


def test_nothing_compared_is_no_pass() -> None:
    got, reason = judged(found(premise=False), kind=Kind.GIVEN)
    assert got is Verdict.NOT_APPLICABLE
    assert "held nowhere (1 comparisons left out)" in reason
    assert judged(found(premise=False))[0] is Verdict.NOT_APPLICABLE
    assert judged(found(premise=False), kind=Kind.PROBABILITY)[0] is Verdict.NOT_APPLICABLE


def test_a_pass_that_could_not_have_failed_is_vacuous() -> None:
    got, reason = judged(found(0.5, 3.0, 2.0))
    assert got is Verdict.VACUOUS
    assert "the bound is 3, above the trivial bound 2" in reason
    assert judged(found(0.5, 3.0, 3.0)) == (Verdict.VACUOUS, "no implementation can break it here")


def few(powered: int, comparisons: int = 1000) -> Measurement:
    """One trial whose first comparisons, so many of them, could have failed."""
    bound = np.where(np.arange(comparisons) < powered, 0.9, 1.0)
    return measure(Inequality(np.full(comparisons, 0.5), bound, ("s",), trivial=1.0))


@pytest.mark.parametrize("kind", [Kind.ALWAYS, Kind.GIVEN, Kind.PROBABILITY])
def test_a_pass_by_less_than_one_comparison_in_a_hundred_is_vacuous(kind: Kind) -> None:
    assert judged(few(9), kind=kind) == (Verdict.VACUOUS, "only 9 of 1000 comparisons could have failed, less than 1%")
    assert judged(few(10), kind=kind)[0] is not Verdict.VACUOUS


def test_an_identity_needs_no_share() -> None:
    """What has no power there is zero on both sides."""
    assert judged(few(9), kind=Kind.IDENTITY)[0] is Verdict.CONFORMS


def test_a_violation_needs_no_share() -> None:
    value = np.where(np.arange(1000) < 1, 0.95, 0.5)
    bound = np.where(np.arange(1000) < 1, 0.9, 1.0)
    assert judged(measure(Inequality(value, bound, ("s",), trivial=1.0)))[0] is Verdict.VIOLATED


def test_a_small_share_is_said() -> None:
    def entry(powered: int) -> RegimeEntry:
        return regime_entry(tally(few(powered)), Place(Regime("published"), "i"))

    assert entry(42).caveats == ("only 4.2% of the comparisons could have failed",)
    assert entry(9).caveats == entry(420).caveats == ()


def test_a_pass_that_a_cut_decides_is_vacuous() -> None:
    lower = measure(Inequality(np.zeros(2), np.array([0.4, 2.6]), ("s",), trivial=3.0, cut=0.0))
    assert judged(lower) == (Verdict.VACUOUS, "the values compared are cut off, and the cut alone decides")
    assert judged(found(0.0, 0.0, 0.0), kind=Kind.IDENTITY)[1] == "both sides are zero wherever they were compared"
    assert judged(found(0.5, 3.0, 2.0), found(0.5, 1.0, 2.0))[0] is Verdict.CONFORMS
    assert judged(found(0.5, 3.0, 2.0), kind=Kind.PROBABILITY)[0] is Verdict.VACUOUS


@pytest.mark.parametrize("kind", [Kind.ALWAYS, Kind.IDENTITY, Kind.GIVEN, Kind.PROBABILITY])
def test_what_nothing_can_violate_is_vacuous_also_where_its_bound_is_below_the_trivial_one(kind: Kind) -> None:
    """Its comparisons look as if they could fail: without the declaration, all four kinds conform."""
    passing = [found(0.5, 1.0, 2.0)] * 200
    assert judged(*passing, kind=kind)[0] is Verdict.CONFORMS
    proved = tally(*passing, kind=kind, unbreakable="true of any policy")
    assert judge(proved) == (Verdict.VACUOUS, "true of any policy")
    entry = regime_entry(proved, Place(Regime("published"), "i"))
    assert (entry.comparisons, entry.powered) == (200, 0)
    assert claim_entry("a", proved.claim, [entry]).unbreakable == "true of any policy"


def test_a_proof_that_is_wrong_hides_no_violation() -> None:
    assert judged(found(9.0, 3.0, 2.0), unbreakable="true of any policy")[0] is Verdict.VIOLATED
    assert judged(found(premise=False), unbreakable="true of any policy")[0] is Verdict.NOT_APPLICABLE
    assert judged(unbreakable="true of any policy")[0] is Verdict.INCONCLUSIVE


def test_drawn_instances_are_no_evidence_for_what_nothing_can_violate() -> None:
    search = SearchResult("oracle", 50, {"c": 20}, (), False)
    assert judge(DrawnEvidence(search, claim(), None))[0] is Verdict.CONFORMS
    assert judge(DrawnEvidence(search, claim(unbreakable="a proof"), None)) == (Verdict.VACUOUS, "a proof")


@pytest.mark.parametrize("proof", [" ", None, True])
def test_a_proof_is_a_text(proof: Any) -> None:
    made = claim(unbreakable=proof)
    assert re.search("expected (the proof|text)", made.wrong)


@pytest.mark.parametrize("kind", [Kind.ASSUMPTION, Kind.SCALING])
def test_assumptions_and_rates_are_not_unbreakable(kind: Kind) -> None:
    made = claim(kind, unbreakable="a proof")
    assert re.search("declared unbreakable", made.wrong)


def test_a_bound_above_the_trivial_one_can_still_be_violated() -> None:
    assert judged(found(9.0, 3.0, 2.0))[0] is Verdict.VIOLATED


def test_rates_are_decided_by_their_tests() -> None:
    clean, broken = found(0.5, 1.0, 2.0), found(1.5, 1.0, 2.0)
    assert judged(*[clean] * 4, kind=Kind.PROBABILITY)[0] is Verdict.INCONCLUSIVE
    assert judged(broken, clean, kind=Kind.PROBABILITY)[0] is Verdict.INCONCLUSIVE
    assert judged(*[broken] * 20, kind=Kind.PROBABILITY)[0] is Verdict.VIOLATED
    got, reason = judged(*[clean] * 200, kind=Kind.PROBABILITY)
    assert got is Verdict.CONFORMS
    assert "0 failures in" in reason
    assert judged(*[broken] * 20, kind=Kind.PROBABILITY, error="boom")[0] is Verdict.VIOLATED
    assert judged(*[clean] * 200, kind=Kind.PROBABILITY, error="boom")[0] is Verdict.ERROR


@pytest.mark.parametrize("failures", [0, 3, 40])
def test_a_rate_at_a_calibrated_width_is_observed_whatever_it_is(failures: int) -> None:
    seen = [found(1.5, 1.0, 2.0)] * failures + [found(0.5, 1.0, 2.0)] * (40 - failures)
    about = claim(Kind.PROBABILITY)
    tallied = Sequential(about, monitor=RateTest(0.1, 0.01, 0.01).start(), planned=2, promised=about.promised(CALIBRATED))
    for index, item in enumerate(seen):
        tallied.add(spec(index), item)
    got, reason = judge(tallied)
    low, high = tallied.interval or (1.0, 0.0)
    assert got is Verdict.OBSERVED
    assert f"failed in {failures} of 40 trials, a rate in [{low:.3g}, {high:.3g}]" in reason
    assert low <= failures / 40 <= high
    assert not tallied.undecided
    assert judge(tallied, error="boom") == (Verdict.ERROR, "boom")


def test_what_is_promised_at_a_calibrated_width() -> None:
    assert claim(Kind.PROBABILITY, failure_probability=0.0, chance=0.1).promised(CALIBRATED)
    assert claim(Kind.PROBABILITY, any_width="a proof").promised(CALIBRATED)
    assert claim(Kind.GIVEN).promised(CALIBRATED)
    assert claim(Kind.PROBABILITY).promised(Regime("published"))
    made = claim(any_width="a proof")
    assert re.search("leave it out", made.wrong)


def test_a_rate_that_no_outcome_of_the_plan_decides_is_vacuous_unless_a_trial_fails() -> None:
    clean, broken = found(0.5, 1.0, 2.0), found(1.5, 1.0, 2.0)

    def planned(trials: int, *measurements: Measurement) -> tuple[Verdict, str]:
        monitor = RateTest(0.1, 1e-5, 0.01).start()
        tallied = Sequential(claim(Kind.PROBABILITY), monitor=monitor, planned=trials)
        for index, measurement in enumerate(measurements):
            tallied.add(spec(index), measurement)
        assert tallied.undecided == (judge(tallied)[0] is Verdict.INCONCLUSIVE)
        return judge(tallied)

    reason = "needs at least 6 runs to reject and 53 to accept; only 5 were planned"
    assert planned(5, clean) == (Verdict.VACUOUS, reason)
    assert planned(6, clean)[0] is planned(60, clean)[0] is planned(5, clean, broken)[0] is Verdict.INCONCLUSIVE


def test_a_claim_whose_premise_held_in_no_trial_says_nothing() -> None:
    assert judged(*[found(premise=False)] * 300, kind=Kind.PROBABILITY)[0] is Verdict.NOT_APPLICABLE


@pytest.mark.full
def test_a_run_in_which_nothing_was_compared_has_not_failed() -> None:
    """A premise of probability 0.1, and a statement that is false wherever it holds: a run fails with probability 0.1 = delta.

    Each of 200 reports of 212 runs calls it violated with probability at most 1e-5: in any of them below 0.002. As long as only
    the runs were counted in which the premise held, all of them did.
    """
    rng = np.random.default_rng(2)
    left_out, broken = found(premise=False), found(1.5, 1.0, 2.0)
    for holds in rng.random((200, 212)) < 0.1:
        got, _ = judged(*(broken if here else left_out for here in holds), kind=Kind.PROBABILITY)
        assert got is not Verdict.VIOLATED


def test_a_rate_that_would_conform_if_all_had_failed_that_could_is_vacuous() -> None:
    left_out, clean = found(premise=False), found(0.5, 1.0, 2.0)
    got, reason = judged(*[left_out] * 300, clean, kind=Kind.PROBABILITY)
    assert got is Verdict.VACUOUS
    assert reason == "only 1 of 301 runs could have failed, and the rate would conform if all of them had"
    assert judged(*[left_out, clean] * 150, kind=Kind.PROBABILITY)[0] is Verdict.CONFORMS


def test_a_decision_that_all_trials_leave_open_again_does_not_stand() -> None:
    """53 clean trials certify; with 27 failures in the 159 that follow, the interval of all has 0.1 in it."""
    clean, broken = found(0.5, 1.0, 2.0), found(1.5, 1.0, 2.0)
    trials = [*[clean] * 53, *[broken] * 27, *[clean] * 132]
    got, reason = judged(*trials, kind=Kind.PROBABILITY)
    assert got is Verdict.INCONCLUSIVE
    assert reason == "27 failures in 212 trials: at most 0.1 after 53 trials, which all of them together leave open again"
    low, high = tally(*trials, kind=Kind.PROBABILITY).interval or (1.0, 0.0)
    assert low < 0.1 < high
    got, reason = judged(*trials[:53], *[clean] * 159, kind=Kind.PROBABILITY)
    assert got is Verdict.CONFORMS
    assert "decided after 53 trials" in reason
    got, reason = judged(*[broken] * 6, *[clean] * 200, kind=Kind.PROBABILITY)
    assert got is Verdict.INCONCLUSIVE
    assert "above 0.1 after 6 trials" in reason


def test_the_worst_trial_is_named() -> None:
    got = tally(found(0.1), found(0.7), found(0.3))
    assert got.worst == spec(1)
    assert tally(found(0.9), found(2.0), found(1.5)).worst == spec(1)
    entry = regime_entry(got, Place(Regime("published"), "i"))
    assert entry.replay == "a/c:i:published:1:0"
    assert (entry.trials, entry.failures, entry.comparisons, entry.value, entry.ratio) == (3, 0, 3, 0.7, 0.7)


def test_what_a_pass_would_have_caught() -> None:
    def detectable(*measurements: Measurement, **options: Any) -> Any:
        return regime_entry(tally(*measurements, **options), Place(Regime("published"), "i")).detectable

    assert detectable(found(0.5)).kind == "factor"
    assert detectable(found(0.5)).value == 2.0
    identity = measure(Inequality(np.array([0.0]), 0.0, ("h",), trivial=1.0, tolerance=1e-9, identity=True))
    assert (detectable(identity, kind=Kind.IDENTITY).kind, detectable(identity, kind=Kind.IDENTITY).value) == ("difference", 1e-9)
    assert detectable(found(2.0)).kind == "none"
    assert detectable(found(0.5, 3.0, 2.0)).kind == "none"
    assert detectable(*[found(0.5, 1.0, 2.0)] * 4, kind=Kind.PROBABILITY).kind == "rate"


def test_from_which_size_a_bound_means_something() -> None:
    regime = Regime("scaled", 0.5)
    horizon = Horizon(lambda public, scale, K: 1000 * scale * math.sqrt(K), lambda public, scale, K: K)
    size = nonvacuous_from(horizon, object(), regime)
    assert size == pytest.approx(250_000, rel=2e-3)
    assert nonvacuous_from(horizon, object(), Regime("oracle")) is None
    assert nonvacuous_from(horizon, object(), None) is None
    assert nonvacuous_from(None, object(), regime) is None
    assert nonvacuous_from(horizon, None, regime) is None  # no instance was drawn
    never = Horizon(lambda public, scale, K: 2.0, lambda public, scale, K: 1.0)
    assert nonvacuous_from(never, object(), regime) == math.inf
    at_once = Horizon(lambda public, scale, K: 0.0, lambda public, scale, K: 1.0)
    assert nonvacuous_from(at_once, object(), regime) == 1


def test_the_worst_verdict_counts_and_a_pass_outweighs_silence() -> None:
    order = ["violated", "error", "inconclusive", "conforms", "observed", "vacuous", "not applicable"]
    for size in range(1, 4):
        for chosen in itertools.product(order, repeat=size):
            assert overall(chosen).value == min(chosen, key=order.index)
    assert overall([]) is Verdict.NOT_APPLICABLE


def test_the_entry_of_a_claim_gives_the_reason_of_its_worst_regime() -> None:
    entries = [
        regime_entry(tally(found(value)), Place(Regime("published"), name))
        for name, value in (("one", 0.2), ("two", 0.9), ("three", 0.4))
    ]
    entry = claim_entry("a", claim(), entries)
    assert (entry.id, entry.verdict, entry.vacuous) == ("a/c", "conforms", False)
    assert entry.reason == entries[1].reason
    silent = replace(entries[0], verdict="vacuous")
    assert claim_entry("a", claim(), [silent, entries[1]]).vacuous
    assert claim_entry("a", claim(), []).reason == "no instance and regime was selected for it"
