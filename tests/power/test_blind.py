"""Blind mode changes nothing: the verdicts of every built-in algorithm, and what they rest on, are those of plain mode.

A verdict is a function of the results of trials and searches, and these are compared bit for bit: here, of every algorithm in
every regime on every instance that `verifier check` runs it on, at full length (``pytest -m deep``), and in each test run those
of ``tests/unit/verifier/trials/test_blind.py`` and a search of each algorithm. Whole checks are compared as well, of one
algorithm of each setting: they would tell if something beside the results went into a verdict.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import verifier
from verifier.base.config import Config
from verifier.base.profile import PROFILES
from verifier.campaign.campaign import Campaign
from verifier.campaign.selection import Selection
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials import agents
from verifier.trials.blind import run
from verifier.trials.search import drawn
from verifier.trials.search.witness import DRAWN
from verifier.trials.stored import encode
from verifier.trials.trial import run_trial

agents.provide(run)  # trials are run in this process

BUILT_IN = sorted(registry().guarantees)
SEARCHED = [name for name in BUILT_IN if registry().setting(registry().guarantees[name].algorithm.setting).recipes is not None]
PIECES = [(name, Regime.parse(regime).name) for name in BUILT_IN for regime in registry().guarantees[name].algorithm.regimes]

CHECKED = [
    ("lifelong-lsvi-sharing", "oracle"),
    ("ravi-ucb-mixture", "oracle"),
    ("ela", "scaled(0.01)"),
    ("cvar-lsvi", "scaled(0.02)"),
    ("lsvi-ucb", "published"),
    ("fmdp-ch", "published"),
    ("knapsack", "published"),
    ("lsvi-rfe", "published"),
]

EXAMPLES = 4


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", SEARCHED)
def test_a_blind_search_finds_the_same(name: str) -> None:
    assert examples(name, registry().guarantees[name].algorithm.regimes[-1]) > 0


def examples(name: str, regime: str) -> int:
    """How many instances a search looked at, after it was seen to find the same in both modes."""
    spec = TrialSpec(name, DRAWN, regime, EXAMPLES, 0)
    plain, blind = drawn.task(spec), drawn.task(replace(spec, blind=True))
    assert plain.error is blind.error is None
    assert plain.payload == blind.payload
    found: int = json.loads(plain.payload)["examples"]
    return found


def cells(name: str) -> Iterator[TrialSpec]:
    """The first trial of each regime on each instance that a check of an algorithm runs."""
    campaign = Campaign(registry(), Selection((name,)), PROFILES["quick"], Config(certify_level=0.001))
    (subject,) = campaign.subjects
    assert not subject.unbuilt
    return (cell.spec(0, campaign.seed) for cell in subject.cells)


@pytest.mark.deep
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("name", "regime"), PIECES)
def test_a_blind_trial_is_the_same_everywhere(name: str, regime: str) -> None:
    specs = [spec for spec in cells(name) if spec.regime == regime]
    assert specs
    for spec in specs:
        plain, blind = run_trial(spec), run_trial(replace(spec, blind=True))
        assert plain.error is None
        assert blind.spec == replace(spec, blind=True)
        assert encode(replace(blind, spec=spec, seconds=plain.seconds)) == encode(plain)
    if name in SEARCHED:
        examples(name, regime)


def told(name: str, regime: str, blind: bool) -> dict[str, Any]:
    """What a check says of an algorithm, without the time it took and the mode it says so in."""
    found = verifier.check(name, regimes=[regime], blind=blind, keep=False, budget="10h", timeout="600s")
    (entry,) = found.to_json()["algorithms"]
    return {key: value for key, value in entry.items() if key not in ("seconds", "work", "trials_reused")}


@pytest.mark.deep
@pytest.mark.timeout(0)
@pytest.mark.parametrize(("name", "regime"), CHECKED)
def test_a_blind_check_says_the_same(name: str, regime: str) -> None:
    assert told(name, regime, blind=True) == told(name, regime, blind=False)
