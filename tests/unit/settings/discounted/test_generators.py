from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.errors import ContractError
from verifier.base.seeds import stream
from verifier_settings.discounted import edges, generators, mixture, solver
from verifier_settings.discounted.catalogue import CATALOGUE
from verifier_settings.discounted.instance import Instance, make

from ..lifelong.runs import generator

EPS = float(np.finfo(float).eps)
NAMES = [scenario.name for scenario in CATALOGUE]

quickly = settings(max_examples=30, deadline=None, database=None, derandomize=True)
gammas = st.sampled_from([0.01, 0.1, 0.5, 0.8, 0.99, 0.999])


def build(name: str, seed: int = 0) -> Instance:
    scenario = next(scenario for scenario in CATALOGUE if scenario.name == name)
    return scenario.build(stream(seed, "instance", name))


def bound(instance: Instance) -> float:
    return instance.public.B


def check(instance: Instance) -> None:
    """All that must hold of any instance: shapes, laws, ranges, the linear structure and the values.

    Rows of P are sums of X numbers, and of d products in mixtures, each off by eps: hence (X + d + 4) eps. On the two sides of
    P = psi theta four products meet (scale, rotation, weights, sum), of terms as large as ||psi(x,a,x')|| ||theta||.
    """
    public, truth = instance.public, instance.truth
    X, A, d = public.X, public.A, public.d
    assert truth.P.shape == (X * A, X)
    assert public.psi.shape == (X * A, X, d)
    assert public.reward.shape == public.initial_policy.shape == truth.Q.shape == (X, A)
    assert truth.start.shape == truth.V.shape == truth.policy.shape == (X,)
    assert truth.theta.shape == (d,)
    slack = (X + d + 4) * EPS
    for law in (truth.P, truth.start, public.initial_policy):
        assert law.min() >= 0.0
        np.testing.assert_allclose(law.sum(axis=-1), 1.0, atol=slack + A * EPS)
    assert public.reward.min() >= 0.0
    assert public.reward.max() <= 1.0
    if d:
        scale = max(float(np.linalg.norm(public.psi, axis=2).max() * np.linalg.norm(truth.theta)), 1.0)
        np.testing.assert_allclose(public.psi @ truth.theta, truth.P, atol=4 * slack * scale)
        assert mixture.largest_norms(public.psi).exact
    else:
        assert np.isinf(public.B)
    for array in (truth.P, truth.start, truth.theta, public.psi, public.reward, public.initial_policy):
        assert not array.flags.writeable
    tolerance = 4 * solver.rounding(X, public.gamma)
    assert instance.optimal_return == pytest.approx((1 - public.gamma) * truth.start @ truth.V, abs=tolerance)
    other = solver.occupancy(truth.P, public.initial_policy, truth.start, public.gamma)
    assert (other * public.reward).sum() <= instance.optimal_return + tolerance


@pytest.mark.parametrize("name", NAMES)
def test_every_instance_is_a_discounted_mdp(name: str) -> None:
    for seed in range(1 if name == "mixture-large" else 8):
        check(build(name, seed))


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("mixture-")])
def test_the_mixture_assumption_holds_but_on_the_negative_control(name: str) -> None:
    for seed in range(1 if name == "mixture-large" else 8):
        instance = build(name, seed)
        public = instance.public
        assert mixture.holds(public.psi, instance.truth.theta, public.B) is (name != "mixture-short-bound"), seed
        if name != "mixture-loose-bound":  # the declared bound is the smallest one
            assert mixture.holds(public.psi, instance.truth.theta, public.B * (1 - 1e-9)) is False


def test_names_and_descriptions() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for scenario in CATALOGUE:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", scenario.name)
        assert (build(scenario.name).public.d > 0) == scenario.name.startswith("mixture-")
        assert 0 < len(scenario.description) <= 100
        assert scenario.description[-1] != "."
        again = pickle.loads(pickle.dumps(scenario)).build(stream(0, "instance", scenario.name))
        np.testing.assert_array_equal(again.truth.P, build(scenario.name).truth.P)
    assert [scenario.name for scenario in CATALOGUE if scenario.showcase] == ["bandit"]


