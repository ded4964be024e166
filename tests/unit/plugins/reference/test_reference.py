"""UCBVI and LSVI-UCB: constants against written-out proofs, and small cases by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from verifier.campaign.selection import scenarios_of
from verifier.plugins.registry import registry
from verifier_properties.episodic import tabular_model
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.shared import bernstein, constants, q_learning
from verifier_reference.ucb_bernstein.algorithm import C1, C2, BernsteinQLearning
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic import EPISODIC, bonuses, generators

from ....installed import guaranteed
from ...settings.episodic.runs import play, small


def test_the_absolute_constant_covers_the_proof() -> None:
    """On every instance that it runs on, and for sizes from the smallest on; 4 would not do."""
    publics = [scenario.draw(0).public for scenario in scenarios_of(LSVIUCB, registry())]
    publics += [
        generators.arms(rewards=(0.5,) * d, H=H, K=K).public
        for d, H, K in itertools.product((1, 2, 8), (1, 2, 10), (1, 10, 1000))
    ]
    needed = [constants.explicit_width(public) * constants.C_BETA / constants.beta(public) for public in publics]
    assert max(needed) <= constants.C_BETA
    assert max(needed) > 4.0


@pytest.mark.parametrize("algorithm", [HoeffdingUCBVI, BernsteinUCBVI])
def test_the_plan_by_hand(algorithm: type[HoeffdingUCBVI] | type[BernsteinUCBVI]) -> None:
    """One state, one action, H = 1: Q is H at first, then r + bonus, cut at 1."""
    instance = generators.arms(rewards=(0.25,), H=1, K=3)
    (view,), _ = play(algorithm, instance, "scaled(0.001)")
    L = math.log(5 * 3 / 0.1)
    one = 7 * L if algorithm is HoeffdingUCBVI else 14 * L / 3 + math.sqrt(8)
    two = 7 * L / math.sqrt(2) if algorithm is HoeffdingUCBVI else 14 * L / 6 + math.sqrt(4)
    assert view.Q.ravel().tolist() == pytest.approx([1.0, 0.25 + 1e-3 * one, 0.25 + 1e-3 * two])
    assert view.V[:, 1].max() == 0.0


def test_the_regression_by_hand() -> None:
    instance = generators.arms(rewards=(0.5,), H=1, K=3)
    (view,), _ = play(LSVIUCB, instance, "scaled(0.01)")
    beta = 0.01 * constants.beta(instance.public)
    k = np.arange(3)
    assert view.Q.ravel().tolist() == pytest.approx(list(np.minimum(0.5 * k / (1 + k) + beta / np.sqrt(1 + k), 1.0)))


def test_two_codes_for_one_bonus() -> None:
    (view,), _ = play(BernsteinUCBVI, small(K=40), "published")
    formula, rounding = tabular_model.BERNSTEIN.value(view), tabular_model.BERNSTEIN.rounding(view)
    difference = np.where(view.seen[:, None], view.reported("bonus") - np.minimum(formula, 1e9), 0.0)
    assert (np.abs(difference) <= rounding).all()
    assert np.median(rounding) < 1e-6
    oracle = bonuses.bernstein(view.public, view.kernel[:, None], view.visits[:, None], view.arrivals, view.following)
    seen = np.broadcast_to(view.seen[:, None], formula.shape)
    assert (view.width[..., None] * oracle)[seen] == pytest.approx(formula[seen])
    assert bonuses.hoeffding_width(view.public) == HoeffdingUCBVI.published_width(view.public, "hoeffding")


@pytest.mark.parametrize("algorithm", [HoeffdingUCBVI, BernsteinUCBVI])
def test_it_learns(algorithm: type[HoeffdingUCBVI]) -> None:
    """With a small part of the bonus, regret in the second half of the run is below that in the first."""
    _, run = play(algorithm, generators.river(S=4, H=8, K=150), "scaled(0.01)")
    regret = run.series.regret
    assert regret[75:].sum() < 0.7 * regret[:75].sum()


def test_the_curves_of_scaling_claims_are_those_of_the_theorems() -> None:
    """K and the scale of the width in the right places, and rates that are the first terms of the bounds, up to a factor."""
    public = generators.lock(np.random.default_rng(0), H=3, A=3, K=2000).public
    bounds = (constants.regret_hoeffding, constants.regret_bernstein, constants.regret_linear)
    for algorithm, bound in zip((HoeffdingUCBVI, BernsteinUCBVI, LSVIUCB), bounds, strict=True):
        for claim in guaranteed(algorithm).scaling:
            assert claim.horizon is not None
            assert claim.horizon.bound(public, 0.004, 500) == bound(public, 500, 0.004)
            assert claim.horizon.trivial(public, 0.004, 500) == 1500
    assert guaranteed(HoeffdingUCBVI).scaling[0].rate.at(public, 400) == pytest.approx(20 * math.log(5 * 3 * 12 * 1200 / 0.1))
    assert guaranteed(LSVIUCB).scaling[0].rate.at(public, 400) == pytest.approx(20 * math.log(2 * 12 * 1200 / 0.1))


def test_the_constant_of_q_learning_covers_its_proof() -> None:
    """The union bound over (x, a, h) and t, with the exact sums of squares of (b) in Lemma 4.1: p/2 where there is noise."""
    for scenario in EPISODIC.catalogue:
        public = scenario.draw(0).public
        if 1 in (public.S, public.H):
            continue
        t = np.arange(1, public.K + 1)
        rate = (public.H + 1) / (public.H + t)
        squares = np.array([0.0, *itertools.accumulate(rate, lambda old, a: (1 - a) ** 2 * old + a**2, initial=0.0)])[2:]
        deviation = q_learning.hoeffding_width(public) / np.sqrt(t)
        pairs = public.S * public.A * public.H
        failure = pairs * float((2 * np.exp(-2 * deviation**2 / (public.H**2 * squares))).sum())
        assert failure <= public.delta / 2, scenario.name
        assert HoeffdingQLearning.published_width(public, "update") == pytest.approx(q_learning.hoeffding_width(public))


def test_the_bound_on_the_regret_of_q_learning_by_hand() -> None:
    public = generators.arms(rewards=(0.5, 1.0), H=2, K=100).public
    width = math.sqrt(2 * 8 * math.log(2 * 200 / 0.1))
    steps = 1 + 1.5
    expected = steps * (4 + 8 * width * math.sqrt(200)) + 2 * math.sqrt(100 * (1 + 2.25) * math.log(20) / 2)
    assert q_learning.regret(public, 100) == pytest.approx(expected)


def test_the_constants_of_the_bernstein_bonus_cover_its_proof() -> None:
    """On every instance with noise: the union bound of the three events, and the terms of the first arm for some l."""
    assert (C1, C2) == (bernstein.C1, bernstein.C2)
    assert math.sqrt(2) <= C2 / 2
    for scenario in EPISODIC.catalogue:
        public = scenario.draw(0).public
        if 1 in (public.S, public.H):
            continue
        S, A, H, iota = public.S, public.A, public.H, bernstein.logarithm(public)
        assert BernsteinQLearning.published_width(public, "update") == pytest.approx(iota)
        assert S * A * public.T * 6 * math.exp(-2 * iota) <= public.delta / 2, scenario.name
        assert covers(S * A, H, iota, np.arange(2.0, public.K + 2.0))
    assert covers(2, 2, math.log(4), np.geomspace(2, 1e12, 200))
    assert not covers(2, 2, math.log(4), np.geomspace(2, 1e12, 200), C1 / 2)


def covers(pairs: int, H: int, iota: float, t: np.ndarray, c1: float = C1) -> bool:
    """Whether the terms of the noise are at most half of the first arm, for every variance, after t > 1 visits.

    X = sqrt(H^2 iota / t) and Y as in the docstring of the constants; D_t by its sums. Largest where sqrt(W) : sqrt(H) is 4 : x.
    """
    steps = (1 + 1 / H) ** np.arange(H - 1)
    leads = pairs * H * steps.sum() + 2 * C2 * np.sqrt(H**3 * iota * pairs * t) * np.sqrt(steps).sum()
    Y = np.sqrt(float(H) ** 7 * pairs) * iota / t
    others = 8 * H**1.5 * iota / t + 4 * H * np.sqrt(iota * leads) / t + 4 * H**2 * iota / (3 * t)
    W = np.concatenate([[0.0], np.geomspace(1e-4, H**2 / 4, 60)])[:, None]
    return bool((4 * np.sqrt(H * W * iota / t) + others <= c1 / 2 * (np.sqrt(H * (W + H) * iota / t) + Y)).all())


def test_the_bound_on_the_regret_of_the_bernstein_bonus() -> None:
    """The second arm by hand; the first is the smaller one for long runs, and its rate has no H^4 in it."""
    public = generators.arms(rewards=(0.5, 1.0), H=2, K=100).public
    iota = math.log(2 * 200 / 0.1)
    noise = 2 * math.sqrt(100 * (1 + 2.25) * math.log(80) / 2)
    assert bernstein.regret(public, 100) == pytest.approx(2.5 * 4 + 2.5 * 2 * 16 * math.sqrt(8 * iota * 200) + noise)
    assert bernstein.first_arm(public, 100) > bernstein.second_arm(public, 100)
    long = small(H=60).public
    K = 1e18
    assert bernstein.first_arm(long, K) < bernstein.second_arm(long, K)
    leading = bernstein.first_arm(long, K) / math.sqrt(long.H**4 * long.S * long.A * K * bernstein.iota(long, K))
    assert 2 * C1 < leading < 6 * math.e * C1
