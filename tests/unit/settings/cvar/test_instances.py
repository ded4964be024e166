from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from verifier.base.errors import ContractError, InternalError
from verifier.base.seeds import stream
from verifier.model.measurement import measure
from verifier_properties.cvar import low_rank_model
from verifier_settings.cvar import CVAR, Instance, augmented, edges, generators, make
from verifier_settings.cvar import instance as instances
from verifier_settings.cvar.instance import beta_law
from verifier_settings.cvar.planning import PLANNING
from verifier_settings.lifelong import LIFELONG

from .laws import cvar
from .runs import generator

BROKEN = {"no-kernel"}
NAMES = [scenario.name for scenario in CVAR.catalogue]


def built(name: str) -> Instance:
    scenario = CVAR.scenario(name)
    assert scenario is not None
    return scenario.build(stream(0, "instance", name))


@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_keeps_the_assumptions_it_says(name: str) -> None:
    instance = built(name)
    public = instance.public
    kernels = measure(low_rank_model.transition_kernels(instance)).holds
    assert kernels == (name not in BROKEN)
    if kernels:
        assert instance.feature_norm.max(initial=0.0) <= 1 + 1e-12
        assert instance.measure_norm.max(initial=0.0) <= math.sqrt(public.d) + 1e-12
    assert measure(low_rank_model.realizability(instance)).holds
    assert measure(low_rank_model.reward_laws(instance)).holds
    assert 0.0 <= instance.truth.fine.cvar <= public.H
    assert public.ridge >= 1.0


def test_names_are_unique_across_settings() -> None:
    names = [scenario.name for setting in (CVAR, PLANNING, LIFELONG) for scenario in setting.catalogue]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_plain(name: str) -> None:
    assert all(isinstance(value, (int, float, str)) for value in CVAR.parameters(built(name)).values())


def test_hidden_arrays_are_blanked() -> None:
    public = CVAR.public(built("low-rank"), frozenset({"reward"}))
    assert np.isnan(public.reward).all()
    assert not np.isnan(public.phi).any()


# Closed forms ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [0.05, 0.2, 0.3])
@pytest.mark.parametrize("tau", [0.1, 0.4, 0.5, 1.0])
def test_one_step(failure: float, tau: float) -> None:
    instance = generators.safe_or_risky(generator(0), failure=failure, tau=tau)
    risky = max(0.0, 1.0 - failure / tau)
    assert instance.truth.fine.cvar == pytest.approx(max(0.5, risky), abs=1e-14)
    if abs(risky - 0.5) > 1e-9:
        assert instance.truth.fine.policy[0, 0, instance.truth.fine.budget] == int(risky > 0.5)


@pytest.mark.parametrize(("H", "tau"), [(1, 0.3), (4, 0.3), (6, 0.05), (6, 1.0)])
def test_binomial_tail_mean(H: int, tau: float) -> None:
    instance = generators.coin_tosses(generator(0), H=H, success=0.7, tau=tau)
    law = stats.binom.pmf(np.arange(H + 1), H, 0.7)
    assert instance.truth.fine.cvar == pytest.approx(cvar(np.arange(H + 1.0), law, tau), abs=1e-13)


def test_below_the_smallest_atom_the_minimum_counts() -> None:
    assert built("worst-case").truth.fine.cvar == pytest.approx(0.0, abs=1e-13)


def test_a_flat_objective() -> None:
    """tau = F(0): the objective is the same at every budget in [0, 1]."""
    objective = built("flat-objective").truth.fine.objective
    np.testing.assert_allclose(objective[:2], 0.0, atol=1e-15)
    assert objective[2] < -0.1


def test_risk_neutral_is_the_mean() -> None:
    instance = built("risk-neutral")
    public, truth = instance.public, instance.truth
    V = np.zeros(public.S)
    for h in reversed(range(public.H)):
        mean = public.reward[h] @ np.arange(public.m + 1) / public.m
        Q = mean + (truth.P[h] @ V if h < public.H - 1 else 0.0)
        V = Q.reshape(public.S, public.A).max(axis=1)
    assert truth.fine.cvar == pytest.approx(V[0], abs=1e-13)
    assert truth.fine.objective[-1] == pytest.approx(V[0], abs=1e-13)  # any budget beyond the largest return will do


