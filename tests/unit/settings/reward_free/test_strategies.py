"""Recipes of small linear MDPs without rewards."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import HealthCheck, given, settings

from verifier_settings.reward_free.strategies import RewardFreeRecipe

from .runs import play

quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@quickly
@given(RewardFreeRecipe.strategy())
def test_what_is_drawn_is_an_instance(recipe: RewardFreeRecipe) -> None:
    instance = recipe.build()
    assert np.allclose(instance.truth.P.sum(axis=2), 1.0)
    assert instance.truth.P.min() > -1e-15
    for theta in instance.fixed.values():
        assert instance.reward(theta).min() > -1e-12
        assert instance.reward(theta).max() < 1 + 1e-12
        assert np.linalg.norm(theta, axis=1).max() <= instance.public.reward_norm + 1e-12
    assert RewardFreeRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
    assert all(len(line) <= 96 for line in recipe.tables().splitlines())
    for smaller in recipe.smaller():
        smaller.build()
        assert smaller.size <= recipe.size


def test_shrinking_ends_at_the_smallest() -> None:
    measures = ((((0, 1),) * 3),) * 3
    recipe = RewardFreeRecipe(3, 2, 8, ((0, 1),) * 6, measures, ((2, 2, 2),) * 3, turned=True, ridge=0.01)
    steps = 0
    while (following := next(recipe.smaller(), None)) is not None:
        recipe, steps = following, steps + 1
        assert steps < 200
    assert recipe == RewardFreeRecipe(1, 1, 1, ((0, 0),), (((0, 0),),), ((0,),))


def test_the_transcript_is_told_as_paths() -> None:
    recipe = RewardFreeRecipe(2, 1, 2, ((0, 0), (1, 1)), (((1, 1), (0, 0)),) * 2, ((0, 0), (0, 0)))
    _, run = play(recipe.build())
    assert recipe.transcript(run).splitlines()[1].split() == ["1", "0", "-a0->", "1", "-a0->", "0", "1", "2"]
