"""FMDP-BF for knapsacks: correct variants pass, the worked examples have their numbers, the search finds small witnesses."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from verifier import Algorithm
from verifier.base.arrays import Array, IntArray
from verifier.model.regime import Regime
from verifier.model.width import Width
from verifier.trials.search.hunt import examine
from verifier.trials.search.witness import Witness
from verifier_fmdp.knapsack.algorithm import Knapsack, Steps
from verifier_fmdp.knapsack.model import Model
from verifier_settings.knapsack import KNAPSACK, KnapsackEnvironment, KnapsackPlan, Public

from ..installed import guaranteed
from .harness import check, mutant, violated

EXACT = "oracle[model=exact]"
SMALL = ("few-episodes", "free", "first-example")
EDGES = ("nothing-to-spend", "ample", "dear", "free", "one-step", "one-action", "one-state", "one-episode")


@pytest.mark.full
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.deep)])
def test_no_bug_no_violation(seed: int) -> None:
    """The error budget is 1e-3 for each check, 2e-3 in all."""
    entry = check(Knapsack, (*EDGES, "few-episodes", "first-example", "second-example"), (), seed=seed, trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["selected"] == entry.counts["evaluated"] == len(guaranteed(Knapsack).claims)


# Correct variants -----------------------------------------------------------------------------------------------------------


class LastOfSeveral(Knapsack):
    """Ties go to the last action of largest Q."""

    def greedy(self, Q: Array) -> IntArray:
        return Q.shape[1] - 1 - np.flip(Q, axis=1).argmax(axis=1)


class NoisyTies(Knapsack):
    """Ties are broken by noise of 1e-15, which also decides between values that differ by less."""

    def greedy(self, Q: Array) -> IntArray:
        return np.asarray((Q + 1e-15 * np.random.Generator(np.random.PCG64(Q.size)).random(Q.shape)).argmax(axis=1))


class RunningMeans(Knapsack):
    """Frequencies and means are kept and updated, not divided out of counts."""

    def __init__(self, public: Public, width: Width, **options: str) -> None:
        super().__init__(public, width, **options)
        self.laws = [np.zeros_like(counts) for counts in self.counts]
        self.means: Array = np.zeros_like(self.rewards)

    def learn(self, steps: Steps) -> None:
        for step in steps:
            super().learn([step])
            pair, following, costs, reward = step
            values = [support.index(int(c)) for support, c in zip(self.public.supports, costs, strict=True)]
            n = self.visits()[pair]
            for law, value in zip(self.laws, [following, *values], strict=True):
                law[pair] += (np.eye(law.shape[1])[value] - law[pair]) / n
            self.means[pair] += (np.array([reward, reward**2]) - self.means[pair]) / n

    def law(self, counts: Array, visits: Array) -> Array:
        return next(law for law, own in zip(self.laws, self.counts, strict=True) if own is counts)

    def mean_reward(self, visits: Array) -> Array:
        return np.where(visits > 0, self.means[:, 0], 1.0)


class UniformWhereUnknown(Knapsack):
    """Uniform laws where nothing was seen: nobody plans with them."""

    def law(self, counts: Array, visits: Array) -> Array:
        return np.where(visits[:, None] > 0, super().law(counts, visits), 1.0 / counts.shape[1])


class ByEnumeration(Knapsack):
    """Means and moments outcome by outcome, from squared distances, with nothing shared between pairs and budgets."""

    def model(self, rows: list[Array]) -> Model:
        self.rows = rows
        return super().model(rows)

    def moments(self, model: Model, above: Array, below: Array) -> tuple[Array, Array, Array]:
        public, n = self.public, self.public.d + 1
        mean, found = np.zeros((public.X, public.G)), np.zeros((2, n, public.X, public.G))
        for x, b in product(range(public.X), range(public.G)):
            laws = [row[x] for row in self.rows]
            upper, gap = (self.follow(values, b) for values in (above, above - below))
            mean[x, b] = self.expectation(laws, upper)
            for i in range(n):
                tail, whole = self.tail(laws[i + 1 :], upper), self.tail(laws[i + 1 :], gap)
                centre = np.tensordot(tail, laws[i], axes=1)[..., None]
                found[0, i, x, b] = self.expectation(laws[: i + 1], (tail - centre) ** 2)
                found[1, i, x, b] = self.expectation(laws[: i + 1], whole**2)
        return mean, found[0], found[1]

    def follow(self, values: Array, b: int) -> Array:
        """V(s', b - c) for all s' and c, 0 where overspent."""
        sizes = [B + 1 for B in self.public.budgets]
        left = np.unravel_index(b, sizes)
        found = np.zeros(self.public.sizes)
        for outcome in product(*map(range, self.public.sizes[1:])):
            after = [int(r) - s[j] for r, s, j in zip(left, self.public.supports, outcome, strict=True)]
            if min(after) >= 0:
                found[(slice(None), *outcome)] = values[:, int(np.ravel_multi_index(after, sizes))]
        return found

    def tail(self, laws: list[Array], values: Array) -> Array:
        """E over the last axes."""
        for law in reversed(laws):
            values = values @ law
        return values

    def expectation(self, laws: list[Array], values: Array) -> float:
        return float(self.tail(laws, values))


class OwnPurse(Knapsack):
    """Stops when its own purse says so, and not when the environment does."""

    def ends(self, over: bool) -> bool:
        return bool((self.remaining < 0).any())


class OtherArrays(Knapsack):
    """Arrays in Fortran order, 32-bit integers."""

    def plan(self) -> KnapsackPlan:
        plan = super().plan()
        return replace(plan, Q=np.asfortranarray(plan.Q), policy=plan.policy.astype(np.int32))


class CountsAtOnce(Knapsack):
    """Counts each step when it is played; plans are made at starts of episodes all the same."""

    def play(self, env: KnapsackEnvironment, plan: KnapsackPlan, state: int) -> None:
        self.refill()
        over, h = False, 0
        while not over:
            action = int(plan.policy[h, state, self.flat()])
            following, reward, costs, over = env.step(action)
            self.learn([(state * self.public.A + action, following, costs, reward)])
            state, self.remaining, h = following, self.remaining - costs, h + 1


ESTIMATED = ("published", "scaled(0.001)", "oracle[bonus=error]")
"""Who is told the error of an estimate is told that of 0 where nothing was seen."""
VARIANTS: dict[type[Algorithm], tuple[str, ...]] = {
    LastOfSeveral: (), NoisyTies: (), RunningMeans: (), UniformWhereUnknown: ESTIMATED, ByEnumeration: (), OwnPurse: (),
    OtherArrays: (), CountsAtOnce: (),
}  # fmt: skip


@pytest.mark.one_in(8)
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_correct_variant_passes(variant: type[Algorithm]) -> None:
    entry = check(variant, SMALL, VARIANTS[variant], seed=1, trials=1)
    assert not violated(entry)
    assert not entry.errors
    assert entry.counts["conforms"] > 25


def test_the_order_of_the_factors_does_not_decide_of_q_alone() -> None:
    """Costs before the next state: other variances of single factors, the same sum, so that the bonus is another one."""

    class CostsFirst(Knapsack):
        def moments(self, model: Model, above: Array, below: Array) -> tuple[Array, Array, Array]:
            mean, variance, correction = super().moments(model, above, below)
            return mean, np.flip(variance, axis=0), correction

    assert {"variance", "transition-bonus"} <= violated(check(CostsFirst, ("few-episodes",), ("scaled(0.001)",), trials=1))


# The worked examples --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "numbers"), [("first-example", ("0.5 = Q_1(a_1)", "Q_1(a_2) = 0.4")), ("second-example", ("0.75", "has 0.5"))]
)
def test_the_examples_are_claims_with_their_numbers(name: str, numbers: tuple[str, ...]) -> None:
    entry = check(Knapsack, (name,), (EXACT,), trials=1)
    (claim,) = (claim for claim in entry.claims if claim.id == f"knapsack/{name}")
    assert claim.verdict == "conforms"
    assert all(number in claim.statement for number in numbers)
    assert claim.regimes[0].powered > 0


# The search -----------------------------------------------------------------------------------------------------------------


def hunt(algorithm: type[Algorithm], regime: str, *names: str) -> tuple[Witness, ...]:
    guarantees = guaranteed(algorithm)
    claims = [claim for claim in guarantees.claims if not names or claim.name in names]
    return examine(guarantees, KNAPSACK, claims, Regime.parse(regime), 0, 60).witnesses


@pytest.mark.one_in(3)
@pytest.mark.parametrize("regime", ["scaled(0.001)", "oracle[bonus=error]", EXACT])
def test_nothing_is_found_where_nothing_is_wrong(regime: str) -> None:
    assert hunt(Knapsack, regime) == ()


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("bug", "claim", "smallest", "budgets"),
    [
        ("dies-at-zero", "embedding", (1, 1, 2, 1), [0]),
        ("debt-forgiven", "embedding", (1, 1, 2, 1), [0]),
        ("keeps-acting", "stops", (1, 1, 2, 1), [0]),
    ],
)
def test_a_bug_is_shown_on_the_smallest_instance(bug: str, claim: str, smallest: tuple[int, ...], budgets: list[int]) -> None:
    """The smallest (S, A, H, K) by hand: a second step that counts or does not, with nothing to spend."""
    (witness,) = hunt(mutant(Knapsack, bug), EXACT, claim)
    assert tuple(witness.recipe[size] for size in "SAHK") == smallest
    assert list(witness.recipe["budgets"]) == budgets
    assert "episode" in witness.text()
