from __future__ import annotations

import copy
import json
from dataclasses import fields, is_dataclass
from typing import Any

import jsonschema
import pytest

from verifier import record as shapes
from verifier.record import schema
from verifier_reports.json_report import JsonWriter

from .sample import clean_sample, odd_records, sample

VALIDATOR = jsonschema.Draft202012Validator(schema())
RECORDS = {"sample": sample(), "clean": clean_sample(), **odd_records()}


def test_schema_is_itself_valid() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert schema()["properties"]["schema"]["const"] == shapes.SCHEMA


@pytest.mark.parametrize("name", RECORDS)
def test_records_conform(name: str) -> None:
    VALIDATOR.validate(RECORDS[name].to_json())


@pytest.mark.parametrize(
    ("definition", "shape"),
    [
        (None, shapes.Record),
        ("algorithm", shapes.AlgorithmEntry),
        ("claim", shapes.ClaimEntry),
        ("regime", shapes.RegimeEntry),
        ("detectable", shapes.Detectable),
        ("instance", shapes.InstanceEntry),
        ("error", shapes.ErrorEntry),
        ("bugs", shapes.BugsEntry),
        ("clause", shapes.ClauseEntry),
        ("erratum", shapes.ErratumEntry),
        ("ledger", shapes.Ledger),
        ("ledger_entry", shapes.LedgerEntry),
        ("tightness", shapes.TightnessEntry),
        ("factor", shapes.FactorEntry),
        ("factor_growth", shapes.GrowthEntry),
        ("price", shapes.PriceEntry),
        ("figure", shapes.FigureEntry),
        ("figure_curve", shapes.FigureCurve),
        ("curve_point", shapes.CurvePoint),
        ("figure_statement", shapes.StatementEntry),
    ],
)
def test_schema_has_the_fields_of_the_dataclasses(definition: str | None, shape: type) -> None:
    assert is_dataclass(shape)
    found = schema() if definition is None else schema()["$defs"][definition]
    names = {field.name for field in fields(shape)}
    assert set(found["properties"]) == names
    assert set(found["required"]) == names
    assert found["additionalProperties"] is False


def objects(data: Any) -> list[dict[str, Any]]:
    nested = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    return ([data] if isinstance(data, dict) else []) + [found for item in nested for found in objects(item)]


FREE = ("environment", "profile", "settings", "parameters", "failed_assumptions", "witness", "counts", "proof")


@pytest.mark.full
def test_a_missing_or_unknown_field_is_rejected_at_every_level() -> None:
    whole = sample().to_json()
    free = [id(parent[key]) for parent in objects(whole) for key in FREE if key in parent]
    fixed = [found for found in objects(whole) if id(found) not in free]
    assert len(fixed) > 100
    one_per_shape = {frozenset(found): found for found in fixed}.values()
    assert len(one_per_shape) == 11
    for found in one_per_shape:
        found["surprise"] = 1
        assert not VALIDATOR.is_valid(whole)
        del found["surprise"]
        for name in list(found):
            kept = found.pop(name)
            assert not VALIDATOR.is_valid(whole), name
            found[name] = kept
    VALIDATOR.validate(whole)


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("schema",), "verifier.record/2"),
        (("seed",), 1.5),
        (("seconds",), "fast"),
        (("seconds",), "Infinity"),
        (("algorithms", 0, "claims", 0, "verdict"), "passed"),
        (("algorithms", 0, "claims", 0, "status"), "refuted"),
        (("algorithms", 0, "claims", 0, "kind"), "lemma"),
        (("algorithms", 0, "claims", 0, "regimes", 0, "verdict"), "skipped"),
        (("algorithms", 0, "claims", 0, "regimes", 0, "ratio"), None),
        (("algorithms", 0, "claims", 0, "regimes", 0, "trials"), -1),
        (("algorithms", 0, "claims", 0, "regimes", 0, "interval"), [0.0]),
        (("algorithms", 0, "claims", 0, "regimes", 0, "witness"), {"h": 0.5}),
        (("algorithms", 0, "claims", 0, "regimes", 0, "detectable"), {"kind": "luck", "value": 1}),
        (("algorithms", 0, "counts"), {"selected": 1}),
        (("algorithms", 0, "counts"), {"selected": 1, "evaluated": 1, "passed": 1}),
        (("algorithms", 0, "ledger", "entries", 0, "purpose"), "explore"),
    ],
)
def test_wrong_values_are_rejected(path: tuple[Any, ...], wrong: Any) -> None:
    whole = copy.deepcopy(sample().to_json())
    target = whole
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = wrong
    assert not VALIDATOR.is_valid(whole)


@pytest.mark.parametrize("name", RECORDS)
def test_json_round_trips(name: str) -> None:
    data = RECORDS[name].to_json()
    text = JsonWriter().render(RECORDS[name])
    assert text.endswith("}\n")
    text.encode()
    again = json.loads(text, parse_constant=pytest.fail)
    assert again == data
    assert list(again) == list(data)
    VALIDATOR.validate(again)


def test_numbers_that_are_not_finite_are_strings() -> None:
    claim = odd_records()["odd numbers"].to_json()["algorithms"][0]["claims"][0]
    written = [entry["value"] for entry in claim["regimes"][:2]]
    assert written == ["inf", "nan"]
