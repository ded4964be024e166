"""Cuts decide nothing: comparisons of values at their cap or at 0 have no power, and the same inequality has the same power."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.plugins.registry import registry
from verifier.record.regime import RegimeEntry

from .harness import run


def entries(name: str, instance: str, regime: str, *claims: str) -> list[RegimeEntry]:
    """The entries of some claims on an instance after one trial."""
    selection = Selection((name,), claims=claims, regimes=(regime,), instances=(instance,))
    campaign = Campaign(registry(), selection, replace(PROFILES["quick"], budget=1e6, trials=1), Config())
    run(campaign, registry())
    (subject,) = campaign.subjects
    found = {claim.name: claim.regimes for claim in campaign.entry(subject, "tests", "0", "0").claims}
    return [only for claim in claims for only in found[claim]]


@pytest.mark.parametrize(("name", "instance"), [("fmdp-bf", "rivers"), ("knapsack", "first-example")])
def test_lower_values_at_0_are_compared_without_power(name: str, instance: str) -> None:
    """At the published width all lower values are 0: 0 <= V* holds of any bonus, and |0 - 0| = 0 of any formula."""
    for entry in entries(name, instance, "published", "pessimism", "lower-formula"):
        assert (entry.comparisons > 0, entry.powered, entry.verdict) == (True, 0, "vacuous")


def test_lower_values_above_0_are_compared_with_power() -> None:
    pessimism, formula = entries("fmdp-bf", "flat", "oracle[bonus=error]", "pessimism", "lower-formula")
    assert 0 < pessimism.powered < pessimism.comparisons
    assert pessimism.verdict == formula.verdict == "conforms"


def test_one_comparison_of_many_is_no_pass() -> None:
    """Lemma A.10 at the published radius: one comparison of the instance could have failed, at the last episode but one."""
    (entry,) = entries("lsvi-rfe", "one-feature", "published", "variance-bound")
    assert 0 < entry.powered < 0.01 * entry.comparisons
    assert entry.verdict == "vacuous"


def test_a_threshold_that_nothing_exceeds_is_not_counted() -> None:
    """Lemma C.7 with d = 1: the norm is at most 1/sqrt(lambda H), the threshold is 1, and no weight is ever enlarged."""
    for entry in entries("lsvi-rfe", "one-feature", "published", "enlarged-steps", "enlarged-steps-sharp"):
        assert (entry.comparisons > 0, entry.powered, entry.verdict) == (True, 0, "vacuous")


@pytest.mark.full
def test_a_loss_has_the_power_of_the_optimism_it_is() -> None:
    """V* - V^pi <= V - V^pi is V* <= V; where V is H in all states, neither could have failed."""
    optimism, loss = entries("lsvi-rfe", "two-states", "published", "planned-optimism", "planned-loss")
    assert (optimism.powered, loss.powered) == (0, 0)
    optimism, loss = entries("lsvi-rfe", "two-states", "calibrated", "planned-optimism", "planned-loss")
    assert optimism.powered >= loss.powered > 0
