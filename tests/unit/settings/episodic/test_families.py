"""Families of episodic instances in every size: what they were made for."""

from __future__ import annotations

import pytest

from verifier_settings.episodic import EPISODIC, Instance


def _lock(K: int, seed: int = 0) -> Instance:
    scenario = EPISODIC.scenario(f"lock[K={K}]")
    assert scenario is not None
    return scenario.draw(seed)


def test_members_differ_in_nothing_but_their_size() -> None:
    first, second = _lock(250, seed=3), _lock(2000, seed=3)
    assert (first.public.K, second.public.K) == (250, 2000)
    assert (first.truth.P == second.truth.P).all()
    assert (first.public.reward == second.public.reward).all()
    assert (first.public.phi == second.public.phi).all()


@pytest.mark.parametrize("seed", range(3))
def test_the_lock_is_worth_opening_and_giving_up_is_what_is_seen_first(seed: int) -> None:
    """Two positions open with probability 0.95 each; in state 0 two of three actions pay 0.35 at once, and nothing after."""
    instance = _lock(250, seed)
    values = sorted(instance.truth.Q[0, 0])
    assert values == pytest.approx([0.35, 0.35, 0.95**2])


def test_what_is_no_member_is_none() -> None:
    assert EPISODIC.scenario("lock[T=250]") is None
    assert EPISODIC.scenario("river[K=250]") is None
