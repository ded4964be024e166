"""Recipes of small MDPs with knapsacks, and instances as environments of gymnasium."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from verifier_settings.knapsack import embedding, generators
from verifier_settings.knapsack.strategies import KnapsackRecipe

from .runs import play

quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
RICH = KnapsackRecipe(2, 2, 3, 6, (((0, 1), (2, 2), (0, 2), (1, 1)),) * 2, ((0, 1), (1, 1), (0, 0), (0, 1)), (2, 0, 1, 2), (2, 1))


@quickly
@given(KnapsackRecipe.strategy())
def test_what_is_drawn_is_an_instance_and_both_routes_give_its_values(recipe: KnapsackRecipe) -> None:
    instance = recipe.build()
    assert embedding.values(instance) == pytest.approx(instance.truth.V, abs=1e-12)
    assert KnapsackRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
    assert all(len(line) <= 96 for line in recipe.tables().splitlines())
    for smaller in recipe.smaller():
        smaller.build()
        assert smaller != recipe
        assert smaller.size <= recipe.size


def test_shrinking_ends_at_the_smallest() -> None:
    recipe, steps = RICH, 0
    while (following := next(recipe.smaller(), None)) is not None:
        recipe, steps = following, steps + 1
        assert steps < 200
    assert recipe == KnapsackRecipe(1, 1, 1, 1, (((0, 0),),), ((0, 0),), (0,), (0,))


def test_tables_and_transcript() -> None:
    recipe = KnapsackRecipe(1, 2, 2, 2, (((0, 0), (2, 2)),), ((0, 0), (0, 0)), (1, 2), (1,))
    assert recipe.tables().splitlines() == [
        "S = 1, A = 2, H = 2, K = 2, delta = 1/10, B = (1), starts in 0",
        "s  a  P(0)  r    c1",
        "0  0  1     1/2  0",
        "0  1  1     1    2",
    ]
    _views, run = play(recipe.build(), seed=3)
    lines = recipe.transcript(run).splitlines()
    assert lines[0].split() == ["episode", "path", "spent", "1"]
    for line, length, spent in zip(lines[1:], run.lengths, run.spent.sum(axis=(1, 2)), strict=True):
        assert line.count("->") == length
        assert line.split()[-1] == str(spent)


def test_the_simulation_pays_what_an_episode_pays() -> None:
    """The first example, action a_2: 0.8 or nothing, as often as not; within 5 standard deviations in 400 episodes."""
    instance = generators.first_example(K=1)
    tables, rng = embedding.simulation(instance), np.random.default_rng(0)
    A, paid = 2, []
    for _ in range(400):
        state, total = int(np.argmax(tables.start[:, 0])), 0.0
        for h in range(tables.horizon or 0):
            row = state * A + 1
            total += tables.reward(h, row, 0, rng)
            state = int(rng.choice(len(tables.start), p=tables.P[0, row]))
        paid.append(total)
    assert set(paid) == {0.0, 0.8}
    assert abs(np.mean(paid) - 0.4) <= 5 * 0.4 / 20
