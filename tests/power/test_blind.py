"""Blind mode changes nothing: the verdicts of every built-in algorithm, and what they rest on, are those of plain mode.

One trial of each algorithm in each regime is compared bit for bit in ``tests/unit/verifier/trials/test_blind.py``. Here are the
search, which is where instances come from that have no name, and, with ``pytest -m deep``, whole checks.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import verifier
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.search import drawn
from verifier.trials.search.witness import DRAWN

BUILT_IN = sorted(registry().groups()["all"])
SEARCHED = [name for name in BUILT_IN if registry().setting(registry().guarantees[name].algorithm.setting).recipes is not None]
PIECES = [(name, regime) for name in BUILT_IN for regime in registry().guarantees[name].algorithm.regimes]

EXAMPLES = 4


@pytest.mark.parametrize("name", SEARCHED)
def test_a_blind_search_finds_the_same(name: str) -> None:
    spec = TrialSpec(name, DRAWN, registry().guarantees[name].algorithm.regimes[-1], EXAMPLES, 0)
    plain, blind = drawn.task(spec), drawn.task(replace(spec, blind=True))
    assert plain.error is blind.error is None
    assert json.loads(plain.payload)["examples"] > 0
    assert plain.payload == blind.payload


def told(name: str, regime: str, blind: bool) -> dict[str, Any]:
    """What a check says of an algorithm, without the time it took and the mode it says so in."""
    found = verifier.check(name, regimes=[regime], blind=blind, keep=False, budget="10h", timeout="600s")
    (entry,) = found.to_json()["algorithms"]
    return {key: value for key, value in entry.items() if key not in ("seconds", "work", "trials_reused")}


@pytest.mark.deep
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("name", "regime"), PIECES)
def test_a_blind_check_says_the_same(name: str, regime: str) -> None:
    assert told(name, regime, blind=True) == told(name, regime, blind=False)
