"""EXP3: correct variants pass; laws and regret that are wrong are found; instances whose rewards are fixed before the run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier_bandits.exp3 import formulas
from verifier_bandits.exp3.algorithm import EXP3
from verifier_bandits.ucb1.algorithm import UCB1
from verifier_properties.episodic import exponential_weights
from verifier_settings.episodic import (
    EPISODIC,
    EpisodicEnvironment,
    EpisodicPlan,
    Instance,
    Public,
    RewardTable,
    generators,
    make,
)
from verifier_settings.episodic.environment import EpisodicTranscript
from verifier_settings.episodic.instance import beyond, simulation
from verifier_settings.episodic.strategies import BanditRecipe

from ..unit.settings.episodic.runs import play, session
from .harness import check, violated

EDGES = (
    "adversary-turns", "adversary-ties", "adversary-nothing", "adversary-graded", "adversary-few-rounds", "adversary-constant",
    "bandit-one-arm", "bandit-five", "bandit-graded", "bandit-wide",
)  # fmt: skip


class InLogs(EXP3):
    """Sums of estimates are kept, and weights only made where they are needed."""

    def __init__(self, public: Public, width: Any, **options: str) -> None:
        super().__init__(public, width, **options)
        self.weights = np.zeros(public.A)

    def updated(self, weights: Array, estimate: Array) -> Array:
        return weights + estimate

    def shares(self, weights: Array) -> Array:
        exponents = self.gamma / self.public.A * weights
        return np.asarray(np.exp(exponents - np.logaddexp.reduce(exponents)))


class NeverScaled(EXP3):
    """Weights grow as the paper writes them, and are reported as they are."""

    def updated(self, weights: Array, estimate: Array) -> Array:
        return np.asarray(weights * np.exp(self.gamma * estimate / self.public.A))

    def plan(self) -> EpisodicPlan:
        made = super().plan()
        return EpisodicPlan(Q=self.weights[None, None], V=made.V, policy=made.policy, extra=made.extra)


class OtherOrder(EXP3):
    """The uniform part first, the probabilities divided by their sum, and the arm found by a sum."""

    def mixed(self, share: Array) -> Array:
        uniform = np.ones(len(share)) / len(share)
        chances = self.gamma * uniform + share - self.gamma * share
        return np.asarray(chances / chances.sum())

    def draw(self, chances: Array) -> int:
        return min(int(np.cumsum(chances).searchsorted(self.rng.random())), len(chances) - 1)


class TwoStages(EXP3):
    """A coin says whether to explore, and only then is an arm drawn."""

    def draw(self, chances: Array) -> int:
        if self.rng.random() < self.gamma:
            return int(self.rng.integers(len(chances)))
        return super().draw(self.shares(self.weights))


class LoopOfItsOwn(EXP3):
    """The first round is played from a plan that is written down, and not computed."""

    def run(self, env: EpisodicEnvironment) -> Iterator[EpisodicPlan]:
        self.rng, A = env.rng, self.public.A
        env.begin_episode()
        uniform = np.full((1, 1, A), 1.0 / A)
        first = EpisodicPlan(Q=uniform, V=np.array([[1.0 / A], [0.0]]), policy=uniform,
            extra={"gamma": np.array(self.gamma), "xhat": np.zeros(A)})  # fmt: skip
        yield first
        self.play(env, first)
        yield from super().run(env)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("algorithm", [EXP3, InLogs, NeverScaled, OtherOrder, TwoStages, LoopOfItsOwn])
def test_no_bug_no_violation(algorithm: type[EXP3]) -> None:
    """Chance of a false alarm: the error budget of 1e-3 for each check, 6e-3 in all."""
    entry = check(algorithm, EDGES, (), seed=1, trials=2)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["selected"] == entry.counts["evaluated"]


class SecretlyUniform(EXP3):
    """Reports the right probabilities, and plays any arm."""

    def draw(self, chances: Array) -> int:
        return int(self.rng.integers(len(chances)))


class ReadsTheTable(EXP3):
    """Plays an arm that pays most wherever it is likely anyway."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
        assert env._table is not None
        best = int(env._table[env.episode].argmax())
        arm = best if self.chances[best] > 0.2 else self.draw(self.chances)
        _state, reward = env.step(arm)
        self.learn(arm, reward)


def test_arms_that_are_not_drawn_from_the_plan_are_found() -> None:
    assert violated(check(SecretlyUniform, ("adversary-constant",), (), seed=1, trials=2)) == {"drawn-arms"}
    assert "unbiased" in violated(check(ReadsTheTable, ("adversary-near",), (), seed=1, trials=2))


def test_the_regret_bound_is_violated_by_who_never_learns() -> None:
    """Mean regret 350 against a bound of 92.7; at most 30 runs decide, and the chance that they do not is below 1e-6."""

    class Idle(EXP3):
        def learn(self, arm: int, reward: float) -> None:
            pass

    entry = check(Idle, ("adversary-constant",), (), seed=1, trials=30, share=1.0)
    assert {"regret", "tuned-regret"} <= violated(entry)


def test_bounds_of_theorem_and_corollary() -> None:
    """With an arm that pays 1 in each round, the tuned gamma makes of the theorem what the corollary has."""
    A, K = 2.0, 1000.0
    gamma = math.sqrt(A * math.log(A) / ((math.e - 1) * K))
    assert float(exponential_weights.tuned(A, K)) == pytest.approx(gamma)
    assert (
        formulas.regret(A, K, K) == pytest.approx(formulas.tuned_regret(A, K, K)) == pytest.approx(2 * (math.e - 1) * gamma * K)
    )
    assert formulas.tuned_regret(A, K, K) <= 2.63 * math.sqrt(K * A * math.log(A)) < K
    assert formulas.regret(A, K, 900.0) < formulas.regret(A, K, K)
    assert float(exponential_weights.tuned(5.0, 3.0)) == 1.0


