"""Benchmarks: `pytest tests/benchmarks`. Nothing here asserts a time.

Targets: UCBlvd at the paper's sizes 2,500 episodes per second of processor time without checks, Lifelong-LSVI 700; checks at
most double the time of UCBlvd; `verifier --help` and `verifier list` under half a second; an HTML page of 2,000 claim entries
under five seconds, start included, and under 3 MB.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from verifier import Algorithm, Guarantees, Regime
from verifier.base import seeds
from verifier.model.result import TrialSpec
from verifier.model.setting import Seeds
from verifier.plugins.registry import registry
from verifier.record import Record
from verifier.settings.lifelong import LIFELONG
from verifier.statistics import RateTest
from verifier.trials.trial import evaluate, make_width

from ..unit.reports.entries import claim, entry
from ..unit.reports.sample import algorithm, record
from ..unit.reports.scalings import scaling_claims

ALGORITHMS = ["ucblvd", "lifelong-lsvi"]


def play(algorithm: type[Algorithm], regime: str) -> int:
    scenario = LIFELONG.scenario("paper-size")
    assert scenario is not None
    instance = scenario.build(seeds.stream(0, "benchmark"))
    session = LIFELONG.session(instance, Seeds(*(seeds.stream(0, name) for name in "abc")), algorithm.yields)
    width = make_width(algorithm, Regime.parse(regime), session, instance.public)
    return sum(1 for _ in algorithm(instance.public, width).run(session.environment))


def check(guarantees: Guarantees, regime: str) -> Any:
    scenario = LIFELONG.scenario("paper-size")
    assert scenario is not None
    return evaluate(TrialSpec(guarantees.name, "paper-size", regime, 0, 0), guarantees, LIFELONG, scenario)


@pytest.mark.parametrize("regime", ["published", "oracle"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_thousand_episodes_without_checks(benchmark: Any, name: str, regime: str) -> None:
    assert benchmark(play, registry().guarantees[name].algorithm, regime) > 0


@pytest.mark.parametrize("regime", ["published", "oracle"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_thousand_episodes_with_all_checks(benchmark: Any, name: str, regime: str) -> None:
    assert benchmark(check, registry().guarantees[name], regime).measurements


@pytest.fixture
def large_record(tmp_path: Path) -> Path:
    """Four algorithms with fifty claims in ten places each, and eight scaling claims: 2,032 entries."""
    path = tmp_path / "record.json"
    path.write_text(json.dumps(large().to_json()), encoding="utf-8")
    return path


def large() -> Record:
    places = [f"{regime}@instance-{number}" for regime in ("published", "oracle") for number in range(5)]
    claims = [
        claim(f"lemma-{n}", "Lemma 1", f"Theorem {n % 7}", "|x_h - y_h| <= beta ||phi||", "given",
              *(entry(f"lemma-{n}", place, "conforms", 0.3 + n / 80, 1.0) for place in places))
        for n in range(50)
    ]  # fmt: skip
    algorithms = []
    for number in range(4):
        name = f"algorithm-{number}"
        found = [*claims, *scaling_claims()] if number < 2 else claims
        renamed = [replace(one, id=f"{name}/{one.id.partition('/')[2]}") for one in found]
        algorithms.append(algorithm(renamed, name=name))
    return record(*algorithms)


def test_page_of_two_thousand_entries(benchmark: Any, large_record: Path) -> None:
    page = large_record.with_name("page.html")
    command = [sys.executable, "-m", "verifier", "report", str(large_record), "--output", f"html={page}"]
    benchmark.pedantic(subprocess.run, (command,), {"check": True}, rounds=3)
    assert page.stat().st_size < 3_000_000


@pytest.mark.parametrize("arguments", [["--help"], ["list"]])
def test_start(benchmark: Any, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "verifier", *arguments]
    assert benchmark(subprocess.run, command, check=True, capture_output=True).returncode == 0


def test_detectable_rate(benchmark: Any) -> None:
    rates = iter(0.07 + 1e-6 * place for place in range(10**6))  # nothing from the cache
    assert benchmark(lambda: RateTest(next(rates), 1e-5).detectable_rate(500)) < 1.0
