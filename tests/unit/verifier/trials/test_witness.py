"""A failure on a drawn instance, as text and as data."""

from __future__ import annotations

import json
from dataclasses import replace

from verifier.model.measurement import Measurement
from verifier.model.result import TrialError
from verifier.trials.search.witness import Witness

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
        f"verifier replay ucblvd/optimism:drawn-{WITNESS.id}:oracle:2:3\n"
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
