from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier.model.width import Width
from verifier_settings.lifelong import edges, generators
from verifier_ucblvd.least_squares import LeastSquares
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ...settings.lifelong.runs import generator, play


def size(thing: object) -> int:
    """Bytes in arrays and numbers in containers reachable from an object's attributes."""
    if isinstance(thing, np.ndarray):
        return thing.nbytes
    if isinstance(thing, dict):
        return sum(map(size, thing.values()))
    if isinstance(thing, (list, tuple, set)):
        return 8 * len(thing) + sum(map(size, thing))
    return size(vars(thing)) if isinstance(thing, (UCBlvd, LifelongLSVI, LeastSquares)) else 0


@pytest.mark.parametrize("algorithm", [UCBlvd, LifelongLSVI])
def test_what_planning_reads_does_not_grow_with_the_episodes(algorithm: Any) -> None:
    sizes = []

    class Weighed(algorithm):
        def play(self, *arguments: Any, **names: Any) -> None:
            super().play(*arguments, **names)
            sizes.append(size(self))

    play(Weighed, edges.small(generator(0), K=60))
    assert len(sizes) > 10
    assert len(set(sizes)) == 1


@pytest.mark.parametrize("ridge", [1.0, 4.0])
def test_sufficient_statistics_are_those_of_the_history(ridge: float) -> None:
    public = generators.onehot(generator(0), S=4, A=2, d=3, m=2, H=3, K=9, ridge=ridge).public
    data, rng = LeastSquares(public), generator(1)
    history = [(rng.integers(4, size=4), rng.integers(2, size=3)) for _ in range(9)]
    for states, actions in history:
        data.add(states[None], actions[None])
    V = rng.random((4, 2))
    for h in range(3):
        phi = np.array([public.phi[states[h] * 2 + actions[h]] for states, actions in history])
        gram = ridge * np.eye(3) + phi.T @ phi
        np.testing.assert_allclose(data.gram[h], gram, atol=1e-13)
        np.testing.assert_allclose(data.transitions[h] @ V, phi.T @ V[[states[h + 1] for states, _ in history]], atol=1e-13)
        assert data.log_det()[h] == pytest.approx(np.linalg.slogdet(gram)[1])


def test_an_unknown_minimiser_is_refused() -> None:
    public = edges.small(generator(0)).public
    with pytest.raises(ContractError, match="'sideways' is not known"):
        UCBlvd(public, Width(lambda of, step, target: 1.0), minimiser="sideways")


def test_the_farthest_minimiser_needs_the_oracle() -> None:
    with pytest.raises(ContractError, match="oracle regime only"):
        play(UCBlvd, edges.small(generator(0)), "published[minimiser=farthest]")


def test_first_plan_knows_nothing() -> None:
    """k = 1: theta-hat = 0, xi = 0 is an exact minimiser, Q = [r + 2 L beta ||phi|| / sqrt(lambda)]^+."""
    instance = edges.strong_ridge(generator(0))
    (view,), _ = play(UCBlvd, instance, "published")
    plan, public = view.plans[0], instance.public
    assert plan.xi is not None
    assert not plan.xi.any()
    assert plan.estimate is not None
    assert not plan.estimate.any()
    width = UCBlvd.published_width(public, "transition")
    expected = public.reward + (2 * public.L * width * np.linalg.norm(public.phi, axis=1) / 2)[:, None]
    np.testing.assert_allclose(plan.Q.reshape(expected.shape), expected)


def test_one_context_makes_the_two_algorithms_agree_up_to_the_factor_two() -> None:
    """m = 1: the regression of UCBlvd is that of Lifelong-LSVI, and so is Q where the bonus is halved."""

    class Half(UCBlvd):
        @classmethod
        def multiplier(cls, public: Any) -> float:
            return 1.0

        def left(self, growth: Any) -> Any:
            return np.full_like(growth, -1.0)

    instance = generators.onehot(generator(2), S=4, A=2, d=3, m=1, H=3, K=25)
    (left,), one = play(Half, instance, seed=5)
    (right,), other = play(LifelongLSVI, instance, seed=5)
    np.testing.assert_array_equal(one.actions, other.actions)
    np.testing.assert_allclose(left.Q, right.Q, atol=1e-10)
