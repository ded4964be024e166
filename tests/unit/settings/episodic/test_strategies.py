"""Recipes of small episodic MDPs."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
from hypothesis import given

from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_settings.episodic.strategies import EpisodicRecipe

from .runs import play


@given(EpisodicRecipe.strategy())
def test_what_is_drawn_is_an_instance(recipe: EpisodicRecipe) -> None:
    instance = recipe.build()
    assert (instance.truth.P.sum(axis=1) == 1.0).all()
    assert instance.public.high == instance.public.low + 1.0
    assert EpisodicRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
    assert all(len(line) <= 96 for line in recipe.tables().splitlines())
    for smaller in recipe.smaller():
        smaller.build()
        assert smaller.size <= recipe.size


def test_shrinking_ends_at_the_smallest() -> None:
    recipe = EpisodicRecipe(3, 2, 3, 6, ((0, 1),) * 6, (2,) * 6, offset=2)
    steps = 0
    while (following := next(recipe.smaller(), None)) is not None:
        recipe, steps = following, steps + 1
        assert steps < 200
    assert recipe == EpisodicRecipe(1, 1, 1, 1, ((0, 0),), (0,))


def test_the_transcript_is_told_as_paths() -> None:
    recipe = EpisodicRecipe(2, 1, 2, 2, ((1, 1), (0, 0)), (0, 2))
    _, run = play(HoeffdingUCBVI, recipe.build())
    assert recipe.transcript(run).splitlines()[1].split() == ["1", "0", "-a0->", "1", "-a0->", "0"]
    assert "rewards in [0, 1]" in recipe.tables()
    assert np.array_equal(recipe.build().truth.reward, [0.0, 1.0])


def test_a_narrow_range_is_the_declared_one() -> None:
    plain = EpisodicRecipe(1, 3, 1, 2, ((0, 0),) * 3, (0, 1, 2))
    narrow = replace(plain, narrow=True)
    public = narrow.build().public
    assert (public.low, public.high) == (0.5, 1.0)
    assert public.reward.tolist() == [0.5, 0.75, 1.0]
    assert plain in narrow.smaller()
    assert narrow.size == plain.size + 1
    assert "rewards in [1/2, 1]" in narrow.tables()