def test_the_budget_decides_the_second_action() -> None:
    instance = generators.budget_switch(generator(0))
    public, truth = instance.public, instance.truth
    assert truth.fine.cvar == pytest.approx(15 / 16, abs=1e-14)
    fixed = []
    for a in range(2):
        policy = np.full((2, 1, public.fine.N + 1), a)
        law = augmented.return_law(truth.P, public.reward, policy, np.array(0), 0, public.fine, 1)
        fixed.append(cvar(public.fine.levels, law, public.tau))
    assert max(fixed) == pytest.approx(7 / 8, abs=1e-14)


def test_the_lock_and_its_bait() -> None:
    instance = generators.lock(generator(1), H=5, A=3, K=1)
    assert instance.truth.fine.cvar == pytest.approx(1 - (1 - 0.98**4) / 0.3)
    assert instance.truth.fine.cvar > 0.5  # the bait


def test_the_room_is_worth_eleven_and_safety_half_of_it() -> None:
    instance = generators.clip(generator(0), K=1)
    public, truth = instance.public, instance.truth
    assert truth.fine.cvar == pytest.approx(11.0)
    decoy = instances.planned(public.kernels[0], public.reward, None, public, public.fine)
    assert decoy.cvar == pytest.approx(5.5)  # in the decoy safety is best
    differ = np.abs(public.kernels[0] - public.kernels[1]).sum(axis=2)
    assert np.count_nonzero(differ.any(axis=1)) == 1
    assert differ[2, 3:6].min() == 2.0
    assert differ.sum() == 6.0


# Models ------------------------------------------------------------------------------------------------------------------


def test_twins_are_the_same_kernels() -> None:
    for name in ("twins", "skewed-twins"):
        kernels = built(name).public.kernels
        np.testing.assert_allclose(kernels[:4], kernels[4:], atol=1e-14)


def test_the_measure_norm_is_the_maximum_over_the_cube() -> None:
    instance = edges.twins(generator(3))
    psi, S = instance.public.psi, instance.public.S
    assert (psi < 0).any()
    for g in generator(4).random((200, S)):
        assert (np.linalg.norm(psi @ g, axis=-1) <= instance.measure_norm + 1e-12).all()
    widened = replace(instance.public, S=instances.LARGEST_ENUMERATION + 1)
    bound = Instance(widened, instance.truth).measure_norm
    assert (bound >= instance.measure_norm - 1e-12).all()


def test_assumptions_can_fail() -> None:
    instance = edges.small(generator(0))
    public = instance.public
    longer = Instance(replace(public, phi=2 * public.phi, psi=public.psi / 2), instance.truth)
    assert longer.feature_norm.max() > 1.5
    heavier = Instance(replace(public, psi=2 * public.psi), instance.truth)
    assert heavier.measure_norm.max() > 1.5 * math.sqrt(public.d)
    assert measure(low_rank_model.transition_kernels(heavier)).value == pytest.approx(1.0)
    assert measure(low_rank_model.realizability(heavier)).value > 0.1
    twice = Instance(replace(public, reward=2 * public.reward), instance.truth)
    assert measure(low_rank_model.reward_laws(twice)).value == pytest.approx(1.0)


# Continuous rewards --------------------------------------------------------------------------------------------------


def test_beta_laws_are_differences_of_the_cdf() -> None:
    parameters = np.array([[[0.7, 2.0], [3.0, 1.5]]])
    law = beta_law(parameters, 5)
    assert law.sum(axis=2) == pytest.approx(1.0)
    assert (law[..., 0] == 0).all()
    for x, (a, b) in enumerate(parameters[0]):
        for j in range(1, 6):
            assert law[0, x, j] == pytest.approx(integrate.quad(stats.beta(a, b).pdf, (j - 1) / 5, j / 5)[0], abs=1e-7)


def test_the_bracket_holds_the_truth_and_shrinks() -> None:
    """One step, one action: CVaR* is the tail mean of the Beta law itself."""
    parameters, tau = np.array([[[0.7, 2.0]]]), 0.3
    exact = integrate.quad(stats.beta(0.7, 2.0).ppf, 0, tau)[0] / tau
    for m in (10, 40, 160):
        instance = make(phi=np.zeros((1, 0, 1, 1)), psi=np.zeros((1, 0, 1, 1)), index=[], A=1, K=1, tau=tau, beta=parameters, m=m)
        assert instance.truth.bracket == 1 / m
        assert instance.truth.fine.cvar - 1 / m <= exact <= instance.truth.fine.cvar


