"""OFUL: correct variants pass, and somebody's class; what the regret bound alone would not find; instances of linear bandits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import verifier
from verifier.base.arrays import Array, IntArray
from verifier.model.measurement import measure
from verifier_bandits.oful import formulas
from verifier_bandits.oful.algorithm import OFUL
from verifier_bandits.ucb1.algorithm import UCB1
from verifier_properties.episodic import assumptions, ellipsoids
from verifier_settings.episodic import EPISODIC, Public, bernoulli, generators, make
from verifier_settings.episodic.instance import beyond as beyond_the_plain

from .harness import check, violated
from .held_agents import verdict

EDGES = (
    "linear-bandit-one-action", "linear-bandit-few-rounds", "linear-bandit-arms", "linear-bandit-copies",
    "linear-bandit-constants", "linear-bandit-weak-ridge", "linear-bandit-halves", "linear-bandit-bent",
)  # fmt: skip


class LastOfSeveral(OFUL):
    """Ties go to the last action."""

    def greedy(self, index: Array) -> IntArray:
        return index.shape[-1] - 1 - np.flip(index, axis=-1).argmax(axis=-1)


class RankOneInverse(OFUL):
    """V^-1 kept by rank-one updates, as most code does; V is never inverted."""

    def __init__(self, public: Public, width: Any, **options: str) -> None:
        super().__init__(public, width, **options)
        self.kept: Array = np.eye(public.d) / public.ridge

    def learn(self, x: Array, reward: float) -> None:
        super().learn(x, reward)
        solved = self.kept @ x
        self.kept = self.kept - np.outer(solved, solved) / (1.0 + x @ solved)

    def estimate(self, inverse: Array) -> Array:
        return super().estimate(self.kept)

    def norm(self, phi: Array, inverse: Array) -> Array:
        return super().norm(phi, self.kept)


class ByCholesky(OFUL):
    """Norms from a factor of V, the determinant from its diagonal."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        return np.asarray(np.linalg.norm(np.linalg.solve(np.linalg.cholesky(self.gram), phi.T), axis=0))

    def growth(self, gram: Array) -> float:
        return float(2 * np.log(np.diag(np.linalg.cholesky(gram / self.public.ridge))).sum())


class ByGrowth(OFUL):
    """The determinant kept by its growth, log(1 + ||x||^2) in each round."""

    grown = 0.0

    def learn(self, x: Array, reward: float) -> None:
        self.grown += float(np.log1p(x @ np.linalg.solve(self.gram, x)))
        super().learn(x, reward)

    def growth(self, gram: Array) -> float:
        return self.grown


class FromHistory(OFUL):
    """Everything is kept, and the regression solved anew with a column of rewards."""

    def learn(self, x: Array, reward: float) -> None:
        self.rows: list[Array] = [*self.__dict__.get("rows", []), np.append(x, reward)]
        X, r = np.array(self.rows)[:, :-1], np.array(self.rows)[:, -1]
        self.gram = X.T @ X + self.public.ridge * np.eye(self.public.d)
        self.moment = X.T @ r

    def estimate(self, inverse: Array) -> Array:
        return np.linalg.solve(self.gram, self.moment)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("algorithm", [OFUL, LastOfSeveral, RankOneInverse, ByCholesky, ByGrowth, FromHistory])
