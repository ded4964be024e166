"""The counterexamples to optimism: the cap of the bonus at H = 3, and one step back."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier.model.measurement import measure
from verifier.model.width import Width
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.errata.optimism import FirstIteration, OneStepBack, fork
from verifier_properties.cvar.low_rank_model import transition_kernels
from verifier_settings.cvar import augmented


def test_the_fork_by_its_occupancies() -> None:
    instance = fork()
    public, truth = instance.public, instance.truth
    assert truth.fine.cvar == 1.0
    assert measure(transition_kernels(instance)).value == 0.0
    assert instance.feature_norm.max() == 1.0
    assert instance.measure_norm.max() <= math.sqrt(public.d)
    f = np.abs(public.kernels[0] - truth.P).sum(axis=-1)
    start = np.array(truth.fine.budget)
    best = augmented.masses(public.kernels[0], public.reward, truth.fine.policy, start, 0, public.fine, public.S).sum(axis=-1)
    assert public.H * float(best[1] @ f[1]) == 6.0
    assert best[0, 0] == 1.0
    uniform = augmented.masses(truth.P, public.reward, None, start, 0, public.fine, public.S).sum(axis=-1)
    assert float(uniform[1] @ f[1] ** 2) == 1.0  # rho_2 and eta_2 are the same after one uniform iteration
    assert (f[0] == 0).all()


def test_the_bonus_of_the_fork_from_its_data() -> None:
    """D_1 has action 1 once; the other data are at state 3, or at the fork with action 1."""
    instance = fork()
    public, found = instance.public, FirstIteration.of(instance)
    agent = ELA(public, Width(lambda of, step, target: found.alpha), clip="corrected")
    agent.D[0, 1, 3] = 1.0
    agent.Dt[0, 0, 1] = 1.0
    agent.D[1, 3, 3] = agent.Dt[1, 7, 3] = 1.0
    likelihoods = [(public.log_kernels[i] * (agent.D + agent.Dt).reshape(2, -1)).sum() for i in range(2)]
    assert likelihoods[0] == likelihoods[1]
    assert not (public.excluded[0] * (agent.D + agent.Dt).reshape(2, -1)).any()
    gram = agent.covariance(public.phi[0, 0], 0)
    assert agent.bonus(public.phi[0, 0], gram, 0)[0] == found.bonus(6.0) == 6.0
    agent.clip = "printed"
    assert agent.bonus(public.phi[0, 0], gram, 0)[0] == found.bonus(2.0) == 2.0


# One step back

PROBABILITIES = st.integers(0, 1000).map(lambda i: Fraction(i, 1000))


def sides(case: OneStepBack) -> tuple[float, float]:
    """Both sides by matrices: state 0 is the indicator of g, one action, rho = eta = the only pair."""
    learned, true = (np.array([[float(p), 1 - float(p)]]) for p in (case.learned, case.true))
    phi, g = np.ones((1, 1)), np.array([1.0, 0.0])
    gram = case.k * phi.T @ phi + case.L * np.eye(1)
    norm = math.sqrt(float((phi @ np.linalg.inv(gram) @ phi.T)[0, 0]))
    f = np.abs(learned - true).sum()
    assert f == pytest.approx(float(case.f))
    return float((learned @ g)[0]), norm * math.sqrt(case.k * float((true @ g**2)[0]) + case.L * 1 + case.k * case.zeta)


@given(PROBABILITIES, PROBABILITIES, st.integers(1, 10**6))
def test_one_step_back_by_matrices(learned: Fraction, true: Fraction, k: int) -> None:
    case = OneStepBack(k, 12.0, learned, true)
    assert sides(case) == pytest.approx((float(learned), case.printed))


@given(PROBABILITIES, PROBABILITIES, st.integers(1, 10**6), st.floats(0.1, 30))
def test_the_corrected_inequality_holds_under_the_event(learned: Fraction, true: Fraction, k: int, L: float) -> None:
    case = OneStepBack(k, L, learned, true)
    if float(case.f**2) <= case.zeta:
        assert float(case.learned) <= case.corrected + 1e-12
    if float(case.f) <= case.zeta:  # the condition (32) without a square
        assert float(case.learned) <= case.printed + 1e-12