def test_one_look_at_every_quick_instance_takes_seconds() -> None:
    """At 60 us for an epoch and 3 us for a step, in every regime of three; three long runs are the price of learning."""
    cost = {}
    for scenario in CATALOGUE:
        public = build(scenario.name).public
        epochs = 1 + (1 - public.gamma) * (public.T - 1)
        runs = 3 if scenario.regimes == ("*",) else len(scenario.regimes)
        cost[scenario.name] = runs * (60e-6 * epochs + 3e-6 * (public.T + public.gamma * public.H))
    quick = {scenario.name: cost[scenario.name] for scenario in CATALOGUE if scenario.tier == "quick"}
    assert quick.pop("bandit") < 6
    assert quick.pop("random-half") < 3
    assert quick.pop("confidence") < 0.3
    assert max(quick.values()) < 0.15
    assert sum(quick.values()) < 2


# -- closed forms -----------------------------------------------------------------------------------------------------


@quickly
@given(st.integers(1, 9), gammas)
def test_river(X: int, gamma: float) -> None:
    instance = generators.river(X=X, gamma=gamma, T=10)
    check(instance)
    P = instance.truth.P.reshape(X, 2, X)
    np.testing.assert_array_equal(P[:, generators.LEFT].argmax(axis=1), np.maximum(np.arange(X) - 1, 0))
    if X > 2:
        assert P[0, 1, :2].tolist() == [0.4, 0.6]
        assert P[1, 1, :3].tolist() == [0.05, 0.6, 0.35]
        assert P[-1, 1, -2:].tolist() == [0.4, 0.6]
    assert instance.public.reward[0, 0] == 0.05
    assert instance.public.reward[-1, 1] == 1.0
    assert instance.public.reward.sum() == 1.05


def test_swimming_right_pays_only_for_the_patient() -> None:
    """With gamma small the reward at hand is best at the near end; with gamma near 1 the far end is."""
    assert generators.river(X=5, gamma=0.1, T=1).truth.policy[0] == generators.LEFT
    assert (generators.river(X=5, gamma=0.8, T=1).truth.policy == generators.RIGHT).all()
    assert (generators.river(X=4, gamma=0.9, T=1).truth.policy == generators.RIGHT).all()


@quickly
@given(st.integers(1, 9), gammas)
def test_river_mixture(X: int, gamma: float) -> None:
    instance = generators.river_mixture(X=X, gamma=gamma, T=10)
    check(instance)
    assert instance.public.d == 3
    assert bound(instance) == pytest.approx((0.465 * 3) ** 0.25, rel=1e-14)
    assert round(instance.public.B, 3) == 1.087
    if X > 2:
        np.testing.assert_allclose(instance.truth.P.reshape(X, 2, X)[1, 1, :3], [0.05, 0.55, 0.40], atol=1e-15)
        np.testing.assert_allclose(instance.truth.P.reshape(X, 2, X)[-1, 1, -2:], [0.05, 0.95], atol=1e-15)
        np.testing.assert_allclose(instance.truth.P.reshape(X, 2, X)[0, 1, :2], [0.6, 0.4], atol=1e-15)


@pytest.mark.parametrize("gamma", [0.5, 0.8])
def test_doors_are_worth_opening_but_do_not_look_it(gamma: float) -> None:
    instance = generators.doors(gamma=gamma, T=10)
    check(instance)
    assert bound(instance) == pytest.approx((0.625 * 2) ** 0.25, rel=1e-14)
    H = 1 / (1 - gamma)
    np.testing.assert_allclose(instance.truth.Q[0], gamma * H * np.array([0.6, 0.75, 0.25]), rtol=1e-12)
    values = np.array([0.0, 0.6, 1.0, 0.0]) * H
    phi = np.einsum("xyd,y->xd", instance.public.psi, values)
    pairs = [0, *range(3, 12)]  # the safe action, and all that is done after the first step: all that greedy play ever meets
    data = phi[pairs]
    theta = np.linalg.lstsq(data, data @ instance.truth.theta, rcond=None)[0]
    safe, first, second = gamma * phi[:3] @ theta
    assert first == pytest.approx(0.5 * gamma * H)
    assert second == pytest.approx(0.5 * gamma * H)
    assert safe == pytest.approx(0.6 * gamma * H)


@quickly
@given(gammas)
def test_bandit(gamma: float) -> None:
    instance = generators.bandit(gamma=gamma, T=10, rewards=(0.25, 0.75, 0.5), initial_policy=(0.5, 0.1, 0.4))
    check(instance)
    assert instance.truth.V[0] == pytest.approx(0.75 / (1 - gamma), rel=1e-12)
    assert instance.optimal_return == pytest.approx(0.75, rel=1e-12)
    assert instance.truth.policy.tolist() == [1]
    assert instance.public.initial_policy.tolist() == [[0.5, 0.1, 0.4]]


