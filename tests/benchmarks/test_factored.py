"""Benchmarks of the factored setting: `pytest tests/benchmarks`. Nothing here asserts a time.

Targets, in milliseconds per episode at |S x A| = 64 and 1024 with H = 5: FMDP-CH 0.3 and 2.0, FMDP-BF 1.2 and 25, planning and
play together; all checks at most double the time. The larger one is a product of five RiverSwims of two states. The last of these
is not met, see `checks`: claims with the premise that pairs are known are evaluated at these only, but confidence intervals, the
model, Q and the bonuses of rewards are compared at every pair, factor and step of every plan, where planning sees a few cells.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from verifier.base import seeds
from verifier.model.regime import Regime
from verifier.model.result import TrialSpec
from verifier.model.setting import Scenario, Seeds
from verifier.plugins.registry import registry
from verifier.settings.factored import FACTORED, Instance, generators
from verifier.settings.scenarios import fixed
from verifier.trials.trial import evaluate, make_width

K = 40
FACTORS = {"64": 3, "1024": 5}
"""How many rivers there are, by the number of pairs of state and action."""


def scenario(pairs: str) -> Scenario[Instance]:
    return Scenario(f"pairs-{pairs}", "rivers side by side", partial(fixed(generators.rivers), n=FACTORS[pairs], s=2, H=5, K=K))


def play(name: str, instance: Instance) -> int:
    algorithm = registry().guarantees[name].algorithm
    session = FACTORED.session(instance, Seeds(*(seeds.stream(0, word) for word in "abc")), algorithm.yields)
    width = make_width(algorithm, Regime.parse("scaled(0.001)"), session, instance.public)
    return sum(1 for _ in algorithm(instance.public, width).run(session.environment))


@pytest.mark.parametrize("pairs", FACTORS)
@pytest.mark.parametrize("name", ["fmdp-ch", "fmdp-bf"])
def test_forty_episodes(benchmark: Any, name: str, pairs: str) -> None:
    instance = scenario(pairs).draw(0)
    assert benchmark(play, name, instance) == K


@pytest.mark.parametrize("pairs", FACTORS)
@pytest.mark.parametrize("name", ["fmdp-ch", "fmdp-bf"])
def test_forty_episodes_with_all_checks(benchmark: Any, name: str, pairs: str) -> None:
    spec = TrialSpec(name, f"pairs-{pairs}", "scaled(0.001)", 0, 0)
    result = benchmark(evaluate, spec, registry().guarantees[name], FACTORED, scenario(pairs))
    assert len(result.measurements) > 3
