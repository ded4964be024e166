from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from verifier import Claim, Guarantees, Kind
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.property import phase_property
from verifier.model.regime import Regime
from verifier.trials.search.hunt import examine
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_settings.cvar.planning import PLANNING, Rounds
from verifier_settings.cvar.planning.strategies import PlanningRecipe

from .runs import deterministic, play


@deterministic(40)
@given(PlanningRecipe.strategy())
def test_recipes_build_what_they_say_and_survive_json(recipe: PlanningRecipe) -> None:
    instance = recipe.build()
    public = instance.public
    assert (public.S, public.A, public.H, public.T1, public.budget) == (recipe.S, recipe.A, recipe.H, recipe.T1, recipe.budget)
    assert instance.feature_norm.max() <= 1.0
    np.testing.assert_array_equal(public.P.sum(axis=2), 1.0)
    np.testing.assert_array_equal(public.bonus, np.array(recipe.bonuses))
    assert PlanningRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe


def complexity(recipe: PlanningRecipe) -> tuple[int, ...]:
    rows = [*recipe.rewards, *(row for model in recipe.models for row in model)]
    return (
        recipe.T1, recipe.H, recipe.S, recipe.A, recipe.d, recipe.m, recipe.q, recipe.budget,
        sum(i != j for row in rows for i, j in row), sum(i for row in rows for i, _ in row), sum(map(sum, recipe.bonuses)),
    )  # fmt: skip


@deterministic(30)
@given(PlanningRecipe.strategy(), st.data())
def test_simplifications_are_simpler_recipes(recipe: PlanningRecipe, data: st.DataObject) -> None:
    candidates = list(recipe.smaller())
    for other in candidates:
        assert complexity(other) < complexity(recipe)
        assert other.size <= recipe.size
    if candidates:
        data.draw(st.sampled_from(candidates)).build()


@deterministic(15)
@given(PlanningRecipe.strategy())
def test_drawn_problems_run_and_print(recipe: PlanningRecipe) -> None:
    _, run = play(CVaRLSVI, recipe.build(), "oracle", setting=PLANNING)
    assert all(len(line) <= 96 for line in recipe.tables().splitlines())
    lines = recipe.transcript(run).splitlines()
    assert len(lines) == 1 + recipe.T1
    assert all(len(line) <= 96 for line in lines)


def test_what_is_printed_can_be_checked_by_hand() -> None:
    recipe = PlanningRecipe(
        2, 1, 1, 2, ((((0, 0), (0, 0)), ((0, 1),)),), (((0, 0), (0, 0)), ((0, 2), (2, 2))), ((1, 0), (0, 0)), q=2, budget=1
    )
    assert recipe.tables().splitlines() == [
        "S = 2, A = 1, H = 2, d = 1, T1 = 1, upsilon = 2/2, initial budget 1",
        "h  s  a  b  Pr(r=0)  Pr(r=1)  phi  P(0)  P(1)",
        "1  0  0  1  1        0        (1)  1/2   1/2",
        "1  1  0  0  1        0        (1)  1/2   1/2",
        "2  0  0  0  1/2      1/2",
        "2  1  0  0  0        1",
    ]
    assert recipe.build().truth.V[0, 0, 1] == -1 + 0.5 * 0.5  # a return of 0 leaves 1 with probability 1/4


@phase_property()
def is_optimistic(view: Rounds) -> Inequality:
    """V^t_h(s, c) <= V*_h(s, c)."""
    least, h = view.truth.V[:-1], view.labels["h"]
    axes = ("t", "h", "s", "budget")
    return Inequality(view.V[:, :-1], least[None], axes, trivial=UNBOUNDED, tolerance=1e-9, labels={"t": view.t, "h": h})


CLAIM = Claim("optimism", is_optimistic, "Lemma D.3", "test", "V^t <= V*", Kind.ALWAYS)


CHECKED = Guarantees(CVaRLSVI, (CLAIM,))


@pytest.mark.full
def test_the_search_finds_the_printed_clip_and_nothing_else() -> None:
    clean = examine(CHECKED, PLANNING, (CLAIM,), Regime.parse("oracle"), seed=0, examples=100)
    assert clean.witnesses == ()
    assert clean.powered["optimism"] > 50
    (witness,) = examine(CHECKED, PLANNING, (CLAIM,), Regime.parse("oracle[clip=printed]"), seed=0, examples=100).witnesses
    recipe = PlanningRecipe.from_json(witness.recipe)
    assert (recipe.S, recipe.A, recipe.T1, recipe.H) == (1, 1, 1, 1)
    assert recipe.bonuses[0][0] >= 2  # a bonus above H = 1 is enough
