"""Views on good runs of discounted planning, and ways to tamper with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from verifier import Algorithm
from verifier.model.measurement import Measurement, measure
from verifier.model.property import Property
from verifier_properties.discounted import transition_estimate
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_settings.discounted import Epochs, Instance, Run, generators
from verifier_settings.discounted.models import MixtureRegression

from ...settings.discounted.runs import at, changed, play
from ...settings.lifelong.runs import generator

K = 6
"""Index of the epoch that is tampered with; it has number 7."""
LAST = -1

RUNS: dict[str, tuple[type[Algorithm], str, Callable[[], Instance]]] = {
    "tabular": (TabularRaviUCB, "oracle", lambda: generators.mixture(generator(4), X=3, A=2, d=2, gamma=0.8, T=120)),
    "mixture": (MixtureRaviUCB, "oracle", lambda: generators.mixture(generator(4), X=3, A=2, d=2, gamma=0.8, T=120)),
    "scaled": (TabularRaviUCB, "scaled(0.03)", lambda: generators.mixture(generator(4), X=3, A=2, d=2, gamma=0.8, T=120)),
    "published": (TabularRaviUCB, "published", lambda: generators.mixture(generator(4), X=3, A=2, d=2, gamma=0.8, T=120)),
    "exact": (TabularRaviUCB, "oracle[model=exact]", lambda: generators.random(generator(1), X=3, A=2, gamma=0.1, T=600)),
    "short epochs": (MixtureRaviUCB, "oracle", lambda: generators.mixture(generator(4), X=3, A=2, d=2, gamma=0.3, T=120)),
    "long": (TabularRaviUCB, "oracle", lambda: generators.random(generator(3), X=3, A=2, gamma=0.5, T=3000)),
}  # fmt: skip


@cache
def good(name: str) -> tuple[Epochs, Run]:
    algorithm, regime, build = RUNS[name]
    (view,), run = play(algorithm, build(), regime)
    return view, run


# What is planted ------------------------------------------------------------------------------------------------------

Tamper = Callable[[Epochs], Epochs]


def plan(field: str, index: tuple[Any, ...], change: Callable[[Any], Any], which: Any = K) -> Tamper:
    """Changes some entries of one field of one plan."""

    def tamper(view: Epochs) -> Epochs:
        array = view.plans[field]
        return changed(view, plans={**view.plans, field: at(array, (which, *index), change(array[(which, *index)]))})

    return tamper


def attribute(name: str, index: Any, change: Callable[[Any], Any]) -> Tamper:
    return lambda view: changed(view, **{name: at(getattr(view, name), index, change(getattr(view, name)[index]))})


def add(amount: float) -> Callable[[Any], Any]:
    return lambda old: old + amount


def times(factor: float) -> Callable[[Any], Any]:
    return lambda old: factor * old


def probabilities(*p: float) -> Callable[[Any], Any]:
    return lambda old: np.log(p)


def backup(view: Epochs) -> Any:
    return view.public.reward + view.public.gamma * view.PV


def too_low(view: Epochs) -> Epochs:
    return plan("Q", (1, 0), lambda old: backup(view)[K, 1, 0] - 1e-9)(view)


def too_high(view: Epochs) -> Epochs:
    return plan("Q", (1, 0), lambda old: (backup(view) + 2 * view.bonus)[K, 1, 0] + 1e-9)(view)


def over_the_cap(view: Epochs) -> Epochs:
    """Q above r + g P V + H, where twice the bonus is more than that."""
    raised = plan("bonus", (1, 0), lambda old: 9 * view.public.H)(view)
    return plan("Q", (1, 0), lambda old: (backup(view) + view.public.H)[K, 1, 0] + 1e-9)(raised)


def other_occupancy(view: Epochs) -> Epochs:
    """The harness's mu* is not an occupancy."""
    instance = replace(view.instance)
    instance.__dict__["optimal_occupancy"] = np.roll(view.instance.optimal_occupancy, 1, axis=0)
    return changed(view, instance=instance)


def worst_policies(view: Epochs) -> Epochs:
    """Plays what is worst in all epochs, against its own values."""
    worst = np.where(np.eye(view.public.A)[view.truth.Q.argmin(axis=1)], np.log(1 - 1e-6), np.log(1e-6))
    return changed(view, plans={**view.plans, "log_policy": np.broadcast_to(worst, view.log_policy.shape)})


def told_of(V: Callable[[Any], Any]) -> Tamper:
    """The harness's regression for other value functions in the plans."""

    def tamper(view: Epochs) -> Epochs:
        steps = replace(view.steps, V=V(view.V))
        return changed(view, estimates=MixtureRegression.start(view.public).estimates(steps))

    return tamper


def one_successor(view: Epochs) -> Epochs:
    """A transcript in which every transition leads to the same state, which the kernel does not do."""
    found = []
    for x in range(view.public.X):
        steps = replace(view.steps, successors=np.full_like(view.steps.successors, x))
        found.append(changed(view, estimates=MixtureRegression.start(view.public).estimates(steps)))
    return max(found, key=lambda tampered: float(transition_estimate.noise_norm(tampered)[LAST]))


def noise_so_far() -> str:
    """Formula of the least sigma for which the good run is inside the bound, and 1% more."""
    unit = measure_of(transition_estimate.noise_event("1"), good("mixture")[0])
    return str(1.01 * unit.ratio)


def measure_of(check: Property, view: Any) -> Measurement:
    with np.errstate(all="ignore"):
        return measure(check(view))
