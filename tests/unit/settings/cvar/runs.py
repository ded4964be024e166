"""Runs of the CVaR settings whose views a test can look at."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from verifier import Algorithm
from verifier.model.regime import Regime
from verifier.model.setting import Seeds, Setting
from verifier.trials.trial import make_width
from verifier_settings.cvar import CVAR, Instance, Iterations, Run, generators


def generator(*key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(0, spawn_key=key)))


def deterministic(max_examples: int = 100) -> settings:
    """The same examples on every machine and in every run."""
    return settings(max_examples=max_examples, derandomize=True, deadline=None, database=None)


def play(
    algorithm: type[Algorithm],
    instance: Any,
    regime: str = "oracle",
    seed: int = 0,
    batch: int | None = None,
    setting: Setting[Any, Any] = CVAR,
) -> tuple[list[Any], Any]:
    """Play a run; returns the views on its batches and on the whole."""
    seeds = Seeds(*(generator(seed, i) for i in range(3)))
    opened, parsed = setting.session(instance, seeds, algorithm.yields), Regime.parse(regime)
    if batch is not None:
        opened._batch = batch
    width = make_width(algorithm, parsed, opened, setting.public(instance))
    agent = algorithm(setting.public(instance, algorithm.hidden), width, **dict(parsed.options))
    views = [opened.observe(plan, width.take()) for plan in agent.run(opened.environment)]
    last, run = opened.finish()
    return [view for view in [*views, last] if view is not None], run


def ela(instance: Instance, regime: str = "oracle", seed: int = 0) -> tuple[Iterations, Run]:
    """A run of ELA in one batch."""
    from verifier_cvar.ela.algorithm import ELA

    (view,), run = play(ELA, instance, regime, seed, batch=10**6)
    return view, run


@st.composite
def small_instances(draw: st.DrawFn) -> Instance:
    """Small random instances."""
    sizes = {
        "S": draw(st.integers(1, 4)), "A": draw(st.integers(1, 3)), "d": draw(st.integers(1, 3)), "H": draw(st.integers(1, 4)),
        "m": draw(st.integers(1, 5)), "size": draw(st.integers(1, 7)), "K": draw(st.integers(1, 8)),
        "tau": draw(st.sampled_from([0.05, 0.3, 0.7, 1.0])), "T1": 3, "T2": 5,
    }  # fmt: skip
    return generators.random(generator(draw(st.integers(0, 99))), q=draw(st.integers(1, sizes["m"])), **sizes)
