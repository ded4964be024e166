"""The assumptions on discounted instances hold, and fail where one entry is changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from verifier.model.measurement import measure
from verifier_properties.discounted import mixture_model
from verifier_settings.discounted import Instance, generators

from ...settings.discounted.runs import at
from ...settings.lifelong.runs import generator


def altered(change: str) -> Instance:
    instance = generators.mixture(generator(0), X=3, A=2, d=2, gamma=0.8, T=10)
    public, truth = instance.public, instance.truth
    if change == "transition-kernel":
        P = at(truth.P, (4, 0), truth.P[4, 0] + 1e-9)
        return replace(instance, truth=replace(truth, P=P))
    if change == "transition-kernel-negative":
        P = truth.P.copy()
        P[4] = [-1e-9, 0.5, 0.5 + 1e-9]
        return replace(instance, truth=replace(truth, P=P))
    if change == "reward-range":
        return replace(instance, public=replace(public, reward=at(public.reward, (1, 0), 1 + 1e-9)))
    if change == "uniform-start":
        return replace(instance, public=replace(public, initial_policy=at(public.initial_policy, 1, [0.5 + 1e-9, 0.5 - 1e-9])))
    if change == "linear-mixture":
        return replace(instance, public=replace(public, psi=at(public.psi, (4, 2, 0), public.psi[4, 2, 0] + 1e-6)))
    if change == "parameter-norm":
        return replace(instance, truth=replace(truth, theta=truth.theta * (1 + 1e-9)))
    return replace(instance, public=replace(public, B=public.B * (1 - 1e-9)))


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("transition-kernel", {"pair": 4}),
        ("transition-kernel-negative", {"pair": 4}),
        ("reward-range", {"x": 1, "a": 0}),
        ("uniform-start", {"x": 1}),
        ("linear-mixture", {"pair": 4, "next": 2}),
        ("parameter-norm", {}),
        ("feature-norm", {}),
    ],
)
def test_assumptions(name: str, place: dict[str, int]) -> None:
    check = getattr(mixture_model, name.removesuffix("-negative").replace("-", "_"))
    assert measure(check(generators.mixture(generator(0), X=3, A=2, d=2, gamma=0.8, T=10))).holds
    found = measure(check(altered(name)))
    assert not found.holds
    assert place.items() <= found.place.items()


# All claims on real runs ----------------------------------------------------------------------------------------------------