def test_finer_brackets_are_nested() -> None:
    sizes: dict[str, Any] = {"S": 3, "A": 2, "d": 2, "H": 3, "q": 2, "size": 2, "K": 1, "tau": 0.3}
    coarse, fine = (generators.continuous(generator(2), m=m, **sizes) for m in (12, 60))
    assert fine.truth.fine.cvar <= coarse.truth.fine.cvar
    assert fine.truth.fine.cvar - fine.truth.bracket >= coarse.truth.fine.cvar - coarse.truth.bracket


# Errors ------------------------------------------------------------------------------------------------------------------


def test_what_does_not_fit_is_refused() -> None:
    public = edges.small(generator(0)).public
    good: dict[str, Any] = {
        "phi": public.phi, "psi": public.psi, "index": [0, 0], "A": 2, "K": 3, "tau": 0.3, "reward": public.reward,
    }  # fmt: skip
    make(**good)
    for wrong, words in (
        ({"index": [0]}, "index of length 1"),
        ({"A": 3}, "do not fit A = 3"),
        ({"psi": public.psi[:, :1]}, "expected"),
        ({"q": 3}, "1 <= q <= m = 2"),
        ({"tau": 0.0}, "tau = 0.0"),
        ({"start": 3}, "a state below 3"),
        ({"delta": 1.0}, "delta = 1.0"),
        ({"K": 0}, "K = 0"),
        ({"reward": None}, "give either"),
        ({"beta": np.ones((3, 6, 2))}, "give either"),
        ({"beta": np.ones((3, 6, 2)), "reward": None}, "give either"),
    ):
        with pytest.raises(ContractError, match=words):
            make(**{**good, **wrong})


def test_disagreeing_routes_to_the_truth_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    public = edges.small(generator(0)).public
    original = augmented.optimal

    def wrong(*arguments: Any) -> tuple[np.ndarray, np.ndarray]:
        V, policy = original(*arguments)
        return V + 1e-6, policy

    monkeypatch.setattr(augmented, "optimal", wrong)
    with pytest.raises(InternalError, match="two routes"):
        make(phi=public.phi, psi=public.psi, index=[0, 0], A=2, K=3, tau=0.3, reward=public.reward)


def test_a_hopeless_problem_is_worth_nothing_whatever_is_played() -> None:
    truth = edges.hopeless(generator(0)).truth
    assert truth.fine.cvar == 0
    assert truth.fine.budget == 0


def test_a_random_start_is_one_law_whatever_is_played() -> None:
    instance = edges.drawn_start(generator(0))
    first = instance.truth.P[0]
    assert np.ptp(first, axis=0).max() < 1e-15
    assert (first[0] > 0).sum() > 1
    assert instance.public.start == instance.public.S - 1
    assert (instance.public.reward[0, :, 0] == 1).all()


def test_budgets_above_the_horizon_are_best_where_the_step_does_not_divide() -> None:
    planned = edges.sure_reward(generator(0)).truth.coarse
    assert planned.grid.levels[planned.budget] > planned.grid.H


def test_every_unit_of_the_budget_decides_in_the_fine_switch() -> None:
    """The best second action is the other one with each unit, by more than rounding, and some product with m is rounded up."""
    public = edges.fine_switch(generator(0), m=25).public
    m, (first, second) = public.m, public.reward[1]
    left = np.arange(1, m + 1)[:, None] - np.arange(m + 1)
    gap = np.maximum(left, 0.0) @ (first - second)
    assert (np.sign(gap) == np.where(np.arange(m) % 2, -1.0, 1.0)).all()
    assert np.abs(gap).min() > 1 / (3 * m)
    paid = np.flatnonzero(public.reward[0, 0])
    assert [j for j in paid.tolist() if math.ceil(j / m * m) > j] == [7, 14]
    assert not any(math.ceil(j / n * n) > j for n in range(1, m) for j in range(n + 1))
