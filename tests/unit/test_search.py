from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verifier import Algorithm, Claim, Kind
from verifier.bench import replay, rerun, searched
from verifier.errors import PluginError, UsageError
from verifier.measurement import Inequality, Measurement
from verifier.property import instance_property, run_property
from verifier.regime import Regime
from verifier.result import TrialError
from verifier.search import Examination, examine, search
from verifier.setting import Recipe, Scenario, Seeds, Session, Setting
from verifier.settings.lifelong.strategies import EXACT, TASKS, LifelongRecipe, instances
from verifier.trial import assumptions_of
from verifier.width import Width
from verifier.witness import WIDTH, Witness
from verifier_ucblvd.ucblvd import UCBlvd

quickly = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


# -- instances of the lifelong setting --------------------------------------------------------------------------------


@quickly
@given(instances())
def test_drawn_instances_satisfy_all_assumptions(recipe: LifelongRecipe) -> None:
    failed = {name: found for name, found in assumptions_of(UCBlvd, recipe.build()).items() if found.violations}
    assert failed == {}


@quickly
@given(instances(contexts=(*EXACT, "between"), max_contexts=3, ridges=(1.0, 4.0)))
def test_recipes_say_everything_about_the_instance(recipe: LifelongRecipe) -> None:
    again = LifelongRecipe.from_json(json.loads(json.dumps(recipe.to_json())))
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
@given(instances(contexts=(*EXACT, "between"), max_contexts=3))
def test_tables_fit_on_the_page_and_show_every_row(recipe: LifelongRecipe) -> None:
    lines = recipe.tables().splitlines()
    assert max(map(len, lines)) <= WIDTH - 4
    assert len(lines) == 2 + recipe.H * recipe.S * recipe.A + (recipe.contexts != "one-hot") * recipe.build().public.W


@quickly
@given(instances(contexts=(*EXACT, "between"), max_contexts=3))
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
    assert recipe.rewards == (((0,),),)


def test_every_simplification_of_a_rich_recipe_is_an_instance() -> None:
    rich = LifelongRecipe(
        3, 2, 6, ((0, 0), (0, 1), (1, 2), (2, 2), (0, 2), (1, 1)), (((0, 2), (1, 1), (2, 2)),) * 2,
        (((0, 1), (2, 1), (1, 2)),) * 2, "rotated", "iid",
    )  # fmt: skip
    smaller = list(rich.smaller())
    assert len(smaller) > 30
    for recipe in smaller:
        failed = [name for name, found in assumptions_of(UCBlvd, recipe.build()).items() if found.violations]
        assert failed == [], recipe


def test_contexts_between_others_break_completeness() -> None:
    recipe = LifelongRecipe(2, 1, 2, ((0, 0), (1, 1)), (((0, 1), (1, 1)),) * 2, (((0, 2), (2, 0)),) * 2, contexts="between")
    failed = {name for name, found in assumptions_of(UCBlvd, recipe.build()).items() if found.violations}
    assert "completeness" in failed


def test_sizes_can_be_limited() -> None:
    found: list[LifelongRecipe] = []

    @quickly
    @given(instances(max_states=1, max_actions=1, max_d=1, max_contexts=1, max_steps=1, max_episodes=1, tasks=TASKS[:1]))
    def look(recipe: LifelongRecipe) -> None:
        found.append(recipe)

    look()
    assert {(r.S, r.A, r.d, r.m, r.H, r.K) for r in found} == {(1, 1, 1, 1, 1, 1)}


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


# -- the search, on a setting of its own ------------------------------------------------------------------------------
# An instance is a number of episodes and a number n; the algorithm plays and yields nothing.


class Count(Recipe[tuple[int, int]]):
    def __init__(self, K: int, n: int) -> None:
        self.K, self.n = K, n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Count) and (self.K, self.n) == (other.K, other.n)

    def __hash__(self) -> int:
        return hash((self.K, self.n))

    @classmethod
    def strategy(cls) -> SearchStrategy[Self]:
        return st.builds(cls, st.integers(1, 9), st.integers(0, 30))

    @property
    def size(self) -> int:
        return self.K + self.n

    def smaller(self) -> Iterator[Self]:
        if self.K > 1:
            yield type(self)(self.K - 1, self.n)
        if self.n > 0:
            yield type(self)(self.K, self.n - 1)

    def build(self) -> tuple[int, int]:
        return self.K, self.n

    def to_json(self) -> dict[str, Any]:
        return {"K": self.K, "n": self.n}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)

    def tables(self) -> str:
        return f"K = {self.K}, n = {self.n}"

    def transcript(self, run: Any) -> str:
        return f"saw {run[1]}"


class CountSession(Session[Any]):
    def __init__(self, instance: tuple[int, int], seeds: Seeds) -> None:
        self.environment = seeds.agent
        self._instance = instance

    def oracle(self, of: str, step: int, target: Any) -> float:
        return 0.0

    def realised_error(self, of: str, step: int, target: Any) -> Any:
        return target

    def observe(self, plan: Any, widths: Any) -> None:
        return None

    def finish(self) -> tuple[None, tuple[int, int]]:
        return None, self._instance

    def digest(self) -> str:
        return "digest"


