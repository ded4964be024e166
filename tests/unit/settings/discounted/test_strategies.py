from __future__ import annotations

import json
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verifier.trials.search.witness import WIDTH
from verifier_settings.discounted import mixture
from verifier_settings.discounted.strategies import EIGHTHS, PRIORS, DiscountedRecipe
from verifier_settings.drawing import option

from ..lifelong.runs import generator
from .test_generators import check

quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])

SIMPLEST = DiscountedRecipe(1, 1, 1, (((0, 0),),), ((0,),))
RICH = DiscountedRecipe(
    3, 2, 16, (((0, 1), (1, 2), (2, 2), (0, 2), (1, 1), (0, 0)),) * 2 + (((2, 2),) * 6,), ((1, 2), (2, 0), (1, 1)),
    weights=(1, 2), start=(0, 2), eighths=7, rotated=True, prior="leaning", loose=True,
)  # fmt: skip


@dataclass(frozen=True)
class WithRidge(DiscountedRecipe):
    """Other values of lambda, too."""

    ridge: float = option((1.0, 4.0))


@quickly
@given(DiscountedRecipe.strategy())
def test_drawn_instances_are_mixtures_that_satisfy_the_assumption(recipe: DiscountedRecipe) -> None:
    instance = recipe.build()
    check(instance)
    public = instance.public
    assert mixture.holds(public.psi, instance.truth.theta, public.B) is True
    assert mixture.holds(public.psi, instance.truth.theta, 0.999) is False  # B >= 1 on every mixture
    if not recipe.loose:  # nothing to spare either
        assert mixture.holds(public.psi, instance.truth.theta, (1 - 1e-9) * public.B) is False


@quickly
@given(WithRidge.strategy())
def test_recipes_say_everything_about_the_instance(recipe: DiscountedRecipe) -> None:
    again = WithRidge.from_json(json.loads(json.dumps(recipe.to_json())))
    assert again == recipe
    assert hash(again) == hash(recipe)
    one, other = recipe.build(), again.build()
    for name in ("reward", "psi", "initial_policy"):
        np.testing.assert_array_equal(getattr(one.public, name), getattr(other.public, name))
    for name in ("P", "start", "theta"):
        np.testing.assert_array_equal(getattr(one.truth, name), getattr(other.truth, name))
    public = one.public
    assert (public.X, public.A, public.T, public.d) == (recipe.X, recipe.A, recipe.T, recipe.d)
    assert (public.ridge, public.gamma, public.B) == (recipe.ridge, recipe.eighths / 8, recipe.B)


@quickly
@given(DiscountedRecipe.strategy())
def test_kernels_are_exact_in_binary(recipe: DiscountedRecipe) -> None:
    truth = recipe.build().truth
    np.testing.assert_array_equal(truth.P * 4, np.round(truth.P * 4))
    np.testing.assert_array_equal(truth.P.sum(axis=1), 1.0)


@quickly
@given(DiscountedRecipe.strategy())
def test_tables_fit_on_the_page_and_show_every_row(recipe: DiscountedRecipe) -> None:
    lines = recipe.tables().splitlines()
    assert max(map(len, lines)) <= WIDTH - 4
    assert len(lines) == 3 + recipe.X * recipe.A


@quickly
@given(DiscountedRecipe.strategy())
def test_simplifications_are_instances_and_come_to_an_end(recipe: DiscountedRecipe) -> None:
    steps = 0
    while (simpler := next(recipe.smaller(), None)) is not None:
        for other in recipe.smaller():
            assert other != recipe
            assert other.size <= recipe.size
        simpler.build()
        recipe, steps = simpler, steps + 1
        assert steps < 500
    assert (recipe.X, recipe.A, recipe.T, recipe.d) == (1, 1, 1, 1)
    assert recipe == SIMPLEST


def test_every_simplification_of_a_rich_recipe_is_an_instance() -> None:
    smaller = list(RICH.smaller())
    assert len(smaller) > 30
    assert len(set(smaller)) == len(smaller)
    for recipe in smaller:
        instance = recipe.build()
        check(instance)
        assert mixture.holds(instance.public.psi, instance.truth.theta, instance.public.B) is True
        assert max(map(len, recipe.tables().splitlines())) <= WIDTH - 4


