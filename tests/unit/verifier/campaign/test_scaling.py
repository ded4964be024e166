"""Scaling claims: what they refuse, the verdict of a ladder of trials, families of instances."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier import PSEUDO_CODE, Guarantees
from verifier.base.config import Config
from verifier.base.errors import ContractError
from verifier.base.profile import PROFILES
from verifier.campaign.ladder import Points
from verifier.campaign.ladder_evidence import LadderEvidence, ladder_entry
from verifier.campaign.schedule import Schedule
from verifier.campaign.selection import Selection
from verifier.commands.scale import ScaleCampaign
from verifier.model.claim import Claim, Kind
from verifier.model.horizon import Horizon
from verifier.model.measurement import Measurement
from verifier.model.result import TrialError, TrialSpec
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier.model.setting import Setting
from verifier.plugins.registry import Registry
from verifier.record.verdict import Verdict
from verifier.trials.trial import run
from verifier_properties.episodes import scaling as episodes_scaling
from verifier_properties.lifelong import optimism
from verifier_settings.discounted import DISCOUNTED
from verifier_settings.lifelong import LIFELONG
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from .ladders import NONE, ROOT, SIZES, claim, judged, ladder, noisy

K = np.array(SIZES, dtype=float)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"regimes": ("*",)}, "must name its regimes"),
        ({"sizes": {"quick": (1, 2)}}, "at least 3 positive increasing sizes"),
        ({"sizes": {"quick": (1, 3, 2)}}, "increasing"),
        ({"sizes": {"fast": (1, 2, 3)}}, "expected one of quick, standard, deep"),
        ({"sizes": {"standard": (1, 2, 3)}}, "no sizes for its tier 'quick'"),
        ({"kind": Kind.ALWAYS}, "expected kind 'scaling'"),
    ],
)
def test_what_a_claim_refuses(changes: dict[str, Any], words: str) -> None:
    made = claim(**changes)
    assert re.search(words.replace("(", r"\("), made.wrong)


def test_a_plain_claim_cannot_be_of_kind_scaling() -> None:
    made = Claim("x", episodes_scaling.regret, "s", "t", "R = O(1)", Kind.SCALING)
    assert re.search("make it a ScalingClaim", made.wrong)


def test_profiles_without_sizes_take_those_of_the_profile_before() -> None:
    later = claim(sizes={"standard": (1, 2, 3), "deep": (1, 2, 3, 4)}, tier="standard")
    assert [later.ladder(name) for name in ("quick", "standard", "deep")] == [(), (1, 2, 3), (1, 2, 3, 4)]
    assert claim().ladder("deep") == SIZES
    assert claim(alternative_sizes=(5, 6, 7)).ladder("quick", alternative=True) == (5, 6, 7)


def test_burn_in_is_the_geometric_middle_unless_the_claim_says_otherwise() -> None:
    assert claim().first_size(None, 1.0, SIZES)[0] == pytest.approx(math.sqrt(250 * 16_000))
    assert claim(burn_in=NONE).first_size(None, 1.0, SIZES) == (0.0, "none: made up")
    horizon = Horizon(lambda public, scale, K: 900.0 * scale, lambda public, scale, K: 3.0 * K)
    assert claim(burn_in=BurnIn.until_bounded(horizon)).first_size(None, 2.0, SIZES)[0] == 601


def test_only_the_wrong_algorithm_goes_without_a_burn_in_on_a_ladder_of_its_own() -> None:
    alike = claim(alternative="greedy", alternative_sizes=SIZES)
    assert alike.first_size(None, 1.0, SIZES)[0] == pytest.approx(2000)
    assert alike.first_size(None, 1.0, SIZES, alternative=True)[0] == 0.0
    assert claim(alternative="greedy").first_size(None, 1.0, SIZES, alternative=True)[0] == pytest.approx(2000)


def test_verdicts() -> None:
    assert judged(ladder(noisy(30 * K**0.5)))[0] is Verdict.CONFORMS
    assert judged(ladder(noisy(0.2 * K)))[0] is Verdict.VIOLATED
    assert judged(ladder(noisy(5 * K**0.6)))[0] is Verdict.INCONCLUSIVE


def test_only_sizes_after_the_burn_in_count() -> None:
    mean = np.where(K < 2000, K, 2000.0**0.5 * K**0.5)
    assert judged(ladder(noisy(mean)))[0] is Verdict.CONFORMS
    assert judged(ladder(noisy(mean), claim(burn_in=NONE)))[0] is not Verdict.CONFORMS


def test_sizes_before_the_claim_begins_say_nothing() -> None:
    late = claim(burn_in=BurnIn(lambda public, scale: 1e9, "the bound is empty before"))
    found = ladder_entry(ladder(noisy(0.2 * K), late))
    assert found.verdict == "vacuous"
    assert "the claim begins at K = 1e9" in found.reason
    assert (found.violations, found.comparisons) == (0, 0)


def test_a_claim_that_a_wrong_algorithm_passes_has_no_power() -> None:
    about = claim(alternative="greedy")
    found = ladder_entry(ladder(noisy(30 * K**0.5), about), ladder(noisy(20 * K**0.5), about), "no bonus")
    assert found.verdict == "vacuous"
    assert "greedy: no bonus) passes too" in found.reason
    assert found.scaling is not None
    assert found.scaling.power is not None
    assert found.scaling.power.verdict == "conforms"


def test_a_claim_that_a_wrong_algorithm_could_not_fail_has_no_power() -> None:
    steep = claim(alternative="greedy", rate=Rate("K²", 2.0))
    saturated = ladder_entry(ladder(noisy(30 * K**0.5), steep), ladder(noisy(5 * K), steep), "no bonus")
    assert saturated.verdict == "vacuous"
    assert saturated.scaling is not None
    assert saturated.scaling.power is not None
    assert saturated.scaling.power.verdict == "vacuous"
    assert "greedy: no bonus) passes too" in saturated.reason


def test_a_claim_that_a_wrong_algorithm_fails_has_power() -> None:
    about = claim(alternative="greedy")
    found = ladder_entry(ladder(noisy(30 * K**0.5), about), ladder(noisy(0.3 * K), about), "no bonus")
    assert found.verdict == "conforms"
    assert found.powered == found.comparisons == 6 * 7
    assert found.scaling is not None
    assert found.scaling.power is not None
    assert found.scaling.power.verdict == "violated"
    assert [point.size for point in found.scaling.power.points] == [point.size for point in found.scaling.points]
    assert all(wrong.value != right.value for wrong, right in zip(found.scaling.power.points, found.scaling.points, strict=True))


def test_what_nothing_can_break_says_nothing() -> None:
    verdict, reason = judged(ladder(noisy(2.5 * K), claim(rate=Rate("K", 1.0))))
    assert verdict is Verdict.VACUOUS
    assert "nothing can grow faster" in reason
    assert judged(ladder(noisy(0.001 * K), claim(rate=Rate("K", 1.0))))[0] is Verdict.CONFORMS
    level = Horizon(lambda public, scale, K: 5.0, lambda public, scale, K: 5.0)
    verdict, reason = judged(ladder(noisy(2.5 * K**0), claim(rate=Rate("1", 0.0), horizon=level)))
    assert verdict is Verdict.VACUOUS
    assert "has the exponent 0.00, claimed is 0.00" in reason


def test_quantities_that_vanish() -> None:
    assert judged(ladder(np.zeros((6, 10))))[0] is Verdict.VACUOUS
    values = noisy(30 * K**0.5)
    values[0, 4] = 0.0
    found = LadderEvidence(ladder(values)).sample
    assert "up to K = 3000 some value is 0" in found.why_first
    assert len(found.used) == 5


def test_missing_trials_and_errors_are_no_pass() -> None:
    assert judged(ladder(noisy(30 * K**0.5), planned=9))[0] is Verdict.INCONCLUSIVE
    broken = ladder(noisy(30 * K**0.5))
    broken.cells[3].error = TrialError("crash", "boom")
    assert judged(broken) == (Verdict.ERROR, "boom")
    outside = ladder(noisy(30 * K**0.5))
    outside.cells[3].not_applicable["regret-growth"] = "completeness fails"
    assert judged(outside)[0] is Verdict.NOT_APPLICABLE


def test_the_entry_holds_bound_ratio_and_horizon() -> None:
    found = ladder_entry(ladder(noisy(30 * K**0.5)))
    scaling = found.scaling
    assert scaling is not None
    assert found.nonvacuous_from == scaling.nonvacuous_from == pytest.approx(180**2, rel=2e-3)
    assert [item.value for item in scaling.bound] == pytest.approx(900 * K**0.5)
    assert [item.value for item in scaling.trivial] == pytest.approx(5 * K)
    assert len(scaling.points) == 60
    assert scaling.interval is not None
    assert scaling.interval[0] < scaling.interval[1]
    assert scaling.confidence == pytest.approx(1 - 2e-4 - 0.01)
    assert [model.chosen for model in scaling.models].count(True) == 1
    assert {model.formula for model in scaling.models} >= {"a K^b", "K^0.5 (a + b log K)", "a + b log K"}
    assert scaling.held_out[0].size == 16_000
    assert found.bound == pytest.approx(0.6)
    assert found.replay == "mine/regret-growth:lock[K=16000]:published:0:7"


def test_a_quantity_has_to_be_one_finite_number() -> None:
    tally, spec = Points(claim()), TrialSpec("mine", "lock[K=250]", "published", 0, 0)
    for measurement in (Measurement(value=math.inf, comparisons=1), Measurement(value=1.0, comparisons=2)):
        with pytest.raises(ContractError, match="one finite number for each run"):
            tally.add(spec, measurement)


def test_members_of_a_family_are_scenarios_drawn_alike() -> None:
    small, large = LIFELONG.scenario("lock[K=40]"), LIFELONG.scenario("lock[K=80]")
    assert small is not None
    assert large is not None
    assert (small.draw(3).public.K, large.draw(3).public.K) == (40, 80)
    assert (small.draw(3).truth.P == large.draw(3).truth.P).all()
    assert any((small.draw(3).truth.P != small.draw(seed).truth.P).any() for seed in range(4, 9))
    for wrong in ("lock[K=0]", "lock[H=5]", "nothing[K=5]", "lock[K=5"):
        assert LIFELONG.scenario(wrong) is None


@pytest.mark.parametrize("family", [*LIFELONG.families, *DISCOUNTED.families], ids=lambda family: family.name)
def test_families_build_every_size(family: Any) -> None:
    for size in (3, 7):
        assert getattr(family.member(size).draw(0).public, family.symbol) == pytest.approx(size)  # H is 1 / (1 - gamma)
        pickle.dumps(family.member(size).draw(0))


def collapsing() -> Setting[Any, Any]:
    """A setting with a family of which the larger members cannot be built."""
    (lock,) = (family for family in LIFELONG.families if family.name == "lock")

    def build(rng: np.random.Generator, K: int) -> Any:
        if K > 20:
            raise ZeroDivisionError("too large")
        return lock.build(rng, K=K)

    return replace(LIFELONG, families=(replace(lock, build=build),))


def test_members_that_cannot_be_built_are_an_error() -> None:
    mine = Guarantees(UCBlvd, scaling=(claim(sizes={"quick": (10, 15, 20, 25)}, horizon=None, follows=PSEUDO_CODE),))
    registry = Registry(guarantees={"ucblvd": mine}, settings={"lifelong": collapsing()})
    campaign = ScaleCampaign(registry, Selection(("ucblvd",)), replace(PROFILES["quick"], budget=1e6, trials=3), Config())
    Schedule([campaign], campaign.profile).run(lambda specs: (run(spec, mine, collapsing()) for spec in specs))
    found = campaign.entry(campaign.originals[0], "tests", "0", "0")
    assert found.claims[0].verdict == "error"
    (error,) = found.errors
    assert error.message.startswith("instance lock[K=25]: ZeroDivisionError: too large (test_scaling.py:")
    assert found.counts["selected"] == found.counts["evaluated"] == 1


def test_a_rate_that_is_declared_wrong_is_an_error_of_its_own() -> None:
    sound = claim(sizes={"quick": (10, 15, 20)}, horizon=None, follows=PSEUDO_CODE)
    wrong = replace(sound, name="wrong", sizes={"quick": (10,)})
    mine = Guarantees(UCBlvd, scaling=(sound, wrong))
    registry = Registry(guarantees={"ucblvd": mine}, settings={"lifelong": LIFELONG})
    campaign = ScaleCampaign(registry, Selection(("ucblvd",)), replace(PROFILES["quick"], budget=1e6, trials=3), Config())
    Schedule([campaign], campaign.profile).run(lambda specs: (run(spec, mine, LIFELONG) for spec in specs))
    found = campaign.entry(campaign.originals[0], "tests", "0", "0")
    assert [item.verdict == "error" for item in found.claims] == [False, True]
    assert "scaling claim 'wrong': sizes for 'quick' are (10,)" in found.claims[1].reason
    assert f"{__file__}:" in found.claims[1].reason


def test_the_quantity_is_of_a_run() -> None:
    of_phases = optimism.optimism(optimism.event)
    made = ScalingClaim(
        "x",
        of_phases,
        "s",
        "t",
        "x",
        family="lock",
        rate=ROOT,
        quantity="q",
        sizes={"quick": (1, 2, 3)},
        regimes=("published",),
    )
    assert re.search("expected kind 'scaling' and a @run_property", made.wrong)
