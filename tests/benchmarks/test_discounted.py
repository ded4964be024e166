"""Benchmarks of RAVI-UCB: `pytest tests/benchmarks`. Nothing here asserts a time.

Targets without checks: 15,000 epochs per second of processor time for X = 5, A = 2 by counting, 8,000 for d = 3 by regression;
all checks at most double the time. Memory: below 500 MB for T = 6e5 at gamma = 0.1, checks included.
"""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from verifier import Regime
from verifier.base import seeds
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario, Seeds
from verifier.plugins.registry import registry
from verifier.settings.discounted import DISCOUNTED, Instance, generators
from verifier.trials.trial import evaluate, make_width

ALGORITHMS = ["ravi-ucb-tabular", "ravi-ucb-mixture"]
EPOCHS = 2000


def example(rng: np.random.Generator) -> Instance:
    """About 2000 epochs of 5 steps."""
    return generators.mixture(rng, X=5, A=2, d=3, gamma=0.8, T=5 * EPOCHS)


def play(name: str, regime: str) -> int:
    """A run without checks: no more of the session than the transcript, and the oracle where it is asked."""
    algorithm, instance = registry().guarantees[name].algorithm, example(seeds.stream(0, "benchmark"))
    session = DISCOUNTED.session(instance, Seeds(*(seeds.stream(0, part) for part in "abc")), algorithm.yields)
    width = make_width(algorithm, Regime.parse(regime), session, instance.public)
    agent, count = algorithm(instance.public, width), 0
    for count, plan in enumerate(agent.run(session.environment), 1):  # noqa: B007  # the number of plans is the result
        if regime != "published":
            session.observe(plan, width.take())
    return count


def check(name: str, regime: str) -> Any:
    scenario = Scenario("benchmark", "a random mixture", example)
    return evaluate(TrialSpec(name, "benchmark", regime, 0, 0), registry().guarantees[name], DISCOUNTED, scenario)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_two_thousand_epochs_without_checks(benchmark: Any, name: str) -> None:
    assert benchmark(play, name, "published") > 0.8 * EPOCHS


@pytest.mark.parametrize("regime", ["published", "oracle"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_two_thousand_epochs_with_all_checks(benchmark: Any, name: str, regime: str) -> None:
    assert benchmark(check, name, regime).measurements


LONG = """
import resource, sys
from verifier.plugins.registry import registry
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario
from verifier.settings.discounted import DISCOUNTED, generators
from verifier.trials.trial import evaluate

T = int(sys.argv[1])
scenario = Scenario("long", "RiverSwim with 3 states", lambda rng: generators.river_mixture(X=3, gamma=0.1, T=T))
guarantees = registry().guarantees[sys.argv[2]]
evaluate(TrialSpec(guarantees.name, "long", "published", 0, 0), guarantees, DISCOUNTED, scenario)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def peak(T: int, name: str) -> float:
    """Megabytes of a process that checks a run of T steps."""
    found = subprocess.run([sys.executable, "-c", LONG, str(T), name], check=True, capture_output=True, text=True)
    return float(found.stdout)


@pytest.mark.benchmark(min_rounds=1, max_time=0.0)
@pytest.mark.parametrize("name", ALGORITHMS)
def test_memory_of_a_long_run(benchmark: Any, name: str) -> None:
    """Where benchmarks are disabled, a hundredth of the run; else all of it."""
    T = 6_000 if benchmark.disabled else 600_000
    megabytes = benchmark.pedantic(peak, (T, name), rounds=1)
    benchmark.extra_info["megabytes"] = megabytes
    assert megabytes < 500