@quickly
@given(st.integers(1, 4), gammas, st.integers(0, 99))
def test_in_the_tree_lemma_a1_is_an_equality(A: int, gamma: float, seed: int) -> None:
    """KL(mu||mu') = H nu(0) KL(pi||pi') = KL(pi||pi') where policies differ in state 0 only, whose mass is 1-g."""
    instance = generators.tree(A=A, gamma=gamma, T=10)
    check(instance)
    pi = np.full((2, A + 1, A), 1 / A)
    pi[:, 0] = generator(seed).dirichlet(np.ones(A), size=2) * 0.9 + 0.1 / A
    mu = solver.occupancy(instance.truth.P, pi, instance.truth.start, gamma)
    state, pair = mu.sum(axis=2), mu
    chain = (state[0] * np.log(state[0] / state[1])).sum() + (pair[0] * np.log(pi[0] / pi[1])).sum()
    local = (pi[0, 0] * np.log(pi[0, 0] / pi[1, 0])).sum()
    assert chain == pytest.approx(local, abs=1e-11)
    np.testing.assert_allclose(state[0], [1 - gamma, *(gamma * pi[0, 0])], atol=1e-12)
    assert instance.optimal_return == pytest.approx(gamma, abs=1e-12)


@quickly
@given(st.integers(1, 6), st.integers(1, 3), gammas)
def test_paths_and_absorbing_states(X: int, A: int, gamma: float) -> None:
    path = generators.path(X=X, A=A, gamma=gamma, T=10)
    check(path)
    reached = gamma ** np.arange(X) * np.where(np.arange(X) < X - 1, 1 - gamma, 1.0)
    np.testing.assert_allclose(path.optimal_occupancy.sum(axis=1), reached, atol=1e-12)
    as_mixture = generators.path_mixture(X=X, A=A, gamma=gamma, T=10)
    check(as_mixture)
    assert bound(as_mixture) == pytest.approx(X**0.25, rel=1e-13)
    assert as_mixture.public.ridge == 0.05
    np.testing.assert_array_equal(as_mixture.truth.P, path.truth.P)
    still = generators.absorbing(X=X, A=A, gamma=gamma, T=10)
    check(still)
    np.testing.assert_allclose(still.optimal_occupancy.sum(axis=1), 1 / X, atol=1e-12)
    np.testing.assert_allclose((1 - gamma) * still.truth.V, 1.0, atol=1e-12)


@quickly
@given(st.integers(0, 99), st.integers(1, 5), st.integers(1, 3), st.integers(1, 5), gammas)
def test_mixtures_of_kernels(seed: int, X: int, A: int, d: int, gamma: float) -> None:
    sizes = {"X": X, "A": A, "d": d, "gamma": gamma, "T": 10}
    plain, turned = (generators.mixture(generator(seed), rotated=rotated, **sizes) for rotated in (False, True))
    for instance in (plain, turned):
        check(instance)
        assert mixture.holds(instance.public.psi, instance.truth.theta, instance.public.B) is True
        assert 1 - 1e-12 <= instance.public.B <= d**0.25 + 1e-12
    weights = plain.truth.theta / plain.truth.theta.sum()
    assert bound(plain) == pytest.approx(np.sqrt(np.linalg.norm(weights) * np.sqrt(d)), rel=1e-12)
    assert turned.public.B == plain.public.B
    np.testing.assert_array_equal(turned.truth.P, plain.truth.P)
    assert plain.truth.theta.min() >= 0.0
    assert plain.public.psi.min() >= 0.0
    assert np.count_nonzero(plain.public.reward == 0.0) == X * A // 2


def test_rotated_features_take_both_signs() -> None:
    for seed in range(10):
        public = generators.mixture(generator(seed), X=4, A=2, d=3, gamma=0.5, T=10, rotated=True).public
        assert public.psi.min() < 0.0 < public.psi.max()


def test_the_least_and_the_largest_bound_of_mixtures() -> None:
    kernels = generator(0).dirichlet(np.ones(3), size=(4, 6))
    given_ = {"reward": np.zeros((3, 2)), "start": generators.point(3), "gamma": 0.5, "T": 10}
    assert bound(generators.mixed(kernels, np.full(4, 0.25), **given_)) == pytest.approx(1.0, rel=1e-14)
    assert bound(generators.mixed(kernels, np.eye(4)[2], **given_)) == pytest.approx(np.sqrt(2), rel=1e-14)
    assert bound(generators.mixed(kernels, np.eye(4)[2], declared=2.0, **given_)) == pytest.approx(np.sqrt(8), rel=1e-14)


