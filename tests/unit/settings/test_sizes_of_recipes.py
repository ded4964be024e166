"""Sizes of drawn instances that a user fixes: which there are, and that an instance has them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import Phase, assume, given, seed, settings
from hypothesis import strategies as st

from verifier.base.errors import UsageError
from verifier.plugins.registry import registry
from verifier_settings.drawing import LARGEST, LONGEST
from verifier_settings.episodic.instance import ADVERSARY, BANDIT, MIXTURE, STOPPING

NONE: frozenset[str] = frozenset()
SIZES = {
    ("episodic", NONE): "S A H K",
    ("episodic", MIXTURE | STOPPING): "S A H K",
    ("episodic", BANDIT | ADVERSARY): "A K",
    ("lifelong", NONE): "S A H K W d",
    ("discounted", NONE): "X A d T",
    ("cvar", NONE): "S A d H M K m",
    ("cvar-planning", NONE): "S A d H T1 m",
    ("factored", NONE): "n A H K",
    ("knapsack", NONE): "S A H K d",
    ("reward-free", NONE): "S A H K d",
}


def recipe_of(setting: str) -> Any:
    return registry().setting(setting).recipes


@pytest.mark.parametrize(
    ("setting", "handles"), SIZES, ids=lambda value: value if isinstance(value, str) else "+".join(sorted(value))
)
def test_every_size_that_may_be_fixed_is_that_of_the_instance(setting: str, handles: frozenset[str]) -> None:
    recipes = recipe_of(setting)
    limits = recipes.size_limits(handles)
    assert " ".join(limits) == SIZES[setting, handles]
    parameters = registry().setting(setting).parameters

    @settings(max_examples=10, phases=[Phase.generate], deadline=None, database=None, derandomize=True)
    @given(st.data())
    def drawn(data: Any) -> None:
        names = data.draw(st.sets(st.sampled_from(sorted(limits)), min_size=1))
        fixed = {name: data.draw(st.integers(1, min(limits[name], 5)), label=name) for name in sorted(names)}
        assume(fixed.get("H") != 1)  # a single step has no model
        recipe = data.draw(recipes.strategy(handles, fixed))
        has = {**dict(parameters(recipe.build())), **vars(recipe)}
        has |= {
            "n": len(vars(recipe).get("state_sizes", ())),
            "d": has.get("d", getattr(recipe, "d", len(vars(recipe).get("budgets", ())))),
            "M": has.get("|F|"),
        }
        assert {name: has[name] for name in fixed} == fixed

    drawn()


def test_sizes_that_no_instance_has_together_are_refused() -> None:
    for setting in ("cvar", "cvar-planning"):
        with pytest.raises(UsageError, match="H = 1 with d = 2: these sizes belong to one H less; give a larger H"):
            recipe_of(setting).strategy(NONE, {"H": 1, "d": 2})


@pytest.mark.parametrize("number", range(3))
def test_without_sizes_nothing_is_drawn_otherwise(number: int) -> None:
    recipes = recipe_of("lifelong")
    assert _some(recipes.strategy(NONE, {}), number) == _some(recipes.strategy(), number)


def _some(strategy: Any, number: int) -> list[Any]:
    """A few draws from a seed."""
    kept: list[Any] = []

    @seed(number)
    @settings(max_examples=8, phases=[Phase.generate], deadline=None, database=None)
    @given(strategy)
    def keep(recipe: Any) -> None:
        kept.append(recipe)

    keep()
    return kept


def test_runs_may_be_long_and_other_sizes_stay_small() -> None:
    limits = recipe_of("factored").size_limits(NONE)
    assert limits == {"n": 3, "A": LARGEST, "H": LARGEST, "K": LONGEST}
    assert recipe_of("discounted").size_limits(NONE)["T"] == LONGEST
