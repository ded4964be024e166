from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from verifier.model.measurement import Measurement, measure
from verifier.model.property import Property
from verifier_properties.lifelong import assumptions
from verifier_settings.lifelong import Instance, edges, generators

from ...settings.lifelong.runs import at, generator


def good() -> Instance:
    return edges.small(generator(0))


def public(instance: Instance, **arrays: Any) -> Instance:
    return replace(instance, public=replace(instance.public, **arrays))


def truth(instance: Instance, **arrays: Any) -> Instance:
    return replace(instance, truth=replace(instance.truth, **arrays))


def grown(array: np.ndarray, index: tuple[int, ...], by: float) -> np.ndarray:
    return at(array, index, array[index] + by)


BROKEN = {
    "transition_kernel-mass": lambda i: truth(i, P=grown(i.truth.P, (1, 3, 0), 0.1)),
    "transition_kernel-sign": lambda i: truth(i, P=i.truth.P + 0.9 * (np.eye(5)[0] - np.eye(5)[1])),
    "transition_kernel-factors": lambda i: truth(i, mu=grown(i.truth.mu, (2, 0, 0), 1e-6)),
    "reward_range": lambda i: public(i, reward=at(i.public.reward, (1, 2, 1), 1.5)),
    "linear_rewards": lambda i: public(i, reward=grown(i.public.reward, (1, 2, 1), -1e-6)),
    "feature_norms": lambda i: public(i, psi=at(i.public.psi, (4, 1, 0), 1.2)),
    "parameter_norms-eta": lambda i: truth(i, eta=at(i.truth.eta, (2, 0), 5.0)),
    "parameter_norms-mass": lambda i: truth(i, mu=at(i.truth.mu, (2, 1, 3), -5.0)),
    "realisable": lambda i: truth(i, Q=grown(i.truth.Q, (2, 1, 1, 0), 0.3)),
    "span": lambda i: public(i, coefficients=0.9 * i.public.coefficients),
    "kronecker": lambda i: public(i, psi=np.roll(i.public.psi, 1, axis=2)),
    "kronecker-too-many": lambda i: public(i, representatives=(0, 1, 1), coefficients=np.zeros((1, 2, 3))),
}  # fmt: skip
PLACES = {
    "transition_kernel-mass": {"h": 2, "pair": 3},
    "transition_kernel-factors": {"h": 3},
    "reward_range": {"h": 2, "pair": 2, "w": 1},
    "linear_rewards": {"h": 2, "pair": 2, "w": 1},
    "feature_norms": {"pair": 4, "w": 1},
    "parameter_norms-eta": {"norm": 0, "h": 3},
    "parameter_norms-mass": {"norm": 1, "h": 3},
    "realisable": {"h": 3},
}


def check(name: str, instance: Instance) -> Measurement:
    found: Property = getattr(assumptions, name.split("-")[0])
    return measure(found(instance))


@pytest.mark.parametrize("name", BROKEN)
def test_each_assumption_holds_and_fails_for_the_right_reason(name: str) -> None:
    before = check(name, good())
    assert before.holds
    assert before.comparisons > 0
    after = check(name, BROKEN[name](good()))
    assert not after.holds
    assert PLACES.get(name, {}).items() <= after.place.items()


def test_completeness_fails_on_mixtures_only() -> None:
    mixture = generators.mixture(generator(0), S=5, A=2, d=3, m=2, W=4, H=3, K=10)
    assert check("completeness", good()).holds
    found = check("completeness", mixture)
    assert not found.holds
    assert found.value > 0.1


def test_the_norm_bound_of_completeness_fails_for_nearly_parallel_contexts() -> None:
    assert check("completeness_norm", good()).holds
    found = [
        check("completeness_norm", generators.tilted(generator(i), S=5, A=2, d=3, m=2, H=3, K=10, angle=0.05)).holds
        for i in range(5)
    ]
    assert not all(found)


def test_the_probes_depend_on_nothing_but_the_instance() -> None:
    one, two = (check("completeness", generators.mixture(generator(0), S=4, A=2, d=2, m=2, W=3, H=2, K=1)) for _ in range(2))
    assert one == two