def test_no_bug_no_violation(algorithm: type[OFUL]) -> None:
    """Chance of a false alarm: the error budget of 1e-3 for each check, 6e-3 in all."""
    entry = check(algorithm, EDGES, (), seed=1, trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["selected"] == entry.counts["evaluated"]


def test_means_that_are_not_linear_are_outside() -> None:
    bent = next(item for item in EPISODIC.catalogue if item.name == "linear-bandit-bent").build(np.random.default_rng(1))
    assert measure(assumptions.linear_rewards.function(bent)).violations == 3


def test_a_parameter_longer_than_declared_is_outside() -> None:
    for B, violations in ((0.9, 0), (0.8, 1)):
        instance = generators.linear_bandit(phi=np.array([[1.0], [0.1]]), theta=np.array([0.9]), K=2, B=B)
        assert measure(ellipsoids.parameter_norm.function(instance)).violations == violations


def test_a_bandit_with_features_or_states_is_linear_and_one_of_plain_arms_is_not() -> None:
    def beyond(S: int, **features: Any) -> frozenset[str]:
        law = bernoulli(np.array([0.2, 0.4]))
        return beyond_the_plain(make(np.full((2, S), 1 / S), law, H=1, K=3, bandit=True, **features))

    assert "linear-bandit" not in beyond(1)
    assert "linear-bandit" in beyond(2)
    assert "linear-bandit" in beyond(1, phi=np.array([[0.5], [1.0]]))
    assert "linear-bandit" in OFUL.handles - UCB1.handles


def test_a_declared_bound_is_that_of_theta_in_a_bandit() -> None:
    instance = make(np.ones((3, 1)), bernoulli(np.array([0.5, 0.9, 0.9])), H=1, K=3, bandit=True)
    assert pytest.approx((0.25 + 2 * 0.81) ** 0.5) == instance.public.B
    assert generators.linear_bandit(phi=np.array([[0.5]]), theta=np.array([0.4]), K=2).public.B == 1.0


def test_the_ellipsoid_with_the_oracle_width_ends_at_the_parameter() -> None:
    """The bonus of the oracle is the realised error: 0.999 times it is not enough."""

    class Less(OFUL):
        def norm(self, phi: Array, inverse: Array) -> Array:
            return 0.999 * super().norm(phi, inverse)

    entry = check(Less, ("linear-bandit-one-action",), ("oracle",), seed=2, trials=1)
    assert "bonus-validity" in violated(entry)


def test_the_regret_bound_is_below_what_can_be_lost_where_the_catalogue_says_so() -> None:
    public = next(item for item in EPISODIC.catalogue if item.name == "linear-bandit-line").build(np.random.default_rng(1)).public
    assert formulas.regret(public, public.K) < 0.81 * public.K
    rounds = np.arange(1.0, 9.0)
    assert np.array_equal(formulas.regret(public, rounds), [formulas.regret(public, n) for n in rounds])
    assert (np.diff(formulas.largest_radius(public, rounds)) > 0).all()


def test_a_tenth_of_the_bonus_passes_the_regret_bound_and_not_its_line() -> None:
    class Tenth(OFUL):
        def norm(self, phi: Array, inverse: Array) -> Array:
            return 0.1 * super().norm(phi, inverse)

    entry = check(Tenth, ("linear-bandit-line", "linear-bandit-weak-ridge"), (), seed=1, trials=1)
    assert {"bonus-formula", "bonus-validity"} <= violated(entry)
    assert "regret" not in violated(entry)


class ThreeHalves(OFUL):
    """More optimism than is published."""

    def norm(self, phi: Array, inverse: Array) -> Array:
        return 1.5 * super().norm(phi, inverse)


class Timid(OFUL):
    """The worst action by its own index."""

    def greedy(self, index: Array) -> IntArray:
        return super().greedy(-index)


@pytest.mark.parametrize(("agent", "red"), [(ThreeHalves, False), (Timid, True)])
def test_rounds_that_lose_much_are_counted(agent: type[OFUL], red: bool) -> None:
    """A wider bonus has another index, and loses little, too; where no arm loses more than 3/4 nothing could fail."""
    entry = check(agent, ("linear-bandit-line", "linear-bandit-arms"), (), seed=1, trials=40 if red else 2)
    assert not entry.errors
    assert ("rounds-above" in violated(entry)) == red
    public = next(item for item in EPISODIC.catalogue if item.name == "linear-bandit-line").build(np.random.default_rng(1)).public
    assert formulas.rounds_above(public, public.K, 0.75) < 0.75 * public.K


class LinUCB:
    """Somebody's class, of which actions alone are seen."""

    power = 0.5

    def __init__(self, S: int, A: int, phi: Array, ridge: float, delta: float, B: float = 1.0) -> None:
        self.x, self.ridge, self.delta, self.B, self.alpha = phi.reshape(S, A, -1), ridge, delta, B, 1.0
        self.V, self.b = ridge * np.eye(phi.shape[1]), np.zeros(phi.shape[1])

    def growth(self) -> float:
        return float(np.linalg.slogdet(self.V / self.ridge)[1])

    def act(self, s: int) -> int:
        x, inverse = self.x[s], np.linalg.inv(self.V)
        beta = np.sqrt(self.growth() - 2 * np.log(self.delta)) / 2 + np.sqrt(self.ridge) * self.B
        norms = np.array([row @ inverse @ row for row in x]) ** self.power
        return int((x @ inverse @ self.b + self.alpha * beta * norms).argmax())

    def update(self, s: int, a: int, r: float) -> None:
        self.V += np.outer(self.x[s, a], self.x[s, a])
        self.b += r * self.x[s, a]


class NoRoot(LinUCB):
    """The square of the norm."""

    power = 1.0


class ForgetsRidge(LinUCB):
    """The determinant without that of lambda I, which is 1 where lambda is."""

    def growth(self) -> float:
        return float(np.linalg.slogdet(self.V)[1])


@pytest.mark.parametrize(
    ("mine", "place", "red"),
    [
        (LinUCB, "linear-bandit-weak-ridge", set[str]()),
        (NoRoot, "linear-bandit-weak-ridge", {"decisions"}),
        (LinUCB, "linear-bandit-arms", set[str]()),
        (ForgetsRidge, "linear-bandit-arms", {"decisions"}),
    ],
)
def test_actions_of_somebodys_class_are_compared(mine: type[LinUCB], place: str, red: set[str]) -> None:
    entry = verdict(verifier.hold(mine, to="oful", knob="alpha"), (place,), ("published",))
    assert not entry.errors
    assert violated(entry) == red
