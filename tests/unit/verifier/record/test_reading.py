"""Records are read as they were written, and what does not fit is named."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.reports.gated import gated, with_bugs
from tests.unit.reports.sample import sample
from tests.unit.reports.test_odd import records, verdicts
from verifier.base.errors import UsageError
from verifier.record import GateEntry, PowerEntry, Record, Scaling
from verifier.record.finding import Source
from verifier.record.scaling import ScalingModel, ScalingPower

models = st.builds(ScalingModel, parameters=st.dictionaries(st.text(), st.floats()))
powers = st.none() | st.builds(ScalingPower, verdict=verdicts)
scalings = st.builds(Scaling, models=st.lists(models).map(tuple), power=powers)
gates = st.builds(GateEntry, sources=st.dictionaries(st.text(), st.builds(Source)))


@pytest.mark.full
@settings(max_examples=60, deadline=None, database=None)
@given(records, st.none() | gates, st.none() | st.from_type(PowerEntry), st.none() | scalings)
def test_a_record_is_read_as_it_was_written(
    record: Record, gate: GateEntry | None, power: PowerEntry | None, scaling: Scaling | None
) -> None:
    algorithms = []
    for algorithm in record.algorithms:
        claims = tuple(
            replace(claim, regimes=tuple(replace(entry, scaling=scaling) for entry in claim.regimes))
            for claim in algorithm.claims
        )
        algorithms.append(replace(algorithm, power=power, claims=claims))
    record = replace(record, gate=gate, algorithms=tuple(algorithms))
    data = json.loads(json.dumps(record.to_json(), allow_nan=False))
    again = Record.from_json(data)
    assert again.to_json() == data
    assert repr(_without_free(again)) == repr(_without_free(record)), "repr, because NaN is not equal to itself"


def _without_free(record: Record) -> Record:
    """The record without its free-form settings, in which numbers that are not finite stay strings."""
    algorithms = (
        replace(one, settings={}, instances=tuple(replace(instance, parameters={}) for instance in one.instances))
        for one in record.algorithms
    )
    return replace(record, environment={}, profile={}, algorithms=tuple(algorithms))


def test_a_gate_is_read() -> None:
    assert Record.from_json(gated().to_json()).gate == gated().gate


@pytest.mark.parametrize(
    ("path", "wrong", "message"),
    [
        (("schema",), "verifier.record/2", "schema is 'verifier.record/2', expected 'verifier.record/1'"),
        (("seed",), 1.5, "seed is 1.5, expected an integer"),
        (("seed",), True, "seed is True, expected an integer"),
        (("seed",), 10**400, "seed is an integer of more than 100 digits, expected an integer"),
        (("seconds",), -(10**400), "seconds is an integer of more than 100 digits, expected a number"),
        (("environment",), {"a": [10**400]}, "environment.a holds an integer of more than 100 digits"),
        (("seconds",), "fast", "seconds is 'fast', expected a number"),
        (("seconds",), "Infinity", "seconds is 'Infinity', expected a number"),
        (("environment",), [], "environment is [], expected an object"),
        (("algorithms",), {}, "algorithms is {}, expected a list"),
        (("algorithms", 0), None, "algorithms[0] is None, expected an object"),
        (("algorithms", 0, "budget_exhausted"), 0, "algorithms[0].budget_exhausted is 0, expected true or false"),
        (
            ("algorithms", 0, "claims", 3, "verdict"),
            "passed",
            "algorithms[0].claims[3].verdict is 'passed', expected one of 'v",
        ),
        (("algorithms", 0, "claims", 3, "assumes"), "a", "algorithms[0].claims[3].assumes is 'a', expected a list"),
        (("algorithms", 0, "claims", 3, "assumes"), [1], "algorithms[0].claims[3].assumes[0] is 1, expected a string"),
        (("algorithms", 0, "claims", 3, "decisive"), 9, "algorithms[0].claims[3]: decisive is 9, expected the index of one of 4"),
        (
            ("algorithms", 0, "claims", 3, "regimes", 1, "value"),
            "abc",
            "algorithms[0].claims[3].regimes[1].value is 'abc', e",
        ),
        (("algorithms", 0, "claims", 3, "regimes", 1, "value"), None, ".value is None, expected a number"),
        (("algorithms", 0, "claims", 3, "regimes", 1, "interval"), [0.0], ".interval is [0.0], expected a list of 2"),
        (("algorithms", 0, "claims", 3, "regimes", 1, "witness"), {"h": 0.5}, ".witness.h is 0.5, expected an integer"),
        (
            ("algorithms", 0, "instances", 0, "parameters", "S"),
            None,
            ".parameters.S is None, expected a number or an integer",
        ),
        (
            ("algorithms", 0, "power", "mutants", 0, "outcome"),
            "dead",
            ".outcome is 'dead', expected one of 'killed', 'survived', ",
        ),
        (("gate", "findings", 0, "outcome"), "great", "gate.findings[0].outcome is 'great', expected one of 'passed', 'failed'"),
    ],
)
def test_what_does_not_fit_is_named(path: tuple[Any, ...], wrong: Any, message: str) -> None:
    data = with_bugs().to_json()
    target: Any = data
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = wrong
    with pytest.raises(UsageError) as caught:
        Record.from_json(data)
    assert message in str(caught.value)


def test_what_is_missing_is_named() -> None:
    data = sample().to_json()
    del data["algorithms"][0]["claims"][3]["regimes"][1]["value"]
    with pytest.raises(UsageError, match=r"^algorithms\[0\]\.claims\[3\]\.regimes\[1\]\.value is missing$"):
        Record.from_json(data)


@pytest.mark.parametrize("data", [None, [], "record", {}])
def test_what_is_no_record_is_refused(data: Any) -> None:
    with pytest.raises(UsageError, match=r"^schema is .*, expected 'verifier\.record/1'$"):
        Record.from_json(data)


def test_what_a_later_version_adds_is_passed_over() -> None:
    data = sample().to_json()
    data["weather"] = "fine"
    data["algorithms"][0]["claims"][0]["weather"] = {"wind": 3}
    assert Record.from_json(data).to_json() == sample().to_json()
