"""LSVI-RFE against its pseudo-code, written down once more with sums over all data, and in several runs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.seeds import stream
from verifier.model.width import Width
from verifier_lsvi_rfe import widths
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_lsvi_rfe.shared import constants
from verifier_settings.reward_free import Public, generators
from verifier_settings.reward_free.instance import Instance

BETA = 0.7


def instance(K: int = 40, **further: Any) -> Instance:
    return generators.simplex(stream(0, "test"), S=4, A=2, d=2, H=3, K=K, ridge=0.01, **further)


constant_width = Width(lambda of, h, target: BETA)


def episode(known: Instance, policy: Any, rng: np.random.Generator) -> tuple[Any, Any]:
    """States and actions of an episode."""
    states, actions = [0], []
    for h in range(known.public.H):
        actions.append(int(policy[h, states[-1]]))
        states.append(int(rng.choice(known.public.S, p=known.truth.P[h, states[-1] * known.public.A + actions[-1]])))
    return np.array(states), np.array(actions)


class Naive:
    """Algorithm 1 with histories, inverses made anew, and one step after the other."""

    def __init__(self, public: Public) -> None:
        self.public = public
        self.history: list[list[tuple[Any, float, float, int]]] = [[] for _ in range(public.H)]

    def matrices(self, h: int) -> tuple[Any, Any, Any]:
        d, S = self.public.d, self.public.S
        final, raw, moments = self.public.ridge * np.eye(d), self.public.ridge * np.eye(d), np.zeros((d, S))
        for x, variance, weight, following in self.history[h]:
            final += np.outer(x, x) / weight
            raw += np.outer(x, x) / variance
            moments[:, following] += x / weight
        return final, raw, moments

    def plan(self) -> tuple[Any, Any, Any]:
        H, S, A, phi = self.public.H, self.public.S, self.public.A, self.public.phi
        V, Q, w = np.zeros((H + 1, S)), np.zeros((H, S, A)), np.zeros((H, self.public.d))
        for h in range(H - 1, -1, -1):
            final, _, moments = self.matrices(h)
            w[h] = np.linalg.solve(final, moments @ V[h + 1])
            for x in range(S * A):
                norm = np.sqrt(phi[x] @ np.linalg.solve(final, phi[x]))
                Q[h, x // A, x % A] = BETA * norm + w[h] @ phi[x] + 2 * BETA * norm
            V[h] = np.minimum(Q[h].max(axis=1), H)
        return Q, V, w

    def learn(self, w: Any, states: Any, actions: Any) -> list[float]:
        H, d, K = self.public.H, self.public.d, self.public.K
        weights = []
        for h in range(H):
            x, (final, raw, _) = self.public.phi[states[h] * self.public.A + actions[h]], self.matrices(h)
            zeta = H * np.sqrt(self.public.ridge) / (2 * K * np.sqrt(d))
            spread = min(H * (w[h] @ x + BETA * np.sqrt(x @ np.linalg.solve(final, x)) + zeta), H**2)
            variance = max(H, d**2 / H * spread)
            small = np.sqrt(x @ np.linalg.solve(raw, x) / variance) <= d**-3
            weights.append(max(H if small else H * d**3, variance))
            self.history[h].append((x, variance, weights[-1], states[h + 1]))
        return weights


def test_the_pseudo_code_with_histories_gives_the_same() -> None:
    known, rng = instance(), np.random.default_rng(1)
    algorithm, naive = LSVIRFE(known.public, constant_width), Naive(known.public)
    for _ in range(known.public.K):
        plan, (Q, V, w) = algorithm.explore(), naive.plan()
        np.testing.assert_allclose(plan.Q, Q, atol=1e-9)
        np.testing.assert_allclose(plan.V, V, atol=1e-9)
        states, actions = episode(known, plan.policy, rng)
        algorithm.learn(plan, states, actions)
        np.testing.assert_allclose(algorithm.weights["weight"], naive.learn(w, states, actions), rtol=1e-9)


@pytest.mark.parametrize(
    ("d", "H", "K", "exploration", "planning"),
    [(2, 3, 10**3, 25.17, 777.13), (2, 3, 10**5, 29.31, 1123.1), (4, 5, 10**4, 63.55, 1514.6), (16, 10, 10**5, 360.2, 4665.6)],
)
def test_radii_are_fixed_points_and_the_same_by_two_routes(d: int, H: int, K: int, exploration: float, planning: float) -> None:
    public = Public(4, 2, H, K, 0.1, 1 / H, d**0.5, 1, np.ones((8, d)))
    assert widths.exploration_radius(public) == pytest.approx(constants.exploration_radius(public), rel=1e-12)
    assert widths.planning_radius(public) == pytest.approx(constants.planning_radius(public), rel=1e-12)
    assert constants.exploration_radius(public) == pytest.approx(exploration, rel=1e-3)
    assert constants.planning_radius(public) == pytest.approx(planning, rel=1e-3)


def test_the_radius_of_exploration_is_below_that_of_planning_unless_the_dimension_is_in_the_thousands() -> None:
    def dominates(d: int) -> bool:
        public = Public(4, 2, 3, 10**4, 0.1, 1 / 3, d**0.5, 1, np.ones((8, d)))
        return constants.exploration_radius(public) >= constants.planning_radius(public)

    assert [dominates(d) for d in (2, 100, 1500, 1700)] == [False, False, False, True]


def test_the_cost_and_the_memory_of_an_episode_do_not_grow_with_the_number_of_episodes() -> None:
    """Appendix D with the finite-state form: what is kept are arrays whose sizes do not depend on K."""
    sizes = []
    for K in (10, 60):
        known, rng = instance(K), np.random.default_rng(0)
        algorithm = LSVIRFE(known.public, constant_width)
        for _ in range(K):
            plan = algorithm.explore()
            algorithm.learn(plan, *episode(known, plan.policy, rng))
        kept = [*vars(algorithm.model).values(), *vars(algorithm.variances).values(), *algorithm.weights.values()]
        sizes.append(sum(value.nbytes for value in kept if isinstance(value, np.ndarray)))
    assert sizes[0] == sizes[1]
