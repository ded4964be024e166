from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verifier.base.seeds import stream
from verifier.model.setting import Scenario
from verifier_settings.lifelong import LIFELONG, Instance, Public, edges, generators
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.modified.algorithm import ModifiedUCBlvd
from verifier_ucblvd.shared import constants
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards

from ...settings.lifelong.runs import generator

LSVI = {"multiplier": 0.0, "contexts": 1}


def public(**sizes: int) -> Public:
    return edges.small(generator(0), **sizes).public


def kronecker(name: str, seed: int) -> Public:
    scenario = LIFELONG.scenario(name)
    assert scenario is not None
    return scenario.build(stream(seed, "instance", name)).public


@pytest.mark.parametrize("name", [s.name for s in LIFELONG.catalogue if s.build(stream(0, "instance", s.name)).public.m])
def test_the_published_width_is_covered_by_the_proof_on_every_instance(name: str) -> None:
    for seed in range(3):
        p = kronecker(name, seed)
        assert constants.explicit_width(p, multiplier=0.0, contexts=p.W) <= LifelongLSVI.published_width(p, "transition")
        assert constants.explicit_width(p, multiplier=2 * p.L, contexts=p.n) <= UCBlvd.published_width(p, "transition")


def test_one_is_not_a_constant_that_works() -> None:
    p = public()
    assert constants.explicit_width(p, multiplier=2 * p.L, contexts=p.n) > UCBlvd.published_width(p, "t") / constants.C_BETA


def test_the_instances_of_the_experiments_have_their_delta() -> None:
    """Appendix H has delta = 0.01; the figures are redrawn on these."""
    shown = LIFELONG.scenario("paper-size")
    assert shown is not None
    families = [
        family.build(stream(0, family.name), K=100) for family in LIFELONG.families if family.name in ("paper-size", "rotation-5")
    ]
    assert [instance.public.delta for instance in [shown.draw(0), *families]] == [0.01] * 3


@pytest.mark.parametrize("scenario", LIFELONG.catalogue, ids=lambda scenario: scenario.name)
def test_the_constants_of_theorems_3_4_and_5_are_covered_by_their_proofs(scenario: Scenario[Instance]) -> None:
    p = scenario.build(stream(0, "instance", scenario.name)).public
    needed = constants.explicit_width(p, multiplier=2 * p.L, contexts=p.n)
    assert needed <= ModifiedUCBlvd.published_width(p, "transition")
    assert constants.explicit_width_psi(p) <= LifelongLSVISharing.published_width(p, "value")
    if p.m:
        needed = constants.explicit_width_rewards(p, multiplier=2 * p.L, contexts=p.n)
        assert needed <= UCBlvdUnknownRewards.published_width(p, "transition")


def test_the_explicit_width_solves_its_equation() -> None:
    for ridge in (1.0, 4.0):
        p = replace(public(), ridge=ridge)
        width = constants.explicit_width(p, multiplier=2.0, contexts=2)
        noise = constants.noise_bound(p, width, p.K, p.K, multiplier=2.0, contexts=2)
        assert width == pytest.approx(p.H * math.sqrt(ridge * p.d) + noise, rel=1e-12)
        wider = 1.5 * width
        assert constants.noise_bound(p, wider, p.K, p.K, multiplier=2.0, contexts=2) + p.H * math.sqrt(ridge * p.d) < wider


def test_the_noise_bound_by_hand() -> None:
    p = generators.onehot(generator(0), S=2, A=2, d=1, m=1, H=2, K=10)
    public = replace(p.public, delta=0.2)
    eps = 2 / 10
    z = math.log(1 + 4 * 3 / eps)
    cover = z + math.log(1 + 8 * (2 * 5.0) ** 2 / eps**2)
    inside = 0.5 * math.log(7 + 1) + cover + math.log(3 * 2 / 0.2)
    expected = math.sqrt(4 * 4 * inside + 8 * 49 * eps**2)
    assert constants.noise_bound(public, 5.0, 7, 10, multiplier=2.0, contexts=3) == pytest.approx(expected)
    y = math.log(1 + 4 * 2 * math.sqrt(10) / eps)
    cover = math.log(1 + 4 / eps) + y + math.log(1 + 8 * 25 / eps**2)
    inside = 0.5 * math.log(7 + 1) + cover + math.log(3 * 2 / 0.2)
    expected = math.sqrt(4 * 4 * inside + 8 * 49 * eps**2)
    assert constants.noise_bound(public, 5.0, 7, 10, multiplier=0.0, contexts=3) == pytest.approx(expected)
    assert constants.noise_bound(public, 5.0, 0, 10, multiplier=2.0, contexts=3) == 0.0


