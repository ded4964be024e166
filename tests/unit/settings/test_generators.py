from __future__ import annotations

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier.base.seeds import stream
from verifier.model.measurement import measure
from verifier_properties.lifelong import assumptions
from verifier_settings.lifelong import LIFELONG, Instance, make
from verifier_settings.lifelong.instance import minimum_l1_coefficients

from .forward import occupancy
from .lifelong.runs import generator

CHECKS = {
    name: getattr(assumptions, name)
    for name in (
        "transition_kernel", "reward_range", "linear_rewards", "feature_norms", "parameter_norms",
        "completeness", "completeness_norm", "realisable", "span", "kronecker",
    )
}  # fmt: skip
BREAKS: dict[str, set[str]] = {
    "mixture": {"completeness"},
    "tilted": {"parameter_norms"},
    "dependent-representatives": {"completeness"},
    "opposed-representatives": {"completeness"},
    "signed-contexts": {"completeness"},
    "zero-context": {"completeness"},
    "appendix-h": {"reward_range", "feature_norms", "completeness"},
}
MAY_BREAK: dict[str, set[str]] = {
    "mixture": {"realisable", "completeness_norm"},
    "dependent-representatives": {"realisable", "completeness_norm"},
    "opposed-representatives": {"realisable", "completeness_norm"},
    "signed-contexts": {"realisable", "completeness_norm"},
    "zero-context": {"realisable", "completeness_norm"},
    "tilted": {"completeness_norm"},
    "nearly-parallel": {"completeness_norm"},
    "appendix-h": {"parameter_norms", "realisable", "completeness_norm"},
}
NAMES = [
    scenario.name
    for scenario in LIFELONG.catalogue
    if scenario.build(stream(0, "instance", scenario.name)).public.m  # Assumption 3
]


def build(name: str, seed: int) -> Instance:
    scenario = LIFELONG.scenario(name)
    assert scenario is not None
    return scenario.build(stream(seed, "instance", name))


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_keeps_and_breaks_the_assumptions_it_says(name: str) -> None:
    for seed in range(4 if name in ("large", "paper-size") else 12):
        instance = build(name, seed)
        failed = {key for key, check in CHECKS.items() if not measure(check(instance)).holds}
        assert BREAKS.get(name, set()) <= failed <= BREAKS.get(name, set()) | MAY_BREAK.get(name, set()), seed


@pytest.mark.parametrize("name", ["onehot", "orthonormal", "tabular", "lock", "rank-deficient", "strong-ridge", "mixture"])
def test_fifty_seeds(name: str) -> None:
    for seed in range(50):
        instance = build(name, seed)
        failed = {key for key, check in CHECKS.items() if not measure(check(instance)).holds}
        assert BREAKS.get(name, set()) <= failed <= BREAKS.get(name, set()) | MAY_BREAK.get(name, set()), seed


@pytest.mark.parametrize("name", [scenario.name for scenario in LIFELONG.catalogue])
def test_the_truth_of_every_instance_agrees_with_the_other_route(name: str) -> None:
    instance = build(name, 1)
    public, truth = instance.public, instance.truth
    policy = truth.Q.argmax(axis=2)
    for w in range(min(public.W, 3)):
        for s in range(min(public.S, 3)):
            mass = occupancy(truth.P, policy[:, :, w], s)
            assert truth.V[0, s, w] == pytest.approx((mass * public.reward[:, :, w]).sum(), abs=1e-11)
    assert public.L >= 1.0 - 1e-12 or name == "zero-context"
    for array in (public.phi, public.rho, public.psi, public.reward, public.coefficients):
        assert not array.flags.writeable


def test_completeness_holds_for_independent_contexts_and_fails_for_dependent_ones() -> None:
    """Section 4.2 (i) of the analysis: A1 and A3 given, A2 holds iff the distinct rho(w) are independent."""
    for seed in range(10):
        rng = generator(seed)
        S, A, d, H = 4, 2, 3, 2
        phi = np.vstack([np.eye(d), rng.dirichlet(np.ones(d), size=S * A - d)])
        mu = rng.dirichlet(np.ones(S), size=(H, d))
        base = rng.standard_normal((3, 3)) / 3
        contexts = {
            "independent": base,
            "copied": base[[0, 1, 2, 1]],
            "combined": np.vstack([base, 0.4 * base[0] + 0.6 * base[1]]),
            "scaled": np.vstack([base, 0.5 * base[1]]),
            "opposite": np.vstack([base, -base[2]]),
            "zero": np.vstack([base, 0 * base[0]]),
        }
        for name, rho in contexts.items():
            instance = make(phi=phi, mu=mu, rho=rho, E=np.zeros((H, d, 3)), K=1, A=A)
            assert measure(assumptions.completeness(instance)).holds == (name in ("independent", "copied")), (seed, name)


def test_coefficients_of_least_l1_norm() -> None:
    R = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    c = minimum_l1_coefficients(np.array([[2.0, 2.0], [1.0, -1.0], [0.5, 0.75]]), R)
    np.testing.assert_allclose(c @ R, [[2.0, 2.0], [1.0, -1.0], [0.5, 0.75]], atol=1e-12)
    np.testing.assert_allclose(np.abs(c).sum(axis=1), [2.0, 2.0, 0.75], atol=1e-12)


def test_a_context_outside_the_span_shows_in_the_span_assumption() -> None:
    instance = make(
        phi=np.eye(2), mu=np.full((1, 2, 1), 1.0), rho=np.array([[1.0, 0.0], [0.0, 1.0]]), E=np.zeros((1, 2, 2)), K=1, A=2,
        representatives=(0,),
    )  # fmt: skip
    found = measure(assumptions.span(instance))
    assert not found.holds
    assert found.place["w"] == 1


def test_shapes_that_do_not_fit_are_refused() -> None:
    good = {"phi": np.eye(2), "mu": np.ones((1, 2, 1)), "rho": np.eye(2), "E": np.zeros((1, 2, 2)), "K": 1, "A": 2}
    make(**good)
    for wrong in ({"A": 1}, {"E": np.zeros((1, 2, 3))}, {"mu": np.ones((1, 3, 1))}):
        with pytest.raises(ContractError, match="do not fit"):
            make(**{**good, **wrong})
    for reps in ((2,), (), (-1,)):
        with pytest.raises(ContractError, match="are not contexts"):
            make(**good, representatives=reps)
