"""Runs of the lifelong setting whose views a test can look at and tamper with."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_settings.lifelong import LIFELONG, Instance, LifelongSession, Phases, Run, generators

View = TypeVar("View", Phases, Run)


def generator(*key: int) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(0, spawn_key=key)))


def session(instance: Instance, algorithm: type[Algorithm], seed: int = 0) -> LifelongSession:
    seeds = Seeds(*(generator(seed, i) for i in range(3)))
    return LIFELONG.session(instance, seeds, algorithm.yields)


def play(
    algorithm: type[Algorithm], instance: Instance, regime: str = "oracle", seed: int = 0, batch: int = 10**6
) -> tuple[list[Phases], Run]:
    """Play a run; the phases come in batches of at most `batch`."""
    opened, parsed = session(instance, algorithm, seed), Regime.parse(regime)
    opened._batch = batch
    width = make_width(algorithm, parsed, opened, LIFELONG.public(instance))
    agent = algorithm(LIFELONG.public(instance, algorithm.hidden), width, **dict(parsed.options))
    views = [opened.observe(plan, width.take()) for plan in agent.run(opened.environment)]
    last, run = opened.finish()
    return [view for view in [*views, last] if view is not None], run


def changed(view: View, **attributes: Any) -> View:
    """The same view with other attributes, nothing of it derived yet but what is given."""
    names = list(inspect.signature(type(view).__init__).parameters)[1:]
    new = type(view)(**{name: attributes.get(name, getattr(view, name)) for name in names})
    vars(new).update(attributes)
    return new


def at(array: Array, index: tuple[int, ...], value: float) -> Array:
    """A copy with one entry replaced."""
    copy = np.array(array)
    copy[index] = value
    return copy


@st.composite
def small_instances(draw: st.DrawFn) -> Instance:
    """Small random instances; all assumptions hold except on mixtures."""
    family = draw(st.sampled_from(["onehot", "orthonormal", "mixture"]))
    S, A, d = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    sizes = {"S": S, "A": A, "d": d, "m": draw(st.integers(1, 3)), "H": draw(st.integers(1, 3)), "K": draw(st.integers(1, 12))}
    if family == "mixture":
        sizes["W"] = sizes["m"] + draw(st.integers(0, 2))
    return getattr(generators, family)(generator(draw(st.integers(0, 99))), **sizes)