def test_the_bound_uses_one_cover_for_all_episodes() -> None:
    p = public(K=100)
    bounds = [constants.noise_bound(p, 9.0, k, 100, multiplier=2.0, contexts=2) for k in range(101)]
    assert bounds == sorted(bounds)
    assert bounds[1] ** 2 > 4 * p.H**2 * constants.log_covering(
        p, 9.0, p.d * p.H / 100, 2.0
    )  # the cover of scale dH/K already counts after one episode


def test_the_widths_of_the_theorems_by_hand() -> None:
    p = public(K=40)
    assert LifelongLSVI.published_width(p, "t") == pytest.approx(
        2.5 * 3 * (3 + math.sqrt(6)) * math.sqrt(math.log(3 * 6 * 120 / 0.1))
    )
    assert UCBlvd.published_width(p, "t") == pytest.approx(2.5 * 3 * (3 + math.sqrt(6)) * math.sqrt(math.log(6 * 120 / 0.1)))
    assert UCBlvd.published_width(replace(p, ridge=4.0), "t") == pytest.approx(2 * UCBlvd.published_width(p, "t"))
    assert UCBlvd.published_width(replace(p, ridge=0.25), "t") == UCBlvd.published_width(p, "t")


def test_the_regret_bounds_by_hand() -> None:
    p = public(K=40)
    T, width = 120, UCBlvd.published_width(p, "t")
    noise = 2 * 3 * math.sqrt(T * math.log(3 * T / 0.1))
    assert constants.martingale_bound(p, 40) == pytest.approx(noise)
    potential = math.sqrt(2 * 3 * 40 * math.log(41))
    assert constants.regret_bound_ucblvd(p, 40) == pytest.approx(noise + 8 * 3 * width * potential)
    assert constants.regret_bound_ucblvd(p, 40, 0.5) == pytest.approx(noise + 4 * 3 * width * potential)
    width = LifelongLSVI.published_width(p, "t")
    assert constants.regret_bound_lsvi(p, 40) == pytest.approx(noise + 2 * 3 * width * potential)
    assert constants.planning_bound(p, 40) == pytest.approx(9 * math.log(1 + 40 / 3))


def test_azuma_for_intervals_of_length_two_h() -> None:
    """The printed 2H sqrt(T log(dT/delta)) is at least what Hoeffding's lemma gives, H sqrt(2 T log(1/delta))."""
    for delta in (0.5, 0.1, 1e-9):
        p = replace(public(), delta=delta)
        assert constants.martingale_bound(p, p.K) >= p.H * math.sqrt(2 * p.T * math.log(1 / delta))


# The Lipschitz step of Lemmas 20 to 24 ------------------------------------------------------------------------------

LENGTHS = st.floats(0.01, 5.0)


def value(z: np.ndarray, Y: np.ndarray, psi: np.ndarray, phi: np.ndarray, H: float) -> np.ndarray:
    """V(s) = clip(max_a <z, psi(s,a)> + ||phi(s,a)||_Y, 0, H)."""
    bonus = np.sqrt(np.maximum(np.einsum("sai,ij,saj->sa", phi, Y, phi), 0.0))
    return np.clip((psi @ z + bonus).max(axis=1), 0.0, H)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 5), LENGTHS, LENGTHS)
def test_value_functions_are_close_where_their_parameters_are(seed: int, d: int, dp: int, zlength: float, ylength: float) -> None:
    rng = generator(seed)
    phi, psi = rng.normal(size=(6, 3, d)), rng.normal(size=(6, 3, dp))
    phi /= np.maximum(np.linalg.norm(phi, axis=2, keepdims=True), 1.0)
    psi /= np.maximum(np.linalg.norm(psi, axis=2, keepdims=True), 1.0)
    z = zlength * rng.normal(size=(2, dp))
    roots = rng.normal(size=(2, d, d))
    if seed % 3 == 0:
        roots[1] = roots[0] + 1e-6 * roots[1]
    Y = ylength * roots @ roots.transpose(0, 2, 1)
    difference = np.abs(value(z[0], Y[0], psi, phi, 2.0) - value(z[1], Y[1], psi, phi, 2.0)).max()
    assert difference <= np.linalg.norm(z[0] - z[1]) + np.sqrt(np.linalg.norm(Y[0] - Y[1])) + 1e-9


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 12))
def test_determinant_lemma(seed: int, d: int, more: int) -> None:
    """|x|^2 under B^-1 over that under A^-1 is at most det A / det B for A >= B > 0."""
    rng = generator(seed)
    root = rng.normal(size=(d, d))
    B = root @ root.T + 0.1 * np.eye(d)
    features = rng.normal(size=(more, d))
    A = B + features.T @ features
    x = rng.normal(size=d)
    ratio = (x @ np.linalg.solve(B, x)) / (x @ np.linalg.solve(A, x))
    assert ratio <= np.exp(np.linalg.slogdet(A)[1] - np.linalg.slogdet(B)[1]) * (1 + 1e-9)