class Counting(Setting[tuple[int, int], Any]):
    name = "counting"
    description = "for tests"

    def catalogue(self) -> tuple[Scenario[tuple[int, int]], ...]:
        return ()

    def session(self, instance: tuple[int, int], seeds: Seeds, yields: frozenset[str]) -> CountSession:
        return CountSession(instance, seeds)

    def public(self, instance: tuple[int, int], hidden: frozenset[str] = frozenset()) -> tuple[int, int]:
        return instance

    def parameters(self, instance: tuple[int, int]) -> Mapping[str, float | int | str]:
        return {}

    def recipes(self) -> type[Recipe[tuple[int, int]]]:
        return Count


class Silent(Counting):
    def recipes(self) -> None:
        return None


@instance_property()
def even(instance: tuple[int, int]) -> Inequality:
    return Inequality(float(instance[1] % 2), 0.0)


@run_property()
def small(run: tuple[int, int]) -> Inequality:
    return Inequality(float(run[1]), 9.5)


@run_property()
def few_large(run: tuple[int, int]) -> Inequality:
    """Fails a little for n >= 1 and much for n >= 20."""
    return Inequality(1e-9 * run[1] + (run[1] >= 20), 0.0)


def made(name: str, prop: Any, kind: Kind = Kind.ALWAYS, **others: Any) -> Claim:
    return Claim(name, prop, "Lemma 1", "Theorem 1", f"{name} holds", kind, **others)


class Counter(Algorithm):
    name = "counter"
    title = "Counter"
    paper = "none"
    setting = "counting"
    regimes = ("published", "oracle")
    claims: ClassVar[tuple[Claim, ...]] = (
        made("even", even, Kind.ASSUMPTION),
        made("small", small),
        made("small-even", small, assumes=("even",)),
        made("few-large", few_large),
        made("chance", small, Kind.PROBABILITY, failure_probability=1.0),
    )

    def __init__(self, public: tuple[int, int], width: Width, **options: str) -> None:
        super().__init__(public, width, **options)

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        return 1.0

    def run(self, env: Any) -> Iterator[Any]:
        yield from ()


def counted(algorithm: type[Algorithm] = Counter, *names: str, **others: Any) -> Examination:
    told = {"seed": 0, "examples": 60, **others}
    claims = [claim for claim in algorithm.claims if not names or claim.name in names]
    return examine(algorithm, Counting(), claims, Regime.parse("oracle"), **told)


def test_a_failure_is_shrunk_to_the_least_that_fails() -> None:
    (witness,) = counted(Counter, "small").witnesses
    assert witness.recipe == {"K": 1, "n": 10}
    assert witness.index == 0
    assert witness.measurement == Measurement(
        value=10.0, bound=9.5, trivial=np.inf, ratio=10 / 9.5, margin=-0.5, excess=0.5, comparisons=1, powered=1, violations=1
    )
    assert witness.digest == "digest"


def test_a_claim_whose_assumption_fails_does_not_count() -> None:
    witnesses = {witness.claim: witness for witness in counted().witnesses}
    assert witnesses["small-even"].recipe["n"] == 10
    odd = replace(witnesses["small-even"], recipe={"K": 1, "n": 11})
    with pytest.raises(UsageError, match="does not apply"):
        replay(odd, Counter, Counting())


def test_claims_that_may_fail_are_not_searched() -> None:
    assert [claim.name for claim in searched(Counter.claims)] == ["small", "small-even", "few-large"]
    assert counted(Counter, "chance") == Examination("counter", "oracle", 0, {}, (), exhausted=False)


def test_a_failure_is_not_shrunk_until_only_its_ninth_digit_shows() -> None:
    (witness,) = counted(Counter, "few-large").witnesses
    assert witness.recipe == {"K": 1, "n": 20}


def test_powered_examples_are_counted() -> None:
    found = counted(Counter, "small", "small-even")
    assert found.powered["small"] == found.examples
    assert 0 < found.powered["small-even"] < found.examples


def test_no_instance_is_run_after_the_deadline() -> None:
    found = counted(deadline=time.monotonic() - 1)
    assert found == Examination("counter", "oracle", 0, {"small": 0, "small-even": 0, "few-large": 0}, (), exhausted=True)


def test_a_deadline_while_shrinking_leaves_a_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**9))
    monkeypatch.setattr("verifier.search.time.monotonic", lambda: next(clock))
    full = counted(Counter, "small")
    clock = iter(range(10**9))
    cut = counted(Counter, "small", deadline=full.examples + 1)
    assert cut.exhausted
    (witness,) = cut.witnesses
    assert witness.fails


def test_a_setting_that_draws_nothing_is_not_searched() -> None:
    assert search(Counter, Silent(), Counter.claims, seed=0) == []


