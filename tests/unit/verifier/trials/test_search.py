"""The search for instances on which a claim fails, on a setting of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from verifier import Algorithm, Claim, Guarantees, Kind
from verifier.base.errors import PluginError, UsageError
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.measurement import Measurement
from verifier.model.property import instance_property, run_property
from verifier.model.regime import Regime
from verifier.model.setting import Recipe, Seeds, Session, Setting
from verifier.model.width import Width
from verifier.trials.search.bench import replay, replayed_measurement, searched
from verifier.trials.search.hunt import Examination, examine, search

# An instance is a number of episodes and a number n; the algorithm plays and yields nothing.


class Count(Recipe[tuple[int, int]]):
    def __init__(self, K: int, n: int) -> None:
        self.K, self.n = K, n

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Count) and (self.K, self.n) == (other.K, other.n)

    def __hash__(self) -> int:
        return hash((self.K, self.n))

    @classmethod
    def strategy(cls, handles: frozenset[str] = frozenset(), sizes: Mapping[str, int] | None = None) -> SearchStrategy[Self]:
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
    def public(self, instance: tuple[int, int], hidden: frozenset[str] = frozenset()) -> tuple[int, int]:
        return instance


COUNTING = Counting(
    name="counting",
    description="for tests",
    catalogue=(),
    session=lambda instance, seeds, yields: CountSession(instance, seeds),
    parameters=lambda instance: {},
    recipes=Count,
)


@instance_property()
def even(instance: tuple[int, int]) -> Inequality:
    return Inequality(float(instance[1] % 2), 0.0, trivial=UNBOUNDED)


@run_property()
def small(run: tuple[int, int]) -> Inequality:
    return Inequality(float(run[1]), 9.5, trivial=UNBOUNDED)


@run_property()
def few_large(run: tuple[int, int]) -> Inequality:
    """Fails a little for n >= 1 and much for n >= 20."""
    return Inequality(1e-9 * run[1] + (run[1] >= 20), 0.0, trivial=UNBOUNDED)


def made(name: str, prop: Any, kind: Kind = Kind.ALWAYS, **others: Any) -> Claim:
    return Claim(name, prop, "Lemma 1", "Theorem 1", f"{name} holds", kind, **others)


class Counter(Algorithm):
    name = "counter"
    title = "Counter"
    paper = "none"
    setting = "counting"
    regimes = ("published", "oracle")
    width_names = ()

    def __init__(self, public: tuple[int, int], width: Width, **options: str) -> None:
        super().__init__(public, width, **options)

    @classmethod
    def published_width(cls, public: Any, of: str) -> float:
        return 1.0

    def run(self, env: Any) -> Iterator[Any]:
        yield from ()


COUNTER = Guarantees(
    Counter,
    (
        made("even", even, Kind.ASSUMPTION),
        made("small", small),
        made("small-even", small, assumes=("even",)),
        made("few-large", few_large),
        made("chance", small, Kind.PROBABILITY, failure_probability=1.0),
    ),
)


def counted(guarantees: Guarantees = COUNTER, *names: str, **others: Any) -> Examination:
    told = {"seed": 0, "examples": 60, **others}
    claims = [claim for claim in guarantees.claims if not names or claim.name in names]
    return examine(guarantees, COUNTING, claims, Regime.parse("oracle"), **told)


def test_a_failure_is_shrunk_to_the_least_that_fails() -> None:
    (witness,) = counted(COUNTER, "small").witnesses
    assert witness.recipe == {"K": 1, "n": 10}
    assert witness.index == 0
    assert replace(witness.measurement, difference=None) == Measurement(
        value=10.0, bound=9.5, trivial=np.inf, ratio=10 / 9.5, margin=-0.5, excess=0.5, comparisons=1, powered=1, violations=1,
        factor=10 / 9.5,
    )  # fmt: skip
    assert witness.digest == "digest"


def test_a_claim_whose_assumption_fails_does_not_count() -> None:
    witnesses = {witness.claim: witness for witness in counted().witnesses}
    assert witnesses["small-even"].recipe["n"] == 10
    odd = replace(witnesses["small-even"], recipe={"K": 1, "n": 11})
    with pytest.raises(UsageError, match="does not apply"):
        replayed_measurement(odd, COUNTER, COUNTING)


def test_claims_that_may_fail_are_not_searched() -> None:
    assert [claim.name for claim in searched(COUNTER.claims)] == ["small", "small-even", "few-large"]
    assert counted(COUNTER, "chance") == Examination("counter", "oracle", 0, {}, (), exhausted=False)


def test_a_failure_is_not_shrunk_until_only_its_ninth_digit_shows() -> None:
    (witness,) = counted(COUNTER, "few-large").witnesses
    assert witness.recipe == {"K": 1, "n": 20}


def test_powered_examples_are_counted() -> None:
    found = counted(COUNTER, "small", "small-even")
    assert found.powered["small"] == found.examples
    assert 0 < found.powered["small-even"] < found.examples


def test_no_instance_is_run_after_the_deadline() -> None:
    found = counted(deadline=time.process_time() - 1)
    assert found == Examination("counter", "oracle", 0, {"small": 0, "small-even": 0, "few-large": 0}, (), exhausted=True)


def test_a_deadline_while_shrinking_leaves_a_witness(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(10**9))
    monkeypatch.setattr("verifier.trials.search.hunt.time.process_time", lambda: next(clock))
    full = counted(COUNTER, "small")
    clock = iter(range(10**9))
    cut = counted(COUNTER, "small", deadline=full.examples + 1)
    assert cut.exhausted
    (witness,) = cut.witnesses
    assert witness.fails


def test_a_setting_that_draws_nothing_is_not_searched() -> None:
    assert search(COUNTER, replace(COUNTING, recipes=None), COUNTER.claims, seed=0) == []


def test_search_gives_one_witness_per_claim() -> None:
    found = search(COUNTER, COUNTING, COUNTER.claims, seed=0, examples=40)
    assert [(witness.claim, witness.regime) for witness in found] == [
        ("small", "published"), ("small-even", "published"), ("few-large", "published")
    ]  # fmt: skip


class Fragile(Counter):
    def run(self, env: Any) -> Iterator[Any]:
        if self.public[0] > 3:
            raise SystemExit(5)
        if self.public[1] > 4:
            raise ZeroDivisionError(f"n = {self.public[1]}")
        yield from ()


class UsesGlobalGenerator(Counter):
    def run(self, env: Any) -> Iterator[Any]:
        np.random.random()  # noqa: NPY002  # the planted bug
        yield from ()


FRAGILE, USES_GLOBAL = (Guarantees(cls, COUNTER.claims[:2]) for cls in (Fragile, UsesGlobalGenerator))


def test_every_way_to_fail_gets_a_witness_of_its_own() -> None:
    witnesses = counted(FRAGILE).witnesses
    found = {witness.error.kind: witness for witness in witnesses if witness.error is not None}
    assert len(witnesses) == 2
    assert found["exit"].recipe == {"K": 4, "n": 0}
    assert found["crash"].recipe == {"K": 1, "n": 5}
    assert "ZeroDivisionError: n = 5" in found["crash"].text()
    assert "did not come to its end" in found["crash"].text()
    with pytest.raises(PluginError, match="n = 5"):
        replayed_measurement(found["crash"], FRAGILE, COUNTING)
    assert replay(found["crash"], FRAGILE, COUNTING).fails
    assert not replay(found["crash"], COUNTER, COUNTING).fails


class Refuses(Counter):
    def run(self, env: Any) -> Iterator[Any]:
        if self.public[1] % 2:
            raise ZeroDivisionError(f"n = {self.public[1]}")
        yield from ()


def test_an_agent_may_refuse_an_instance_on_which_nothing_is_claimed() -> None:
    """The instances that it refuses are those on which the assumption fails; a claim without it makes that a failure."""
    even_only = Guarantees(Refuses, (COUNTER.claims[0], made("tiny", small, assumes=("even",))))
    assert {witness.claim for witness in counted(even_only).witnesses} == {"tiny"}
    everywhere = Guarantees(Refuses, (*even_only.claims, COUNTER.claims[1]))
    assert any(witness.error is not None for witness in counted(everywhere).witnesses)


def test_a_global_generator_is_found_out() -> None:
    (witness,) = counted(USES_GLOBAL).witnesses
    assert witness.error is not None
    assert witness.error.kind == "global-rng"


def test_errors_are_not_repeated_for_every_regime() -> None:
    assert len(search(USES_GLOBAL, COUNTING, USES_GLOBAL.claims, seed=0, examples=10)) == 1


def test_a_witness_that_cannot_be_run_says_so() -> None:
    (witness,) = counted(COUNTER, "small").witnesses
    with pytest.raises(UsageError, match="not searched any more"):
        replay(replace(witness, claim="gone"), COUNTER, COUNTING)
    with pytest.raises(UsageError, match="cannot read"):
        replay(replace(witness, recipe={"Q": 1}), COUNTER, COUNTING)