@quickly
@given(st.integers(0, 99), st.integers(1, 4), st.integers(1, 3))
def test_tables_as_mixtures(seed: int, X: int, A: int) -> None:
    instance = generators.tabular_mixture(generator(seed), X=X, A=A, gamma=0.5, T=10)
    check(instance)
    P = instance.truth.P
    assert instance.public.d == X * X * A
    assert bound(instance) == pytest.approx(np.sqrt(np.linalg.norm(P) * np.sqrt(X)), rel=1e-12)
    np.testing.assert_array_equal(P, generators.random(generator(seed), X=X, A=A, gamma=0.5, T=10).truth.P)


@quickly
@given(st.integers(0, 99), st.integers(1, 6), st.integers(1, 3), gammas, st.sampled_from(["point", "spread"]))
def test_random_tables(seed: int, X: int, A: int, gamma: float, start: generators.Start) -> None:
    instance = generators.random(generator(seed), X=X, A=A, gamma=gamma, T=10, start=start)
    check(instance)
    assert np.count_nonzero(instance.public.reward == 0.0) == X * A // 2
    assert (start == "point") <= (instance.truth.start[0] == 1.0)


# -- edge cases -------------------------------------------------------------------------------------------------------


def test_edges_are_what_they_say() -> None:
    def public(name: str) -> object:
        return build(f"mixture-{name}").public

    assert [public(name).gamma for name in ("myopic", "patient", "very-patient")] == [0.01, 0.99, 0.999]
    assert public("one-action").A == public("one-state").X == public("one-kernel").d == public("one-step").T == 1
    assert public("one-epoch").T < public("one-epoch").H
    assert (public("no-rewards").reward == 0.0).all()
    assert (public("all-rewards").reward == 1.0).all()
    all_rewards = build("mixture-all-rewards")
    np.testing.assert_allclose(all_rewards.truth.V, all_rewards.public.H, rtol=1e-12)
    absorbing = build("mixture-absorbing")
    np.testing.assert_allclose(absorbing.truth.P, np.repeat(np.eye(3), 2, axis=0), atol=4 * EPS)


def test_the_prior_excludes_the_only_optimal_action_of_a_visited_state() -> None:
    for seed in range(20):
        instance = edges.zero_prior(generator(seed))
        check(instance)
        pi, Q = instance.public.initial_policy, instance.truth.Q
        (x,) = np.flatnonzero(pi.min(axis=1) == 0.0)
        assert pi[x, instance.truth.policy[x]] == 0.0
        assert instance.optimal_occupancy[x].sum() > 0.2
        best, second = np.sort(Q[x])[[-1, -2]]
        assert best > second + 1e-6
        assert np.delete(pi, x, axis=0) == pytest.approx(1 / 3)


def test_only_the_declared_bound_differs_from_the_small_instance() -> None:
    exact, loose, short = (edges.small(generator(4), declared=factor) for factor in (1.0, 3.0, 0.9))
    assert bound(loose) == pytest.approx(3 * exact.public.B)
    assert bound(short) == pytest.approx(0.9 * exact.public.B)
    for other in (loose, short):
        np.testing.assert_array_equal(other.public.psi, exact.public.psi)
        np.testing.assert_array_equal(other.truth.theta, exact.truth.theta)


# -- the instance -----------------------------------------------------------------------------------------------------


def test_what_does_not_fit_is_refused() -> None:
    good = {"P": np.ones((2, 1)), "reward": np.zeros((1, 2)), "start": np.ones(1), "gamma": 0.5, "T": 3}
    assert make(**good).public.delta == pytest.approx(1 / 3)
    assert make(**{**good, "T": 1}).public.delta == 0.5
    for wrong in ({"P": np.ones((1, 1))}, {"start": np.ones(2)}, {"theta": np.ones(1)}, {"initial_policy": np.ones((1, 1))}):
        with pytest.raises(ContractError, match="do not fit"):
            make(**{**good, **wrong})
    for wrong in ({"gamma": 0.0}, {"gamma": 1.0}, {"T": 0}):
        with pytest.raises(ContractError, match="expected 0 < gamma < 1 and T >= 1"):
            make(**{**good, **wrong})
