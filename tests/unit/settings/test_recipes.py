"""Drawn instances of the lifelong setting: what a recipe promises, and how it is simplified."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from verifier.trials.search.witness import WIDTH
from verifier.trials.trial import assumptions_of
from verifier_settings.drawing import DrawnRecipe, counted, number, option, table, together
from verifier_settings.lifelong.strategies import EXACT, Contexts, LifelongRecipe
from verifier_settings.parts import extent
from verifier_ucblvd.ucblvd.algorithm import UCBlvd

from ...installed import guaranteed

quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@dataclass(frozen=True)
class Wide(LifelongRecipe):
    """More contexts, and those for which an assumption fails."""

    W = counted(3)
    contexts: Contexts = option((*EXACT, "between"))
    ridge: float = option((1.0, 4.0))


@quickly
@given(LifelongRecipe.strategy())
def test_drawn_instances_satisfy_all_assumptions(recipe: LifelongRecipe) -> None:
    failed = {name: found for name, found in assumptions_of(guaranteed(UCBlvd), recipe.build()).items() if found.violations}
    assert failed == {}


@quickly
@given(Wide.strategy())
def test_recipes_say_everything_about_the_instance(recipe: LifelongRecipe) -> None:
    again = Wide.from_json(json.loads(json.dumps(recipe.to_json())))
    assert again == recipe
    assert hash(again) == hash(recipe)
    one, other = recipe.build(), again.build()
    assert np.array_equal(one.truth.P, other.truth.P)
    assert np.array_equal(one.public.reward, other.public.reward)
    public = one.public
    sizes = (recipe.S, recipe.A, recipe.H, recipe.K, recipe.d, recipe.m)
    assert (public.S, public.A, public.H, public.K, public.d, public.m) == sizes
    assert public.ridge == recipe.ridge


@quickly
@given(Wide.strategy())
def test_tables_fit_on_the_page_and_show_every_row(recipe: LifelongRecipe) -> None:
    lines = recipe.tables().splitlines()
    assert max(map(len, lines)) <= WIDTH - 4
    assert len(lines) == 2 + recipe.H * recipe.S * recipe.A + (recipe.contexts != "one-hot") * recipe.build().public.W


@quickly
@given(Wide.strategy())
def test_simplifications_are_instances_and_come_to_an_end(recipe: LifelongRecipe) -> None:
    steps = 0
    while (simpler := next(recipe.smaller(), None)) is not None:
        for other in recipe.smaller():
            assert other != recipe
            assert other.size <= recipe.size
        simpler.build()
        recipe, steps = simpler, steps + 1
        assert steps < 500
    assert (recipe.S, recipe.A, recipe.H, recipe.K, recipe.d, recipe.m) == (1, 1, 1, 1, 1, 1)
    assert (recipe.rewards, recipe.ridge) == ((((0,),),), 1.0)


def test_every_simplification_of_a_rich_recipe_is_an_instance() -> None:
    rich = LifelongRecipe(
        3, 2, 6, ((0, 0), (0, 1), (1, 2), (2, 2), (0, 2), (1, 1)), (((0, 2), (1, 1), (2, 2)),) * 2,
        (((0, 1), (2, 1), (1, 2)),) * 2, contexts="rotated", tasks="iid",
    )  # fmt: skip
    smaller = list(rich.smaller())
    assert len(smaller) > 30
    for recipe in smaller:
        failed = [name for name, found in assumptions_of(guaranteed(UCBlvd), recipe.build()).items() if found.violations]
        assert failed == [], recipe


def test_contexts_between_others_break_completeness() -> None:
    recipe = LifelongRecipe(2, 1, 2, ((0, 0), (1, 1)), (((0, 1), (1, 1)),) * 2, (((0, 2), (2, 0)),) * 2, contexts="between")
    failed = {name for name, found in assumptions_of(guaranteed(UCBlvd), recipe.build()).items() if found.violations}
    assert "completeness" in failed


def test_tables_of_an_instance() -> None:
    recipe = LifelongRecipe(2, 1, 3, ((0, 0), (0, 1)), (((1, 1), (0, 1)),), (((0, 1), (2, 0)),), contexts="rotated")
    assert recipe.tables().splitlines() == [
        "S = 2, A = 1, H = 1, K = 3, W = 2, d = 2, m = 2, lambda = 1, tasks round-robin",
        "h  s  a  phi(s,a)    P(0)  P(1)  r(w=0)  r(w=1)",
        "1  0  0  (1, 0)      0     1     0       1/2",
        "1  1  0  (1/2, 1/2)  1/4   3/4   1/2     1/4",
        "rho(w=0) = (3/5, 4/5)",
        "rho(w=1) = (-4/5, 3/5)",
    ]


def test_mistakes_in_declarations_show_when_they_are_made() -> None:
    with pytest.raises(TypeError, match=r"^3 says nothing about what to draw; expected number"):
        table("S", 3)
    with pytest.raises(TypeError, match=r"^None says nothing about what to draw"):
        together(table("S", number(2)), None)
    with pytest.raises(ValueError, match=r"^'S/A' is no extent; it has to be a product of sizes"):
        extent("S/A", {"S": 2, "A": 2})


def test_a_field_that_says_nothing_of_what_is_drawn_is_told() -> None:
    with pytest.raises(TypeError, match=r"Silent\.gap says nothing about what to draw; expected `gap: int = size\(3\)`"):
        type("Silent", (DrawnRecipe,), {"__annotations__": {"gap": "int"}})


def test_extents_are_products_of_sizes_plus_or_minus_a_number() -> None:
    sizes = {"S": 2, "A": 3, "H": 1}
    assert [extent(of, sizes) for of in (4, "S", "S*A", "H-1", "S*A+1", lambda values: values["S"] ** 2)] == [4, 2, 6, 0, 7, 4]
