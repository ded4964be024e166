"""Runs of the discounted setting whose views a test can look at and tamper with."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, TypeVar
from unittest import mock

import numpy as np

from verifier import Algorithm
from verifier.base.arrays import Array
from verifier.model.regime import Regime
from verifier.model.setting import Seeds
from verifier.trials.trial import make_width
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import DISCOUNTED, DiscountedSession, Epochs, Instance, Run, generators
from verifier_settings.discounted import session as sessions

from ..lifelong.runs import generator

View = TypeVar("View", Epochs, Run)

EVERY = 10**6
"""More epochs than any run here has: its views come in one batch."""

BOTH = [TabularRaviUCB, MixtureRaviUCB]


def example(T: int = 60, gamma: float = 0.8) -> Instance:
    return generators.mixture(generator(4), X=3, A=2, d=2, gamma=gamma, T=T)


def session(instance: Instance, algorithm: type[Algorithm], seed: int = 0, batch: int = EVERY) -> DiscountedSession:
    seeds = Seeds(*(generator(seed, i) for i in range(3)))
    with mock.patch.object(sessions, "BATCH_EPOCHS", batch):
        return DISCOUNTED.session(instance, seeds, algorithm.yields)


def stream(opened: DiscountedSession, algorithm: type[Algorithm], instance: Instance, regime: str) -> Iterator[Epochs | Run]:
    """The views of a run as they come."""
    parsed = Regime.parse(regime)
    public = DISCOUNTED.public(instance)
    width = make_width(algorithm, parsed, opened, public)
    agent = algorithm(public, width, **dict(parsed.options))
    with np.errstate(all="ignore"):
        for plan in agent.run(opened.environment):
            view = opened.observe(plan, width.take())
            if view is not None:
                yield view
    yield from opened.finish()


def play(
    algorithm: type[Algorithm], instance: Instance, regime: str = "oracle", seed: int = 0, batch: int = EVERY
) -> tuple[list[Epochs], Run]:
    """Play a run; the epochs come in batches of at most `batch`."""
    opened = session(instance, algorithm, seed, batch)
    *views, run = stream(opened, algorithm, instance, regime)
    assert isinstance(run, Run)
    return [view for view in views if isinstance(view, Epochs)], run


def changed(view: View, **attributes: Any) -> View:
    """The same view with other attributes, nothing of it derived yet."""
    if isinstance(view, Epochs):
        attributes.setdefault("previous", (view.previous_Q[0], view.previous_log_policy[0]))
    names = list(inspect.signature(type(view).__init__).parameters)[1:]
    return type(view)(**{name: attributes[name] if name in attributes else getattr(view, name) for name in names})


def at(array: Array, index: Any, value: Any) -> Array:
    """A copy with some entries replaced."""
    copy = np.array(array)
    copy[index] = value
    return copy
