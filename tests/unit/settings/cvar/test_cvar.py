from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from verifier.base.arrays import Array
from verifier_settings.cvar.augmented import cvar_of_laws

from .laws import PROGRAM_TOLERANCE, cvar, cvar_program, cvar_supremum
from .runs import deterministic, generator

Law = tuple[Array, Array]

SLACK = 1e-12
LEVELS = st.one_of(st.sampled_from([1.0, 0.5, 0.25, 0.1, 0.01]), st.floats(0.01, 1.0))


@st.composite
def laws(draw: st.DrawFn, at_most: int = 8) -> Law:
    """Values in [-4, 4], often repeated; masses are multiples of a common unit, so that cumulative sums meet round tau."""
    n = draw(st.integers(1, at_most))
    values = draw(st.lists(st.one_of(st.integers(-4, 4).map(float), st.floats(-4, 4)), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 10), min_size=n, max_size=n).filter(any))
    return np.array(values), np.array(weights) / sum(weights)


@deterministic()
@given(laws(), LEVELS)
@example((np.zeros(2), np.array([0.5, 0.5])), 0.5)
def test_supremum_and_tail_mean_agree(law: Law, tau: float) -> None:
    assert cvar_supremum(*law, tau) == pytest.approx(cvar(*law, tau), abs=SLACK)


def test_four_hundred_random_laws_with_ties() -> None:
    rng, worst = generator(1), 0.0
    for _ in range(400):
        n, tau = int(rng.integers(1, 12)), float(rng.choice([0.01, 0.1, 0.25, 0.5, 1.0]))
        values, p = rng.integers(0, 4, size=n) / 3, rng.dirichlet(np.full(n, 0.5))
        worst = max(worst, abs(cvar(values, p, tau) - cvar_supremum(values, p, tau)))
    assert worst < SLACK


def test_the_linear_program_agrees_to_its_tolerance() -> None:
    rng = generator(2)
    for tau in (0.01, 0.3, 0.5, 1.0):
        values, p = rng.integers(0, 5, size=7) / 2, rng.dirichlet(np.full(7, 0.7))
        assert cvar_program(values, p, tau) == pytest.approx(cvar(values, p, tau), abs=2 * PROGRAM_TOLERANCE)
    assert cvar_program(np.array([0.0, 1.0]), np.array([0.25, 0.75]), 0.25) == pytest.approx(0.0, abs=PROGRAM_TOLERANCE)


@deterministic()
@given(laws(), LEVELS, LEVELS)
def test_monotone_in_tau_between_minimum_and_mean(law: Law, tau: float, other: float) -> None:
    low, high = sorted((tau, other))
    assert cvar(*law, low) <= cvar(*law, high) + SLACK
    assert law[0][law[1] > 0].min() - SLACK <= cvar(*law, low)
    assert cvar(*law, high) <= law[0] @ law[1] + SLACK


@deterministic()
@given(laws())
def test_the_two_ends(law: Law) -> None:
    values, p = law
    assert cvar(values, p, 1.0) == pytest.approx(values @ p, abs=SLACK)
    least = values[p > 0].min()
    mass = p[values == least].sum()
    assert cvar(values, p, float(min(mass, 1.0))) == pytest.approx(least, abs=SLACK)


@deterministic()
@given(laws(), LEVELS, st.floats(-3, 3), st.floats(0, 3))
def test_translation_and_positive_homogeneity(law: Law, tau: float, shift: float, scale: float) -> None:
    values, p = law
    assert cvar(shift + scale * values, p, tau) == pytest.approx(shift + scale * cvar(values, p, tau), abs=10 * SLACK)


@deterministic()
@given(laws(), LEVELS, st.data())
def test_monotone_and_lipschitz_in_the_variable(law: Law, tau: float, data: st.DataObject) -> None:
    values, p = law
    steps = np.array(data.draw(st.lists(st.floats(0, 1), min_size=len(p), max_size=len(p))))
    before, after = cvar(values, p, tau), cvar(values + steps, p, tau)
    assert before - SLACK <= after <= before + steps.max() + SLACK


@deterministic()
@given(laws(), laws(), LEVELS, st.floats(0, 1))
def test_convex_in_the_law(one: Law, two: Law, tau: float, weight: float) -> None:
    mixed = np.concatenate([one[0], two[0]]), np.concatenate([weight * one[1], (1 - weight) * two[1]])
    assert cvar(*mixed, tau) <= weight * cvar(*one, tau) + (1 - weight) * cvar(*two, tau) + SLACK


def test_a_mixture_can_be_worse_than_the_average() -> None:
    sure = [(np.array([0.0, 1.0]), np.array(p)) for p in ([1.0, 0.0], [0.0, 1.0])]
    assert np.mean([cvar(*law, 0.5) for law in sure]) == 0.5
    assert cvar(np.array([0.0, 1.0]), np.array([0.5, 0.5]), 0.5) == 0.0


@deterministic()
@given(laws(), LEVELS)
def test_many_laws_at_once(law: Law, tau: float) -> None:
    order = np.argsort(law[0], kind="stable")
    several = np.stack([law[1][order], np.roll(law[1], 1)[order]])
    expected = [cvar(law[0][order], p, tau) for p in several]
    np.testing.assert_allclose(cvar_of_laws(law[0][order], several, tau), expected, atol=SLACK)
