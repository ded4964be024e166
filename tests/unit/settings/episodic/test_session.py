"""The episodic setting: transcript, plans, oracle widths, truth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_properties.episodic import tabular_model
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC, EpisodicPlan, make

from ..forward import occupancy
from .runs import play, session, small

ALGORITHMS = (HoeffdingUCBVI, BernsteinUCBVI, LSVIUCB)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_batches_change_nothing(algorithm: type[Any]) -> None:
    whole, run = play(algorithm, small())
    parts, other = play(algorithm, small(), batch=5)
    assert (len(whole), len(parts)) == (1, 3)
    for name in ("Q", "V", "counts", "previous", "width"):
        assert np.array_equal(getattr(whole[0], name), np.concatenate([getattr(part, name) for part in parts]))
    assert np.array_equal(run.series.regret, other.series.regret)


def test_counts_are_those_of_the_transcript() -> None:
    (view,), run = play(HoeffdingUCBVI, small())
    expected = np.zeros(view.counts.shape[1:])
    for k in range(view.public.K):
        assert np.array_equal(view.counts[k], expected)
        for h in range(view.public.H):
            row = run.states[k, h] * view.public.A + run.actions[k, h]
            expected[h, row, run.states[k, h + 1]] += 1
    assert np.array_equal(view.arrivals, view.counts.sum(axis=2))
    assert (view.previous[0] == view.public.H).all()
    assert np.array_equal(view.previous[1:], view.Q[:-1])


def test_regret_from_occupancies() -> None:
    (view,), run = play(HoeffdingUCBVI, small(anywhere=True))
    truth = view.truth
    for k in range(view.public.K):
        start = int(run.states[k, 0])
        mass = occupancy(truth.kernel, view.policy[k], start)
        assert run.series.regret[k] == pytest.approx(truth.V[0, start] - (mass * truth.reward).sum())


@pytest.mark.parametrize(
    ("algorithm", "formula"), [(HoeffdingUCBVI, tabular_model.HOEFFDING), (BernsteinUCBVI, tabular_model.BERNSTEIN)]
)
def test_the_oracle_width_is_the_least_that_covers_the_error(
    algorithm: type[HoeffdingUCBVI], formula: tabular_model.Bonus
) -> None:
    (view,), _ = play(algorithm, small(K=30))
    bonus = formula.value(view)
    assert (np.abs(view.kernel_error) <= bonus).all()
    tight = np.where(view.seen[:, None], np.abs(view.kernel_error) / np.where(view.seen[:, None], bonus, 1.0), 0.0).max(axis=2)
    wide = view.width > 1e-6
    assert wide.any()
    assert (tight[wide] > 0.99).all()


def test_the_oracle_width_of_a_regression_is_its_error() -> None:
    (view,), _ = play(LSVIUCB, small(K=30))
    error = view.reported("estimate") - view.parameter
    norms = np.sqrt(np.einsum("phi,phij,phj->ph", error, view.gram_replay, error))
    assert np.allclose(norms, view.width, rtol=1e-6, atol=1e-8)
    assert view.event.all()


def test_hidden_rewards_are_not_a_number() -> None:
    assert np.isnan(EPISODIC.public(small(), frozenset({"reward"})).reward).all()


def _zeros(**changes: Any) -> EpisodicPlan:
    plan = EpisodicPlan(Q=np.zeros((3, 3, 2)), V=np.zeros((4, 3)), policy=np.zeros((3, 3), dtype=int))
    return replace(plan, **changes)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ("no plan", "got str"),
        (_zeros(Q=np.zeros((3, 2, 3))), "`Q` has shape (3, 2, 3), expected (3, 3, 2)"),
        (_zeros(V=np.full((4, 3), np.nan)), "`V` is nan"),
        (_zeros(policy=np.full((3, 3), 2)), "`policy` has an entry outside 0..1"),
        (_zeros(policy=np.zeros((3, 3))), "`policy` has dtype float64, expected integers"),
        (
            _zeros(bonus=np.full((3, 6), np.inf)),
            "`bonus` is inf at (0, 0), expected a finite number; where the formula is, as at",
        ),
        (_zeros(), "`visits` is None"),
    ],
)
def test_a_plan_that_is_none(plan: Any, words: str) -> None:
    opened = session(small(), HoeffdingUCBVI)
    if "visits" not in words:
        opened._yields = frozenset()
    opened.environment.begin_episode()
    with pytest.raises(ContractError, match="episode 1") as caught:
        opened.observe(plan, {})
    assert words in str(caught.value)


def test_protocol() -> None:
    opened = session(small(), LSVIUCB)
    with pytest.raises(ContractError, match="before begin_episode"):
        opened.observe(_zeros(), {})
    with pytest.raises(ContractError, match="ended after 0 of K = 12"):
        opened.finish()
    with pytest.raises(ContractError, match="the width of 'x'"):
        opened.oracle("x", 0, np.zeros(3))
    with pytest.raises(ContractError, match="value function of shape"):
        opened.oracle("regression", 0, np.zeros(2))
    opened.environment.begin_episode()
    with pytest.raises(ContractError, match="expected an action"):
        opened.environment.step(2)


@pytest.mark.parametrize(
    ("P", "reward", "words"),
    [
        (np.eye(2), np.zeros(3), "expected"),
        (np.full((2, 2), 0.4), np.zeros(2), "no probability law"),
        (np.eye(2), np.array([0.0, np.nan]), "not finite"),
    ],
)
def test_tables_that_are_none(P: Any, reward: Any, words: str) -> None:
    with pytest.raises(ContractError, match=words):
        make(P, reward, H=2, K=2)


def test_rewards_outside_the_declared_range() -> None:
    with pytest.raises(ContractError, match="outside the declared range"):
        make(np.eye(2), np.array([0.0, 2.0]), H=2, K=2, span=(0.0, 1.0))


@pytest.mark.parametrize("scenario", EPISODIC.catalogue, ids=lambda scenario: scenario.name)
def test_the_catalogue_is_drawn_from_its_seed(scenario: Any) -> None:
    one, same = scenario.draw(3), scenario.draw(3)
    assert np.array_equal(one.truth.P, same.truth.P)
    assert one.public.low <= one.truth.reward.min() <= one.truth.reward.max() <= one.public.high
    mass = np.zeros(one.public.S)
    mass[:] = one.start
    assert mass.sum() == pytest.approx(1.0)