# Rewards that are fixed before the run ----------------------------------------------------------------------------------


def turns(K: int = 6) -> Instance:
    return generators.switching(K=K, pays=((1.0, 0.0), (0.0, 0.5), (0.25, 1.0)))


def pays(instance: Instance) -> Array:
    """(K, A) rewards of a table."""
    law = instance.truth.law
    assert isinstance(law, RewardTable)
    return law.rounds


def test_the_environment_pays_what_the_table_has() -> None:
    opened = session(turns(), EXP3)
    env, paid, kept = opened.environment, [], opened.transcript
    for k in range(6):
        env.begin_episode()
        paid.append(env.step(k % 2)[1])
    assert paid == [1.0, 0.0, 0.0, 0.5, 0.25, 1.0]
    assert isinstance(kept, EpisodicTranscript)
    assert kept.rewards is not None
    assert kept.rewards[:, 0].tolist() == paid


def test_rounds_in_a_block_pay_the_same() -> None:
    one, other = (session(turns(), EXP3) for _ in range(2))
    block = one.environment
    block.begin_episode()
    rewards = block.play(np.array([[1]]), visits=6.0)[2]
    single = []
    for _k in range(6):
        other.environment.begin_episode()
        single.append(other.environment.step(1)[1])
    assert rewards.ravel().tolist() == single == [0.0, 0.0, 0.5, 0.5, 1.0, 1.0]
    assert one.digest() == other.digest()


def test_truth_has_the_means_over_the_rounds() -> None:
    instance = turns()
    totals = pays(instance).sum(axis=0)
    assert totals.tolist() == [2.5, 3.0]
    assert instance.truth.reward == pytest.approx(totals / 6)
    assert instance.truth.V[0, 0] == pytest.approx(0.5)
    assert np.isnan(instance.public.reward).all()


def test_only_algorithms_that_handle_an_adversary_meet_one() -> None:
    assert "adversarial" in beyond(turns())
    assert "adversarial" in EXP3.handles - UCB1.handles
    named = {item.name for item in EPISODIC.catalogue if "adversarial" in item.extends}
    assert named == {item.name for item in EPISODIC.catalogue if item.name.startswith("adversary-")}


def test_tables_that_fit_nothing() -> None:
    with pytest.raises(ContractError, match="of 2 episodes; expected a bandit, with K = 3"):
        make(np.ones((2, 1)), RewardTable(np.zeros((2, 2))), H=1, K=3, bandit=True)
    with pytest.raises(ContractError, match="expected a bandit"):
        make(np.ones((2, 1)), RewardTable(np.zeros((3, 2))), H=1, K=3)
    for wrong in (np.zeros(3), np.zeros((0, 2)), np.full((2, 2), np.nan)):
        with pytest.raises(ContractError, match="a table of rewards of shape"):
            RewardTable(wrong)
    with pytest.raises(ContractError, match="which no table of steps has"):
        simulation(turns())


def test_a_drawn_adversary_lets_arms_trade_places() -> None:
    recipe = BanditRecipe(1, 2, 1, 3, ((0, 0), (0, 0)), (2, 1), fixed=True)
    assert pays(recipe.build()).tolist() == [[1.0, 0.5], [0.5, 1.0], [1.0, 0.5]]
    assert "nothing is drawn" in recipe.tables()
    assert "with mean r" not in recipe.tables()
    assert any(not smaller.fixed for smaller in recipe.smaller())


def test_regret_is_that_of_the_table() -> None:
    """Value minus bound is the regret minus what the theorem allows, also where regret is below 0."""

    class Knows(EXP3):
        def play(self, env: EpisodicEnvironment, plan: EpisodicPlan) -> None:
            env.step(int(pays(turns())[env.episode].argmax()))

    for algorithm, regret in ((Knows, 3.0 - 5.0), (EXP3, None)):
        _phases, run = play(algorithm, turns())
        found = exponential_weights.regret(lambda A, K, most: 100.0, "regret").function(run)
        missed = 3.0 - float(run.rewards.sum()) if regret is None else regret
        assert float(found.value) - float(found.bound) == pytest.approx(missed - 100.0)
        assert 0.0 <= float(found.value) <= float(found.trivial) == 4.5


def test_evidence_of_blind_draws_has_mean_one() -> None:
    """All sequences of three draws, by their probabilities: the mean of the e-value is 1."""
    table = generators.adversary(rounds=np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]))
    chances, total = np.array([0.3, 0.7]), 0.0

    class Replay(EXP3):
        arms: tuple[int, ...] = ()

        def mixed(self, share: Array) -> Array:
            return chances

        def draw(self, chances: Array) -> int:
            self.count = getattr(self, "count", -1) + 1
            return self.arms[self.count]

    for arms in np.ndindex(2, 2, 2):
        _phases, run = play(type("Given", (Replay,), {"arms": arms}), table)
        chance = float(np.prod(chances[list(arms)]))
        total += chance * float(exponential_weights.blind_draws.function(run).value)
    assert total == pytest.approx(1.0)


def test_where_rewards_are_drawn_nothing_says_which_arm_would_have_paid() -> None:
    _phases, run = play(EXP3, generators.bandit(law=generators.bernoulli(np.array([0.2, 0.8])), K=20))
    assert float(exponential_weights.blind_draws.function(run).trivial) == pytest.approx(1.0)
