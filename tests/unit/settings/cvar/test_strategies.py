from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from verifier.model.measurement import measure
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ella.algorithm import ELLA
from verifier_properties.cvar.low_rank_model import transition_kernels
from verifier_settings.cvar import CVAR
from verifier_settings.cvar.strategies import CVaRRecipe

from .runs import deterministic, play


@deterministic(40)
@given(CVaRRecipe.strategy())
def test_recipes_build_instances_that_satisfy_every_assumption(recipe: CVaRRecipe) -> None:
    instance = recipe.build()
    assert measure(transition_kernels(instance)).holds
    assert instance.feature_norm.max(initial=0.0) <= 1.0
    assert instance.measure_norm.max(initial=0.0) <= np.sqrt(recipe.d) + 1e-12
    assert (instance.public.S, instance.public.A, instance.public.H, instance.public.K) == (
        recipe.S,
        recipe.A,
        recipe.H,
        recipe.K,
    )
    assert list(instance.truth.index) == list(recipe.truth)


@deterministic(40)
@given(CVaRRecipe.strategy())
def test_recipes_survive_json(recipe: CVaRRecipe) -> None:
    assert CVaRRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe


def complexity(recipe: CVaRRecipe) -> tuple[int, ...]:
    """What every simplification makes smaller, without making an earlier entry larger."""
    rows = [*recipe.rewards, *(row for step in recipe.models for model in step for row in model)]
    return (
        recipe.K, recipe.H, recipe.S, recipe.A, recipe.d, recipe.M, recipe.m, recipe.q, 100 - recipe.percent,
        sum(i != j for row in rows for i, j in row), sum(i for row in rows for i, _ in row), sum(recipe.truth),
    )  # fmt: skip


@deterministic(30)
@given(CVaRRecipe.strategy(), st.data())
def test_simplifications_are_simpler_recipes(recipe: CVaRRecipe, data: st.DataObject) -> None:
    candidates = list(recipe.smaller())
    for other in candidates:
        assert complexity(other) < complexity(recipe)
        assert other.size <= recipe.size
    if candidates:
        data.draw(st.sampled_from(candidates)).build()


def test_the_simplest_recipe_is_trivial() -> None:
    recipe = CVaRRecipe(1, 1, 1, 1, (), (), (((0, 0),),))
    assert list(recipe.smaller()) == []
    assert recipe.build().truth.fine.cvar == 0.0
    assert CVAR.recipes is CVaRRecipe


@deterministic(15)
@given(CVaRRecipe.strategy(sizes={"K": 2}), st.sampled_from([ELA, ELLA]))
def test_drawn_instances_run_and_print(recipe: CVaRRecipe, algorithm: type[ELA]) -> None:
    _, run = play(algorithm, recipe.build(), "oracle")
    assert all(len(line) <= 96 for line in recipe.tables().splitlines())
    lines = recipe.transcript(run).splitlines()
    assert len(lines) == 1 + recipe.K * recipe.H
    assert all(len(line) <= 96 for line in lines)


def test_what_is_printed_can_be_checked_by_hand() -> None:
    point, half = (0, 0), (0, 1)
    models = ((((point, (1, 1)), ((0, 0), half)), ((point, point), ((0, 0), (1, 1)))),)
    recipe = CVaRRecipe(2, 1, 1, 2, models, (0,), (((2, 2), (0, 2)), (half, point)), percent=50)
    assert recipe.tables().splitlines() == [
        "S = 2, A = 1, H = 2, K = 1, d = 2, tau = 1/2, upsilon = 1/2",
        "h  s  a  Pr(r=0)  Pr(r=1/2)  Pr(r=1)",
        "1  0  0  0        0          1",
        "1  1  0  1/2      0          1/2",
        "2  0  0  1/2      1/2        0",
        "2  1  0  1        0          0",
        "h  s  a  phi of model 0  P(0)  P(1)",
        "1  0  0  (1, 0)          1     0     true",
        "1  1  0  (0, 1)          1/2   1/2   true",
        "h  s  a  phi of model 1  P(0)  P(1)",
        "1  0  0  (1, 0)          1     0",
        "1  1  0  (1, 0)          1     0",
    ]
    _, run = play(ELA, recipe.build(), "oracle")
    lines = recipe.transcript(run).splitlines()
    assert lines[0].split() == ["iteration", "trajectory", "path"]
    assert lines[1].split(maxsplit=2) == ["1", "0", "0 -a0, r=1-> 0"]
