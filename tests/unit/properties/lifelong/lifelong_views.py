"""Good runs of the lifelong setting, whose plans and series tests tamper with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from verifier_settings.lifelong import Phases, Run, edges, generators
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards

from ...settings.lifelong.runs import at, changed, generator, play

LAST = -1
"""The last plan of the run."""


RUNS = {
    "ucblvd": (UCBlvd, "oracle"),
    "published": (UCBlvd, "published"),
    "lsvi": (LifelongLSVI, "oracle"),
    "rewards": (UCBlvdUnknownRewards, "oracle"),
    "sharing": (LifelongLSVISharing, "oracle"),
    "sharing-published": (LifelongLSVISharing, "published"),
    "copied": (UCBlvd, "oracle"),
    "mixture": (UCBlvd, "oracle"),
}


@cache
def good(name: str = "ucblvd") -> tuple[Phases, Run]:
    algorithm, regime = RUNS[name]
    instance = edges.small(generator(1))
    if name == "copied":
        instance = edges.copied_contexts(generator(5))
    if name == "mixture":
        instance = generators.mixture(generator(0), S=5, A=2, d=3, m=2, W=4, H=3, K=40)
    phases, run = play(algorithm, instance, regime)
    return phases[0], run


def plan(field: str, index: tuple[Any, ...], change: Callable[[Any], Any], which: int = LAST) -> Callable[[Phases], Phases]:
    """Changes one entry of one field of one plan."""

    def tamper(view: Phases) -> Phases:
        plans = list(view.plans)
        array = getattr(plans[which], field)
        plans[which] = replace(plans[which], **{field: at(array, index, change(array[index]))})
        return changed(view, plans=plans)

    return tamper


def attribute(name: str, index: tuple[Any, ...], change: Callable[[Any], Any]) -> Callable[[Phases], Phases]:
    return lambda view: changed(view, **{name: at(getattr(view, name), index, change(getattr(view, name)[index]))})


def series(name: str, index: tuple[Any, ...], change: Callable[[Any], Any]) -> Callable[[Run], Run]:
    def tamper(run: Run) -> Run:
        array = getattr(run.series, name)
        return changed(run, series=replace(run.series, **{name: at(array, index, change(array[index]))}))

    return tamper


def add(amount: float) -> Callable[[Any], Any]:
    return lambda old: old + amount


def twice(public: Any) -> float:
    return 2.0
