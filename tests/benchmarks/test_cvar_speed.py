"""Benchmarks of the CVaR setting: `pytest tests/benchmarks`. Nothing here asserts a time.

Targets: ELA at S = 6, A = 3, d = 2, H = 4, |F| = 30 at most 1.5 ms per iteration with exact planning; CVaR-LSVI with T1 = 400 at
S = 5, A = 3, H = 3 at most 0.5 s per budget; the exact return law of a policy at S = 10, H = 5, grid 12 under 1 ms.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier import Regime
from verifier.base import seeds
from verifier.model.setting import Seeds
from verifier.plugins.registry import registry
from verifier.settings.cvar import augmented, generators
from verifier.settings.cvar.augmented import Grid
from verifier.trials.trial import make_width


def played(name: str, instance: str, regime: str) -> int:
    """One run without checks; how often the algorithm planned."""
    algorithm = registry().guarantees[name].algorithm
    setting = registry().setting(algorithm.setting)
    scenario = setting.scenario(instance)
    assert scenario is not None
    built = scenario.build(seeds.stream(0, "benchmark"))
    session = setting.session(built, Seeds(*(seeds.stream(0, stream) for stream in "abc")), algorithm.yields)
    width = make_width(algorithm, Regime.parse(regime), session, setting.public(built))
    planned = 0
    for plan in algorithm(setting.public(built), width).run(session.environment):
        session.observe(plan, width.take())
        planned += 1
    return planned


@pytest.mark.parametrize("regime", ["published", "oracle"])
def test_three_hundred_iterations_of_ela(benchmark: Any, regime: str) -> None:
    assert benchmark(played, "ela", "low-rank", regime) == 300


@pytest.mark.parametrize("regime", ["published", "oracle"])
def test_one_budget_of_cvar_lsvi(benchmark: Any, regime: str) -> None:
    assert benchmark(played, "cvar-lsvi", "plain-model", regime) == 401


def test_return_law(benchmark: Any) -> None:
    instance = generators.random(seeds.stream(0, "benchmark"), S=10, A=2, d=2, H=5, m=12, size=3, K=1, tau=0.3)
    public, best = instance.public, instance.truth.fine
    grid = Grid(public.H, public.m)
    budget = np.array(best.budget)
    law = benchmark(augmented.return_law, instance.truth.P, public.reward, best.policy, budget, public.start, grid, public.S)
    assert abs(float(law.sum()) - 1.0) < 1e-12
