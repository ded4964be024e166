"""Runs of the episodic setting whose views a test can look at and tamper with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from verifier import Algorithm, Oracle
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_settings.episodic import EPISODIC, EpisodicSession, Instance, Phases, Run, generators

from ..lifelong.runs import generator


def small(**sizes: Any) -> Instance:
    """S = 3, A = 2, H = 3, K = 12 unless said otherwise."""
    return generators.random(generator(5), **({"S": 3, "A": 2, "H": 3, "K": 12} | sizes))


def seeds(seed: int = 0) -> Seeds:
    return Seeds(*(generator(seed, i) for i in range(3)))


def session(instance: Instance, algorithm: type[Algorithm], seed: int = 0) -> EpisodicSession:
    opened = EPISODIC.session(instance, seeds(seed), algorithm.yields)
    opened.declare(algorithm.extra)
    return opened


def play(
    algorithm: type[Algorithm],
    instance: Instance,
    regime: str = "oracle",
    seed: int = 0,
    batch: int = 10**6,
    oracles: Mapping[str, type[Oracle]] = MappingProxyType({}),
) -> tuple[list[Phases], Run]:
    """Play a run; the phases come in batches of at most `batch`, and the fields declared of all plans are kept."""
    opened, parsed = session(instance, algorithm, seed), Regime.parse(regime)
    opened._batch = batch
    opened.remember(algorithm.yields | algorithm.extra.keys())
    supplied = {of: oracle(instance, opened.transcript) for of, oracle in oracles.items()}
    width = make_width(algorithm, parsed, opened, EPISODIC.public(instance), supplied=supplied)
    agent = algorithm(EPISODIC.public(instance, algorithm.hidden), width, **dict(parsed.options))
    views = [opened.observe(plan, width.take()) for plan in agent.run(opened.environment)]
    last, run = opened.finish()
    return [view for view in [*views, last] if view is not None], run


def with_plans(view: Phases, **fields: Any) -> Phases:
    """View like this one, with fields of its plans replaced: each value maps a plan to the new field."""
    plans = [replace(plan, **{name: change(plan) for name, change in fields.items()}) for plan in view.plans]
    names = (
        "instance", "start", "history", "width", "handed", "transcript", "states", "actions", "phase", "told", "before", "drawn",
        "targets", "output",
    )  # fmt: skip
    return Phases(plans=plans, **{name: getattr(view, name) for name in names})