def test_search_gives_one_witness_per_claim() -> None:
    found = search(Counter, Counting(), Counter.claims, seed=0, examples=40)
    assert [(witness.claim, witness.regime) for witness in found] == [
        ("small", "published"), ("small-even", "published"), ("few-large", "published")
    ]  # fmt: skip


class Fragile(Counter):
    claims = Counter.claims[:2]

    def run(self, env: Any) -> Iterator[Any]:
        if self.public[0] > 3:
            raise SystemExit(5)
        if self.public[1] > 4:
            raise ZeroDivisionError(f"n = {self.public[1]}")
        yield from ()


class UsesGlobalGenerator(Counter):
    claims = Counter.claims[:2]

    def run(self, env: Any) -> Iterator[Any]:
        np.random.random()  # noqa: NPY002  # the planted bug
        yield from ()


def test_every_way_to_fail_gets_a_witness_of_its_own() -> None:
    witnesses = counted(Fragile).witnesses
    found = {witness.error.kind: witness for witness in witnesses if witness.error is not None}
    assert len(witnesses) == 2
    assert found["exit"].recipe == {"K": 4, "n": 0}
    assert found["crash"].recipe == {"K": 1, "n": 5}
    assert "ZeroDivisionError: n = 5" in found["crash"].text()
    assert "did not come to its end" in found["crash"].text()
    with pytest.raises(PluginError, match="n = 5"):
        replay(found["crash"], Fragile, Counting())
    assert rerun(found["crash"], Fragile, Counting()).fails
    assert not rerun(found["crash"], Counter, Counting()).fails


def test_a_global_generator_is_found_out() -> None:
    (witness,) = counted(UsesGlobalGenerator).witnesses
    assert witness.error is not None
    assert witness.error.kind == "global-rng"


def test_errors_are_not_repeated_for_every_regime() -> None:
    assert len(search(UsesGlobalGenerator, Counting(), UsesGlobalGenerator.claims, seed=0, examples=10)) == 1


def test_a_witness_that_cannot_be_run_says_so() -> None:
    (witness,) = counted(Counter, "small").witnesses
    with pytest.raises(UsageError, match="not searched any more"):
        rerun(replace(witness, claim="gone"), Counter, Counting())
    with pytest.raises(UsageError, match="cannot read"):
        rerun(replace(witness, recipe={"Q": 1}), Counter, Counting())


# -- witnesses --------------------------------------------------------------------------------------------------------

WITNESS = Witness(
    "ucblvd",
    "optimism",
    "lifelong",
    {"K": 1},
    "oracle",
    3,
    2,
    Measurement(value=0.1 + 0.2, bound=0.1, trivial=1.0, violations=1, comparisons=2),
    source="Lemma 7",
    status="as printed",
    kind="given",
    statement="Q ≥ Q*",
    given="the event holds",
    tables="K = 1",
    legend="K counts episodes",
    transcript="1 0",
)


def test_a_witness_in_words() -> None:
    assert WITNESS.text() == (
        "ucblvd/optimism is violated on a drawn instance  (Lemma 7, as printed, given)\n"
        "  Q ≥ Q*\n"
        "  given that the event holds\n"
        "\n"
        "  1 of 2 comparisons fail; the worst at the whole run:\n"
        "    left side 0.3, bound 0.1  (rounding allowed: 0)\n"
        "\n"
        "The instance (K counts episodes):\n"
        "  K = 1\n"
        "\n"
        "The run (regime oracle, trial 2, seed 3):\n"
        "  1 0\n"
        "\n"
        f"verifier replay 'ucblvd/optimism:drawn-{WITNESS.id}:oracle:2:3'\n"
    )


def test_numbers_show_as_many_digits_as_tell_them_apart() -> None:
    close = replace(WITNESS, measurement=Measurement(value=1.0 + 1e-8, bound=1.0, violations=1, comparisons=1))
    assert "left side 1.00000001, bound 1 " in close.text()
    equal = replace(WITNESS, measurement=Measurement(value=1.0 + 2e-16, bound=1.0, violations=1, comparisons=1))
    assert "left side 1.0000000000000002, bound 1.0 " in equal.text()
    noise = replace(WITNESS, measurement=Measurement(value=1.0, bound=1e-17, tolerance=1e-12, violations=1, comparisons=1))
    assert "left side 1, bound 0 " in noise.text()


def test_a_witness_survives_json() -> None:
    failed = replace(WITNESS, claim="", measurement=None, error=TrialError("crash", "boom", "trace"))
    for witness in (WITNESS, failed):
        assert Witness.from_json(json.loads(json.dumps(witness.to_json()))) == witness


def test_the_id_names_what_was_run_and_not_what_came_out() -> None:
    assert replace(WITNESS, measurement=None, digest="x").id == WITNESS.id
    assert replace(WITNESS, index=1).id != WITNESS.id
    assert replace(WITNESS, recipe={"K": 2}).id != WITNESS.id
