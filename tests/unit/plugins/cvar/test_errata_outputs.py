"""What is returned: mixtures of policies, and the share of iterations with a large gap."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier_cvar.errata.outputs import beyond, cvar, mixture

from ...settings.cvar.laws import cvar as cvar_of_floats


@st.composite
def laws(draw: st.DrawFn) -> dict[Fraction, Fraction]:
    weights = draw(st.lists(st.integers(0, 9), min_size=3, max_size=6).filter(any))
    return {Fraction(i, 2): Fraction(w, sum(weights)) for i, w in enumerate(weights)}


LEVELS = st.integers(1, 20).map(lambda i: Fraction(i, 20))


@given(laws(), LEVELS)
def test_cvar_in_fractions_and_in_floats(law: dict[Fraction, Fraction], tau: Fraction) -> None:
    values, chances = np.array([float(x) for x in law]), np.array([float(p) for p in law.values()])
    assert float(cvar(law, tau)) == pytest.approx(cvar_of_floats(values, chances, float(tau)), abs=1e-9)


@given(st.lists(laws(), min_size=1, max_size=4), LEVELS)
def test_a_mixture_is_no_better_than_the_average(some: list[dict[Fraction, Fraction]], tau: Fraction) -> None:
    mixed = mixture(some)
    assert sum(mixed.values()) == 1
    average = sum((cvar(law, tau) for law in some), Fraction(0)) / len(some)
    assert cvar(mixed, tau) <= average
    if tau == 1:
        assert cvar(mixed, tau) == average


@pytest.mark.parametrize("K", [1, 7, 40, 401])
def test_gaps_of_the_order_of_the_regret(K: int) -> None:
    gaps = 1 / np.sqrt(np.arange(1, K + 1))
    assert gaps.sum() <= 2 * math.sqrt(K)
    for times in (1, 2, 10):
        assert float(beyond(K, Fraction(times))) == pytest.approx((gaps > times * 2 / math.sqrt(K) * (1 + 1e-12)).mean())
