"""Benchmarks: `pytest tests/benchmarks --benchmark-enable`. Nothing here asserts a time.

Targets: UCBlvd at the paper's sizes 2,500 episodes per second of processor time without checks, Lifelong-LSVI 700; checks at
most double the time of UCBlvd; `verifier --help` and `verifier list` under half a second.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from verifier import Regime, seeds
from verifier.algorithm import Algorithm
from verifier.registry import registry
from verifier.result import TrialSpec
from verifier.setting import Seeds
from verifier.settings.lifelong import LIFELONG
from verifier.trial import evaluate, make_width

ALGORITHMS = ["ucblvd", "lifelong-lsvi"]


def play(algorithm: type[Algorithm], regime: str) -> int:
    scenario = LIFELONG.scenario("paper-size")
    assert scenario is not None
    instance = scenario.build(seeds.stream(0, "benchmark"))
    session = LIFELONG.session(instance, Seeds(*(seeds.stream(0, name) for name in "abc")), algorithm.yields)
    width = make_width(algorithm, Regime.parse(regime), session, instance.public)
    return sum(1 for _ in algorithm(instance.public, width).run(session.environment))


def check(algorithm: type[Algorithm], regime: str) -> Any:
    scenario = LIFELONG.scenario("paper-size")
    assert scenario is not None
    return evaluate(TrialSpec(algorithm.name, "paper-size", regime, 0, 0), algorithm, LIFELONG, scenario)


@pytest.mark.parametrize("regime", ["published", "oracle"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_thousand_episodes_without_checks(benchmark: Any, name: str, regime: str) -> None:
    assert benchmark(play, registry().algorithms[name], regime) > 0


@pytest.mark.parametrize("regime", ["published", "oracle"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_thousand_episodes_with_all_checks(benchmark: Any, name: str, regime: str) -> None:
    measurements, _ = benchmark(check, registry().algorithms[name], regime)
    assert measurements


@pytest.mark.parametrize("arguments", [["--help"], ["list"]])
def test_start(benchmark: Any, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "verifier", *arguments]
    assert benchmark(subprocess.run, command, check=True, capture_output=True).returncode == 0
