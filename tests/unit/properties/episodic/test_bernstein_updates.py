"""Q-learning with a variance in its bonus: each property goes red where its statement is made false, green where nothing is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.model.measurement import measure
from verifier.model.regime import Regime
from verifier.trials.trial import claims_in
from verifier_properties.episodic.bernstein_updates import lead_sum, variance
from verifier_reference.shared.bernstein import C1, C2, ReferenceUpdateError, ReferenceUpdates
from verifier_reference.ucb_bernstein.algorithm import BernsteinQLearning
from verifier_settings.episodic import Instance, Public, Run, generators

from ....installed import guaranteed
from ...settings.episodic.runs import play, small
from .test_q_learning import by_step, field

ORACLES = {"update": ReferenceUpdateError}


def whole(regime: str = "oracle", instance: Instance | None = None) -> Run:
    return play(BernsteinQLearning, instance or generators.river(S=4, H=6, K=40), regime, oracles=ORACLES)[1]


@pytest.mark.parametrize("regime", BernsteinQLearning.regimes)
def test_nothing_is_violated(regime: str) -> None:
    for instance in (small(K=40), by_step(), generators.arms(rewards=(0.0, 1.0), H=2, K=10), small(K=1)):
        views, run = play(BernsteinQLearning, instance, regime, batch=7, oracles=ORACLES)
        for claim in claims_in(guaranteed(BernsteinQLearning), Regime.parse(regime)):
            for view in {"phase": views, "run": [run], "fork": []}[claim.property.scope]:
                found = measure(claim.property(view))
                assert found.holds, (claim.name, found)


RED: dict[str, tuple[str, Callable[[Run], dict[str, Any]]]] = {
    "variance": ("oracle", field("variance", lambda variance: 1.001 * variance)),
    "beta": ("oracle", field("beta", lambda beta: 1.001 * beta)),
    "bonus-formula": ("oracle", field("bonus", lambda bonus: 1.001 * bonus)),
    "bonus-sum": ("oracle", field("bonus", lambda bonus: 1.001 * bonus)),
    "q-formula": ("oracle", lambda run: {"applied": 1.001 * run.applied}),
    "variance-estimate": ("published", field("variance", lambda variance: variance + 1e4)),
    "confidence-event": ("published", field("rate", lambda rate: 1e4 * rate)),
    "lead-sum": ("scaled(1e-06)", lambda run: {"applied": 0.0 * run.applied, **field("V", lambda V: V + 1e3)(run)}),
}


@pytest.mark.parametrize("claim", RED)
def test_statements_about_the_run_can_fail(claim: str) -> None:
    regime, change = RED[claim]
    statement = guaranteed(BernsteinQLearning).claim(claim).property
    # without noise the event holds whatever the width is; with it, only if there is any
    instance = {"lead-sum": generators.cycle(S=2, H=4, K=40), "confidence-event": small(K=40)}.get(claim)
    run = whole(regime, instance)
    tampered = replace(run, **change(run))
    assert measure(statement(run)).holds
    assert measure(statement(run)).comparisons > 0
    assert not measure(statement(tampered)).holds


def test_both_arms_are_compared() -> None:
    """In the regimes with another width than the published one either arm of beta is the smaller one somewhere."""
    for regime in ("scaled(1e-06)", "oracle"):
        found = ReferenceUpdates.of(whole(regime, generators.river(S=5, H=10, K=60)))
        second = _second_arm(found.public, found.width, found.t)
        first = (found.beta < (1 - 1e-9) * second) & (_variance(found) > 1e-6)
        assert first.mean() > 0.02
        assert np.isclose(found.beta, second, rtol=1e-14).mean() > 0.02


def _second_arm(public: Public, iota: Array | float, t: Array | float) -> Array:
    return np.asarray(C2 * np.sqrt(float(public.H) ** 3 * iota / t))


def _variance(found: ReferenceUpdates) -> Array:
    return np.asarray(variance(found.values_so_far, found.squares_so_far, found.t))


def test_by_hand() -> None:
    """One state, one action, H = 2: V_2 is 2, then 0.25 + b_1, and these are the values whose variance the first step has."""
    _, run = play(BernsteinQLearning, generators.arms(rewards=(0.25,), H=2, K=3), "scaled(1e-06)")
    iota = 1e-6 * math.log(6 / 0.1)
    second = 0.25 + 0.5 * C2 * math.sqrt(8 * iota)  # Q_2 after one update
    W = ((2 - second) / 2) ** 2
    first_arm = C1 * (math.sqrt(2 * (W + 2) * iota / 2) + math.sqrt(2**7) * iota / 2)
    beta = [C2 * math.sqrt(8 * iota), min(first_arm, C2 * math.sqrt(8 * iota / 2))]
    rate = 3 / 4
    bonus = (beta[1] - (1 - rate) * beta[0]) / (2 * rate)
    assert run.history["variance"][:, 0, 0] == pytest.approx([0.0, 0.0, W])
    assert run.history["beta"][1:, 0, 0] == pytest.approx(beta)
    assert run.history["bonus"][1:, 0, 0] == pytest.approx([beta[0] / 2, bonus])
    assert run.history["Q"][2, 0, 0, 0] == pytest.approx((1 - rate) * (2.25 + beta[0] / 2) + rate * (0.25 + second + bonus))


def test_the_variance_is_that_of_the_values() -> None:
    """Variance of the pair visited most, by numpy from the values of the plans in force."""
    found = ReferenceUpdates.of(whole())
    h, values, rows = 2, found.following, found.view.pairs[:-1]
    row = np.bincount(rows[:, h]).argmax()
    visits = np.flatnonzero(rows[:, h] == row)
    for t in range(1, len(visits) + 1):
        assert _variance(found)[visits[t - 1], h] == pytest.approx(values[visits[:t], h].var(), abs=1e-12)


def test_the_oracle_covers_whatever_the_variance_is() -> None:
    """The least iota makes the smaller arm without a variance what is needed, and no less."""
    public = small(K=60).public
    for t in (1, 3, 50):
        for needed in (1e-6, 0.3, 4.0):
            iota = ReferenceUpdates.least_iota(public, t, needed)
            first = C1 * (math.sqrt(public.H**2 * iota / t) + math.sqrt(public.H**7 * public.S * public.A) * iota / t)
            second = float(_second_arm(public, iota, t))
            assert min(first, second) == pytest.approx(needed)
    found = ReferenceUpdates.of(whole())
    assert found.covered.all()
    assert found.mean_bonus == pytest.approx(found.beta / 2)


def test_how_much_values_exceed_by_brute_force() -> None:
    """The bound of a sum of leads step by step, as the docstring of the constants has it."""
    run = whole("scaled(1e-06)", small(K=20))
    found, public = ReferenceUpdates.of(run), run.public

    def direct(h: int, iota: float, n: float) -> float:
        growth = [(1 + 1 / public.H) ** j for j in range(public.H - h)]
        arm, pairs = 2 * C2 * math.sqrt(public.H**3 * iota), public.S * public.A
        return sum(pairs * public.H * w + arm * math.sqrt(w * pairs * n) for w in growth)

    iota = float(found.width.max())
    expected = [[direct(h, iota, float(n)) for h, n in enumerate(row, start=1)] for row in found.t]
    assert lead_sum(ReferenceUpdates)(run).bound == pytest.approx(np.array(expected))
