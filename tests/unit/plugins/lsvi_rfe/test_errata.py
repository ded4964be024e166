from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from verifier_lsvi_rfe.errata.concentration import crossing
from verifier_lsvi_rfe.errata.hard_instance import chances, value
from verifier_lsvi_rfe.errata.sizes import sizes
from verifier_lsvi_rfe.errata.values import Fan, LongFan, _weights, published_fan, two_states
from verifier_lsvi_rfe.errata.walk import Walk
from verifier_lsvi_rfe.errata.weights import least_weights
from verifier_lsvi_rfe.shared import constants

# Both algorithms where every matrix is diagonal


def replayed(S: int, H: int, K: int, ridge: float, beta: float, episodes: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """V_{k,h} before each episode, and all weights, of Algorithm 1 with full matrices and batch solves."""
    phi, d = np.eye(S), S
    rows: list[list[tuple[np.ndarray, int, float, float]]] = [[] for _ in range(H)]
    values, weights = [], []
    for states in episodes:
        grams = [ridge * np.eye(d) + sum((np.outer(x, x) / w for x, _, w, _ in rows[h]), np.zeros((d, d))) for h in range(H)]
        raws = [ridge * np.eye(d) + sum((np.outer(x, x) / r for x, _, _, r in rows[h]), np.zeros((d, d))) for h in range(H)]
        V, estimates = np.zeros((H + 1, S)), np.zeros((H, d))
        for h in reversed(range(H)):
            target = sum((x / w * V[h + 1, s] for x, s, w, _ in rows[h]), np.zeros(d))
            estimates[h] = np.linalg.solve(grams[h], target)
            norm = np.sqrt(np.einsum("sd,sd->s", phi, np.linalg.solve(grams[h], phi.T).T))
            V[h] = np.minimum(beta * norm + phi @ estimates[h] + 2 * beta * norm, H)
        values.append(V)
        for h in range(H):
            x = phi[states[h]]
            norm = math.sqrt(x @ np.linalg.solve(grams[h], x))
            W = min(H * (estimates[h] @ x + beta * norm + H * math.sqrt(ridge) / (2 * K * math.sqrt(d))), H**2)
            raw = math.sqrt(max(H, d**2 / H * W))
            y = x / raw
            w = math.sqrt(H) if math.sqrt(y @ np.linalg.solve(raws[h], y)) <= 1 / d**3 else math.sqrt(H * d**3)
            weights.append(max(w, raw) ** 2)
            rows[h].append((x, states[h + 1], weights[-1], raw**2))
    return np.array(values), np.array(weights).reshape(-1, H)


@pytest.mark.parametrize(("beta", "ridge"), [(0.3, 0.5), (0.05, 0.01), (20.0, 0.5)])
def test_the_walk_is_the_algorithm(beta: float, ridge: float) -> None:
    rng = np.random.default_rng(0)
    S, H, K = 2, 2, 180
    episodes = [tuple(map(int, rng.integers(S, size=H + 1))) for _ in range(K)]
    values, weights = replayed(S, H, K, ridge, beta, episodes)
    walk = Walk(S, H, K, ridge=ridge, beta=beta)
    for k, states in enumerate(episodes):
        assert walk.explored == pytest.approx(values[k], abs=1e-12)
        walk.play([states])
        assert walk.weights == pytest.approx(weights[k], rel=1e-12)
    assert len(np.unique(weights.round(9))) > 1, "both branches of the weights were taken"


def test_the_error_of_the_walk_is_the_norm_of_the_paper() -> None:
    fan = Fan(4, 6, 0.6)
    walk, V = fan.played(), np.linspace(0, 2, 8)
    mu = np.vstack([fan.P, np.zeros((7, 8))])  # of step 1: only state 0 occurs
    seen = walk.sums[0] / walk.gram[0][:, None]
    error = (mu - seen) @ V
    assert walk.error(0, 0, fan.P, V) == pytest.approx(math.sqrt(error @ np.diag(walk.gram[0]) @ error))


@pytest.mark.parametrize(("K", "below"), [(2_000, False), (6_000, True)])
def test_values_at_the_published_radii_are_at_the_cap_for_thousands_of_episodes(K: int, below: bool) -> None:
    public = sizes(d=2, H=2, K=K)
    explored, planned, events = two_states(K, constants.exploration_radius(public), constants.planning_radius(public))
    assert (explored < 2.0) is below
    assert planned == 2.0
    assert events


def test_from_which_dimension_on_the_radius_of_exploration_is_the_larger_one() -> None:
    known = [sizes(d=d, H=3, K=10**4) for d in (1_588, 1_589)]
    assert [constants.exploration_radius(public) >= constants.planning_radius(public) for public in known] == [False, True]


# The means of the fan, path by path


def test_means_of_a_fan_by_its_paths() -> None:
    fan = Fan(2, 3, 0.4)
    walk = fan.played()
    norm = {s: walk.beta / math.sqrt(walk.gram[1, s]) for s in range(1, 5)}
    first = walk.beta / math.sqrt(walk.gram[0, 0])
    paths = [1, 1, 2, 3, 4]
    inside, outside = fan.means(walk, 4)
    assert inside == pytest.approx(sum(min(4 * first + 4 * norm[s], 2) for s in paths) / 5)
    assert outside == pytest.approx(min(sum(min(4 * first, 2) + min(4 * norm[s], 2) for s in paths) / 5, 2))


def test_the_published_fan_is_a_walk() -> None:
    """What the look-up of step 2 gives, against the walk with all states, after episodes of which many are enlarged."""
    fan = LongFan(k=2_002)
    walk = Walk(6, 2, 10**7, ridge=0.5, beta=constants.exploration_radius(fan.public))
    walk.play((0, fan.cycle[i % 7], 0) for i in range(fan.k - 1))
    beta, gram, estimate, grams = fan.played()
    assert beta == pytest.approx(68.7766031346, rel=1e-10)
    assert gram == pytest.approx(walk.gram[0, 0], rel=1e-12)
    assert grams == pytest.approx(walk.gram[1], rel=1e-12)
    assert estimate == pytest.approx(walk.estimate(0, walk.explored[1])[0], rel=1e-12)


def test_the_weights_of_the_published_fan_in_all_branches() -> None:
    """d^2/H = 18, H d^3 = 432, enlarged while raw * raw_gram < d^6 = 46656."""
    for optimistic in (0.01, 0.3, 1.5, 5.0):
        for raw_gram in (0.5, 1e3, 1e5):
            raw = max(2.0, 6**2 / 2 * min(2 * optimistic, 4.0))
            enlarged = 1 / math.sqrt(raw * raw_gram) > 6**-3
            assert _weights(optimistic, raw_gram) == (raw, max(2 * 6**3 if enlarged else 2.0, raw))


@pytest.mark.full
def test_the_simulation_lemma_at_the_published_radius() -> None:
    """The numbers of a loop in another language over all states: V = 2, and 1.943863467125 on the right."""
    beta, error, value, inside, outside = published_fan()
    assert value == 2.0
    assert inside == pytest.approx(1.943863467125, abs=1e-9)
    assert error < beta
    assert outside == 2.0


# Concentration


@pytest.mark.parametrize("times", [1, 2])
def test_crossing_by_all_paths(times: int) -> None:
    n, ridge, delta = 12, 3.0, 0.6
    left = 0
    for steps in product((-1, 1), repeat=n):
        sums = np.cumsum(steps)
        t = np.arange(1, n + 1)
        left += bool((np.abs(sums) / np.sqrt(ridge + t) > np.sqrt(np.log(1 + t / ridge) + times * math.log(1 / delta))).any())
    assert crossing(n, ridge, delta, times) == left / 2**n
    assert 0 < left < 2**n


def test_failure_probabilities_in_numbers() -> None:
    assert crossing(400, 20, 0.1, 1) == pytest.approx(0.2039, abs=1e-4)
    assert crossing(1000, 10, 0.1, 2) == pytest.approx(0.0664, abs=1e-4)


# Weights


def test_least_weights_in_a_run() -> None:
    """d = 2: 60 visits of each state are enlarged for sure; the run has at most 64, whatever the radius."""
    d = 2
    for beta in (0.1, 1.0, 30.0):
        walk = Walk(d, 1, 2 * d**7, ridge=1.0, beta=beta)
        total = 0.0
        for k in range(2 * d**6):
            total += walk.play([(k % 2, 0)]).weights[0]
        assert least_weights(d) == 2 * 60 * 8 <= total <= 2 * d**6 * d**3


# The hard instance


def test_values_of_the_hard_instance_by_backward_induction() -> None:
    d, H, K = 4, 6, 200
    Delta, iota = chances(d, H, K)
    for chance in (iota + (d - 1) * Delta, iota, iota - (d - 1) * Delta):
        ahead = done = 0.0  # values at x_h and at the rewarding state, after the last step
        for _ in range(H):
            ahead, done = chance * done + (1 - chance) * ahead, 1 + done
        assert value(H, chance) == pytest.approx(ahead)
    assert Delta == pytest.approx(math.sqrt(iota / K) / (4 * math.sqrt(2)))