def test_every_kind_of_instance_is_drawn() -> None:
    found: list[DiscountedRecipe] = []

    @settings(quickly, max_examples=200)
    @given(DiscountedRecipe.strategy())
    def look(recipe: DiscountedRecipe) -> None:
        found.append(recipe)

    look()
    assert {r.eighths for r in found} == set(EIGHTHS)
    assert {r.prior for r in found} == set(PRIORS)
    assert {r.rotated for r in found} == {r.loose for r in found} == {False, True}
    for name, largest in (("X", 3), ("A", 2), ("d", 3), ("T", 16)):
        assert {1, largest} <= {getattr(r, name) for r in found} <= set(range(1, largest + 1))
    assert any(r.build().public.psi.min() < 0 for r in found)


def test_tables_of_an_instance() -> None:
    recipe = DiscountedRecipe(
        2, 2, 3, (((0, 0), (0, 1), (1, 1), (1, 1)), ((1, 1), (0, 1), (0, 0), (1, 1))), ((0, 1), (2, 0)),
        weights=(0, 1), prior="leaning", rotated=True,
    )  # fmt: skip
    assert recipe.tables().splitlines() == [
        "X = 2, A = 2, T = 3, d = 2, gamma = 1/2, lambda = 1, B = 1.414",
        "nu_0 = (1, 0), theta = (7/10, -1/10), pi_0(.|x) = (1/4, 3/4)",
        "x  a  r    P(0)  P(1)  psi_1(x,a,.)  psi_2(x,a,.)",
        "0  0  0    1/2   1/2   (3/5, 4/5)    (-4/5, 3/5)",
        "0  1  1/2  1/2   1/2   (7/10, 7/10)  (-1/10, -1/10)",
        "1  0  1    1/2   1/2   (4/5, 3/5)    (3/5, -4/5)",
        "1  1  0    0     1     (0, 7/5)      (0, -1/5)",
    ]


def a_run(states: list[int], actions: list[int], successors: list[int], plans: list[int]) -> SimpleNamespace:
    resets = np.zeros(len(states), dtype=bool)
    resets[np.array([*plans[1:], len(states)]) - 1] = True
    arrays = (np.array(values) for values in (states, actions, successors, plans))
    return SimpleNamespace(**dict(zip(("states", "actions", "successors", "plans"), arrays, strict=True)), resets=resets)


def test_the_transcript_of_a_run() -> None:
    run = a_run([0, 1, 0, 0, 2], [1, 0, 0, 1, 1], [1, 0, 0, 2, 1], [0, 2, 3])
    assert DiscountedRecipe(3, 2, 4, SIMPLEST.kernels, ((0,),)).transcript(run).splitlines() == [
        "epoch  from  path",
        "1      1     0 -a1-> 1 -a0-> 0 reset",
        "2      3     0 -a0-> 0 reset",
        "3      4     0 -a1-> 2 | -a1-> 1 reset",
    ]


def test_the_transcript_of_a_run_without_padding_has_no_bar() -> None:
    run = a_run([0, 0], [0, 0], [0, 0], [0, 1])
    text = DiscountedRecipe(1, 1, 2, SIMPLEST.kernels, ((0,),)).transcript(run)
    assert text.splitlines()[1:] == ["1      1     0 -a0-> 0 reset", "2      2     0 -a0-> 0 reset"]


@quickly
@given(st.integers(0, 999), st.sampled_from([6, 7]))
def test_transcripts_of_long_epochs_fit_on_the_page(seed: int, eighths: int) -> None:
    rng, T = generator(seed), 16
    resets = np.flatnonzero(rng.random(400) > eighths / 8)
    n = int(resets[resets >= T - 1][0]) + 1
    plans = [0, *(int(t) + 1 for t in resets if t + 1 < n)]
    run = a_run(*(rng.integers(3, size=n).tolist() for _ in range(3)), plans)
    lines = DiscountedRecipe(3, 3, T, SIMPLEST.kernels, ((0,),)).transcript(run).splitlines()
    assert max(map(len, lines)) <= WIDTH - 4
    text = "\n".join(lines)
    assert text.count("->") == n
    assert text.count("reset") == len(plans)
    assert text.count("|") == (n > T)
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == ["epoch", *map(str, range(1, len(plans) + 1))]
