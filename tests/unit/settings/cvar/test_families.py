"""Families of CVaR instances in every size: the closed forms they were made for."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.base.errors import UsageError
from verifier_settings.cvar import CVAR, augmented
from verifier_settings.cvar.augmented import cvar_of_laws
from verifier_settings.cvar.planning import PLANNING


@pytest.mark.parametrize("n", [2, 3, 10, 20])
def test_near_ties_lose_one_step_of_the_grid_but_for_one_of_the_rewards(n: int) -> None:
    scenario = CVAR.scenario(f"grid-steps[n={n}]")
    assert scenario is not None
    instance = scenario.draw(0)
    public, coarse = instance.public, instance.truth.coarse
    law = augmented.return_law(
        instance.truth.P,
        public.reward,
        coarse.policy[None],
        np.array([coarse.budget]),
        public.start,
        public.coarse,
        public.S,
    )
    lost = instance.truth.fine.cvar - cvar_of_laws(public.fine.levels, law, public.tau)[0]
    assert public.ups == pytest.approx(1 / n)
    assert instance.truth.fine.cvar == pytest.approx(public.H)
    assert lost == pytest.approx(public.H * (1 / n - 1 / 60))


def test_a_step_that_does_not_divide_is_refused() -> None:
    scenario = CVAR.scenario("grid-steps[n=7]")
    assert scenario is not None
    with pytest.raises(UsageError, match="a divisor of 60"):
        scenario.draw(0)


def test_members_differ_in_nothing_but_their_size() -> None:
    for setting, family, sizes in ((CVAR, "bait[K={}]", (300, 600)), (PLANNING, "bait-rounds[T1={}]", (100, 200))):
        first, second = (setting.scenario(family.format(size)).draw(3) for size in sizes)  # type: ignore[union-attr]  # there
        assert (first.public.phi == second.public.phi).all()


@pytest.mark.parametrize("n", [1, 4])
def test_the_lock_that_always_opens_is_worth_it_at_every_risk_level(n: int) -> None:
    scenario = CVAR.scenario(f"tails[n={n}]")
    assert scenario is not None
    instance = scenario.draw(0)
    assert instance.public.tau == pytest.approx(1 / n)
    assert instance.truth.fine.cvar == pytest.approx(1.0)
