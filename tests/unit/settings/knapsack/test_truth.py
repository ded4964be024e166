"""Exact values over states and budgets, by three routes, and the worked examples of the paper."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_fmdp.errata.knapsack import second_example
from verifier_properties.knapsack.budget import best_blind
from verifier_settings.factored import products
from verifier_settings.knapsack import KNAPSACK, Instance, augmented, embedding, generators, make

from .runs import small

CATALOGUE = {scenario.name: scenario.draw(0) for scenario in KNAPSACK.catalogue}


@pytest.mark.parametrize("name", CATALOGUE)
def test_the_factored_mdp_with_overspent_budgets_has_the_same_values(name: str) -> None:
    instance = CATALOGUE[name]
    assert embedding.values(instance) == pytest.approx(instance.truth.V, abs=1e-12)


def tree(instance: Instance, policy: np.ndarray | None = None) -> float:
    """V_1(s_1, B) by walking through all states, actions and cost vectors, with the cost so far and not what is left."""
    public, truth = instance.public, instance.truth

    def value(h: int, s: int, spent: tuple[int, ...]) -> float:
        if h == public.H or any(c > B for c, B in zip(spent, public.budgets, strict=True)):
            return 0.0
        left = [B - c for B, c in zip(public.budgets, spent, strict=True)]
        flat = int(np.ravel_multi_index(left, [B + 1 for B in public.budgets]))
        actions = range(public.A) if policy is None else [int(policy[h, s, flat])]
        return max(action_value(h, s, a, spent) for a in actions)

    def action_value(h: int, s: int, a: int, spent: tuple[int, ...]) -> float:
        x = s * public.A + a
        total = float(truth.part.law[x] @ truth.part.support)
        for outcome in product(*(range(len(support)) for support in public.supports)):
            chance = float(np.prod([law[x, j] for law, j in zip(truth.costs, outcome, strict=True)]))
            after = tuple(c + public.supports[i][j] for i, (c, j) in enumerate(zip(spent, outcome, strict=True)))
            for following in range(public.S):
                if truth.P[x, following] * chance > 0:
                    total += truth.P[x, following] * chance * value(h + 1, following, after)
        return total

    return sum(p * value(0, s, (0,) * public.d) for s, p in enumerate(instance.start))


@pytest.mark.parametrize("seed", range(3))
def test_values_by_walking_through_the_tree(seed: int) -> None:
    instance = small(seed)
    assert instance.start @ instance.truth.V[0, :, -1] == pytest.approx(tree(instance))
    policy = np.random.default_rng(seed).integers(2, size=(1, 3, 2, instance.public.G))
    V = augmented.policy_values(instance.truth.rows, instance.truth.reward, augmented.after(instance.public), policy)
    assert instance.start @ V[0, 0, :, -1] == pytest.approx(tree(instance, policy[0]))


def test_variances_of_the_factors_add_up_to_that_of_what_follows() -> None:
    instance = small()
    follow = augmented.following(instance.truth.V[1], augmented.after(instance.public))
    parts = products.variances(instance.truth.rows, follow)
    joint = products.product(instance.truth.rows)
    mean = follow @ joint.T
    whole = follow**2 @ joint.T - mean**2
    assert parts.shape == (3, instance.public.G, instance.public.X)
    assert parts.sum(axis=0) == pytest.approx(whole)


def test_a_cost_may_use_up_the_budget_and_not_exceed_it() -> None:
    after = augmented.after(small().public)  # budgets (1, 2); costs 0, 1 and 0, 1, 3
    assert after.shape == (6, 6)
    assert after[5].tolist() == [5, 4, 6, 2, 1, 6]  # from (1, 2): (1,2), (1,1), over; (0,2), (0,1), over
    assert after[0].tolist() == [0, 6, 6, 6, 6, 6]  # from (0, 0): nothing may be spent


# The worked examples


def test_the_first_example() -> None:
    instance = generators.first_example(K=1)
    assert instance.truth.Q[0, 0, :, -1].tolist() == [0.5, 0.4]
    assert instance.truth.V[0, 0, -1] == 0.5
    free = make(instance.truth.P, instance.truth.part, [((0,), np.ones((6, 1)))], (0,), H=2, K=1)
    assert free.truth.Q[0, 0, 1, -1] == 0.8  # without costs a_2 is worth more
    assert instance.truth.costs[0][1] @ (0, 1, 2) == 1  # and on the mean it costs the budget


@pytest.mark.parametrize("printed", [True, False])
def test_the_second_example_is_that_of_the_erratum(printed: bool) -> None:
    instance = generators.second_example(K=1, printed=printed)
    best, blind = second_example((Fraction(0), Fraction(1) if printed else Fraction(1, 2)))
    assert instance.truth.V[0, 0, -1] == float(best) == (0.5 if printed else 0.75)
    assert best_blind(instance) == float(blind) == 0.5


def test_the_best_blind_policy_is_the_best_one_where_the_budget_never_binds() -> None:
    instance = small(budgets=(3, 9))
    assert best_blind(instance) == pytest.approx(instance.start @ instance.truth.V[0, :, -1])


@pytest.mark.parametrize("m", [1, 2, 5])
def test_a_finer_unit_changes_nothing(m: int) -> None:
    coarse, fine = generators.toll(steps=3, K=1), generators.toll(steps=3, K=1, m=m)
    assert fine.truth.V[..., ::m] == pytest.approx(coarse.truth.V)
    assert coarse.truth.V[0, 0, -1] == pytest.approx(1.0)


# What is refused


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"budgets": (1,)}, "2 costs and 1 budgets"),
        ({"budgets": (-1, 2)}, "expected increasing integers from 0 on"),
        ({"supports": ((1, 0), (0, 1, 3))}, "expected increasing integers from 0 on"),
    ],
)
def test_tables_that_are_none(change: dict[str, object], message: str) -> None:
    with pytest.raises(ContractError, match=message):
        small(**change)


def test_laws_that_are_none() -> None:
    truth = small().truth
    with pytest.raises(ContractError, match="the law of cost 1"):
        make(truth.P, truth.part, [((0, 1), truth.costs[0] * 2)], (1,), H=1, K=1)
    with pytest.raises(ContractError, match=r"values in \[0, 1\]"):
        make(truth.P, generators.sure([0.5, 0.5, 2.0, 0.5]), [((0, 1), truth.costs[0])], (1,), H=1, K=1)
