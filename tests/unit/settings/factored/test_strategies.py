"""Recipes of small factored MDPs."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import HealthCheck, given, settings

from verifier_settings.factored.strategies import FactoredRecipe

from .runs import play

quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
RICH = FactoredRecipe(
    (2, 3), (2,), 3, 6, (((0, 2), ((0, 0), (0, 1), (1, 1), (0, 1))), ((1, 2), ((0, 1), (1, 2), (0, 2), (2, 2), (0, 0), (1, 1)))),
    (((0,), ((0, 2), (2, 2))), ((), ((0, 1),))),
)  # fmt: skip


@quickly
@given(FactoredRecipe.strategy())
def test_what_is_drawn_is_an_instance(recipe: FactoredRecipe) -> None:
    instance = recipe.build()
    assert (instance.truth.P.sum(axis=1) == 1.0).all()
    assert FactoredRecipe.from_json(json.loads(json.dumps(recipe.to_json()))) == recipe
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
    assert recipe == FactoredRecipe((1,), (1,), 1, 1, (((), ((0, 0),)),), (((), ((0, 0),)),))


def test_a_factor_that_is_left_out_is_taken_to_be_zero() -> None:
    """The other factor depends on it: of its cells (s1, a1) those with s1 = 0 stay."""
    recipe = FactoredRecipe((2, 2), (2,), 1, 1, (((), ((0, 0),)), ((0, 2), ((0, 0), (1, 1), (0, 1), (0, 0)))), (((), ((0, 0),)),))
    assert any(
        other.state_sizes == (2,) and other.factors == (((1,), ((0, 0), (1, 1))),) for other in recipe.smaller()
    )  # fmt: skip


def test_a_value_that_is_left_out_takes_its_cells_along() -> None:
    """Value 1 of three: of the cells (s2, a1) numbers 2 and 3 go; laws lose the value, and 2 becomes 1."""
    smaller = [other for other in RICH.smaller() if other.state_sizes == (2, 2)]
    assert ((1, 2), ((0, 0), (1, 1), (0, 0), (0, 0))) in [other.factors[1] for other in smaller]


def test_tables_and_transcript() -> None:
    recipe = FactoredRecipe((2,), (2,), 2, 1, (((0, 1), ((0, 0), (1, 1), (0, 1), (1, 1))),), (((0,), ((0, 0), (2, 2))),))
    assert recipe.tables().splitlines() == [
        "H = 2, K = 1, delta = 1/10, sizes of s1, a1: (2, 2), starts in 0",
        "s1  a1  P(s1=0)  P(s1=1)",
        "0   0   1        0",
        "0   1   0        1",
        "1   0   1/2      1/2",
        "1   1   0        1",
        "s1  P(r1=0)  P(r1=1/2)  P(r1=1)",
        "0   1        0          0",
        "1   0        0          1",
    ]
    _, run = play(recipe.build())
    shown = recipe.transcript(run).splitlines()[1]
    states, actions = run.states[0], run.actions[0]
    assert shown.startswith(f"1        0 -a{actions[0]}-> {states[1]} -a{actions[1]}-> {states[2]}")
    assert shown.endswith(f"(0) ({states[1]})")
    assert np.array_equal(run.outcomes[0, :, 0], 2 * states[:2])
