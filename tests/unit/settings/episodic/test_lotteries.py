"""Instances made for what libraries get wrong: each is what its description says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.model.measurement import measure
from verifier_properties.episodic import assumptions, planning
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC

from ....installed import guaranteed
from .runs import play


def drawn(name: str) -> Any:
    scenario = EPISODIC.scenario(name)
    assert scenario is not None
    return scenario.draw(0)


@pytest.mark.parametrize(("name", "H"), [("rare-lottery", 10), ("long-lottery", 20), ("short-lottery", 5)])
def test_winning_is_worth_the_rest_of_the_episode(name: str, H: int) -> None:
    instance = drawn(name)
    truth = instance.truth
    assert truth.V[1, 2] == H - 1
    assert truth.Q[0, 0].tolist() == pytest.approx([0.3 * (H - 1), 0.5 * (H - 1)])
    assert instance.start[0] <= 0.25
    assert instance.start.sum() == pytest.approx(1.0)


@pytest.mark.full
def test_a_bonus_without_the_range_is_found_on_a_rare_choice() -> None:
    """Of 12 runs of `rare-lottery` with fixed seeds in at least three; in none with the published bonus."""
    claim = planning.optimism(None)
    instance = drawn("rare-lottery")
    quick = replace(instance, public=replace(instance.public, K=400))
    wrong = sum(measure(claim(view)).violations > 0 for seed in range(12) for view in play(_Small, quick, "published", seed)[0])
    assert wrong >= 3
    for seed in range(2):
        assert all(measure(claim(view)).holds for view in play(HoeffdingUCBVI, quick, "published", seed)[0])


class _Small(HoeffdingUCBVI):
    """``1/sqrt(N) + H/N``, the simplified bonus of a library, and no other mistake."""

    def bonus(self, h: int, visits: Any, kernel: Any, following: Any) -> Any:
        return 1.0 / np.sqrt(visits) + self.public.H / visits

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        return 1.0


def test_high_rewards_are_inside_what_theorems_assume() -> None:
    instance = drawn("high-rewards")
    assert (instance.public.low, instance.public.high) == (0.5, 1.0)
    assert measure(assumptions.reward_range(instance)).holds
    assert instance.truth.V[0].min() > instance.public.H / 2


def test_few_features_are_a_linear_mdp() -> None:
    instance = drawn("few-features")
    assert instance.public.d < instance.public.S * instance.public.A
    for assumed in (
        assumptions.linear_kernel,
        assumptions.linear_rewards,
        assumptions.feature_norms,
        assumptions.parameter_norms,
    ):
        assert measure(assumed(instance)).holds


def test_sparse_coins_pay_rarely() -> None:
    instance = drawn("sparse-coins")
    assert sorted(set(instance.truth.reward)) == [0.0, 0.1]
    assert instance.truth.law.support.tolist() == [0.0, 1.0]


def test_why_a_claim_fails_may_depend_on_the_instance() -> None:
    claim = replace(
        guaranteed(HoeffdingUCBVI).claim("optimism"), why="usually", whys={"*-lottery": "rare", "rare-*": "never told"}
    )
    assert (claim.why_on("random"), claim.why_on("rare-lottery")) == ("usually", "rare")
