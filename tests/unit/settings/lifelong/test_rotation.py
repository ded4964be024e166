"""The rotation family: exact completeness, and misspecification that is controlled exactly."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.base.seeds import stream
from verifier.model.measurement import measure
from verifier_properties.lifelong import assumptions
from verifier_settings.lifelong.generators import rotation

SIZES = {"blocks": 3, "N": 6, "A": 2, "d": 3, "H": 4, "K": 10}


@pytest.mark.parametrize("seed", range(10))
def test_every_assumption_holds_on_the_exact_family(seed: int) -> None:
    instance = rotation(stream(seed, "rotation"), **SIZES)
    for bonuses in ({"phi": True, "psi": False}, {"phi": True, "psi": True}, {"phi": False, "psi": True}):
        for claim in assumptions.completeness_of(**bonuses):
            assert measure(claim(instance)).holds, claim.name
    for claim in (
        assumptions.transition_kernel,
        assumptions.reward_range,
        assumptions.linear_rewards,
        assumptions.feature_norms,
        assumptions.parameter_norms,
        assumptions.reward_norms,
        assumptions.feature_span,
        assumptions.realisable,
    ):
        assert measure(claim(instance)).holds, claim.name
    assert instance.public.dp < instance.public.W
    assert instance.public.L > 1


@pytest.mark.parametrize("tilt", [0.01, 0.05, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_the_misspecification_is_at_most_the_tilt_times_the_horizon(seed: int, tilt: float) -> None:
    instance = rotation(stream(seed, "rotation"), **SIZES, tilt=tilt)
    found = measure(assumptions.completeness(instance))
    assert 0 < found.value <= instance.public.H * tilt
    position = instance.truth.mu.reshape(4, 3, 3, 6).sum(axis=2)
    assert np.abs(position - 1 / 6).sum(axis=2).max() / 2 == pytest.approx(tilt)


def test_optimal_actions_depend_on_the_context() -> None:
    best = rotation(stream(0, "rotation"), **SIZES).truth.Q.argmax(axis=2)
    assert (best != best[..., :1]).any()


@pytest.mark.parametrize("claim", [assumptions.feature_span, assumptions.reward_norms])
def test_the_assumptions_on_psi_go_red(claim: object) -> None:
    from dataclasses import replace

    instance = rotation(stream(0, "rotation"), **SIZES)
    broken = replace(instance, public=replace(instance.public, psi=instance.public.psi * np.linspace(1.0, 3.0, 6)[:, None]))
    assert measure(claim(instance)).holds
    assert not measure(claim(broken)).holds
