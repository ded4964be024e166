"""What a run takes without checks, in milliseconds of processor time per episode (per epoch, per iteration, ...)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier import Algorithm
from verifier.base.seeds import stream
from verifier_reference.empirical import EmpiricalPlanning
from verifier_reference.episodes import StepByStep
from verifier_reference.mvp.algorithm import MVP
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_settings import cvar, discounted, lifelong
from verifier_settings.cvar.augmented import Grid, return_law

from .checks import Cell, off, random, rivers
from .lines import Line, Result, Target, alone, in_turns

PAPER: dict[str, Any] = {"S": 15, "A": 4, "d": 5, "m": 5, "H": 5, "delta": 0.01}
"""Sizes of the experiments of UCBlvd's paper; S and A are not stated there."""


def run(cell: Cell, each: int, **how: Any) -> Callable[[], Result]:
    """Measures a run, divided by the number of its episodes."""

    def measure() -> Result:
        instance = cell.scenario.draw(0)
        return alone(lambda: off(cell, instance), each, **how)

    return measure


def paper_size(algorithm: str, K: int) -> Cell:
    return Cell(algorithm, f"{K} episodes", "published", partial(lifelong.generators.onehot, K=K, **PAPER))


def usual(algorithm: str, most: float) -> Line:
    """An episode at the sizes of UCBlvd's paper; 1000 of them are played."""
    cell = Cell(algorithm, "paper-size", "published")
    return Line(f"an episode of {algorithm}, paper-size, published", run(cell, 1000), Target(most))


def stated(algorithm: str, pairs: int, most: float) -> Line:
    """An episode of a product of rivers with so many pairs of state and action."""
    factors = {64: 3, 1024: 5}[pairs]
    name = f"an episode of {algorithm}, {factors} rivers, |S x A| = {pairs}, H = 5"
    return Line(name, run(rivers(algorithm, factors), 40), Target(most))


def epochs(algorithm: str, most: float) -> Line:
    T = 10_000
    cell = Cell(algorithm, "mixture", "published", partial(discounted.generators.mixture, X=5, A=2, d=3, gamma=0.8, T=T))

    def measure() -> Result:
        instance = cell.scenario.draw(0)
        return alone(lambda: off(cell, instance), off(cell, instance))

    return Line(f"an epoch of {algorithm}, X = 5, A = 2, d = 3, T = {T}", measure, Target(most))


def law() -> Result:
    instance = cvar.generators.random(stream(0, "benchmark"), S=10, A=2, d=2, H=5, m=12, size=3, K=1, tau=0.3)
    public, best = instance.public, instance.truth.fine
    grid, budget = Grid(public.H, public.m), np.array(best.budget)
    return alone(lambda: return_law(instance.truth.P, public.reward, best.policy, budget, public.start, grid, public.S))


ONE_BY_ONE: dict[str, tuple[type[Algorithm], type[Algorithm]]] = {
    "ucrl2": (UCRL2, EmpiricalPlanning),
    "mvp": (MVP, StepByStep),
}
"""Algorithms that play in blocks, and where each has an episode that is played by steps from."""


def tabular(algorithm: str, K: int) -> Cell:
    return random(algorithm, 5, 3, 5, K)


def blocks(algorithm: str, K: int, least: float) -> Line:
    """A run in blocks, and the same with every step asked for."""
    ours, steps = ONE_BY_ONE[algorithm]
    cell = tabular(algorithm, K)

    def measure() -> Result:
        instance, plain = cell.scenario.draw(0), type("Plain", (ours,), {"play": vars(steps)["play"]})
        return in_turns(lambda: off(cell, instance), lambda: off(cell, instance, plain), rounds=3, warm=False)

    return Line(
        f"{algorithm}, {K:,} episodes, (S, A, H) = (5, 3, 5): step by step against blocks", measure, Target(least, least=True)
    )


def long(algorithm: str, most: float) -> Line:
    """A million episodes."""
    name = f"{algorithm}, 1,000,000 episodes, (S, A, H) = (5, 3, 5)"
    return Line(name, run(tabular(algorithm, 10**6), 1000, rounds=1, warm=False), Target(most), unit="s")


UCBLVD = "ucblvd, 1,000,000 episodes, (S, A, d, m, H) = (15, 4, 5, 5, 5)"

LINES = (
    Line(UCBLVD, run(paper_size("ucblvd", 10**6), 1000, rounds=1, warm=False), Target(10.0), unit="s"),
    long("ucrl2", 10.0),
    long("mvp", 10.0),
    blocks("ucrl2", 100_000, 5.0),
    blocks("mvp", 100_000, 5.0),
    usual("ucblvd", 0.4),
    usual("lifelong-lsvi", 1.43),
    stated("fmdp-ch", 64, 0.3),
    stated("fmdp-ch", 1024, 2.0),
    stated("fmdp-bf", 64, 1.2),
    stated("fmdp-bf", 1024, 25.0),
    epochs("ravi-ucb-tabular", 0.067),
    epochs("ravi-ucb-mixture", 0.125),
    Line("an iteration of ela, low-rank, published", run(Cell("ela", "low-rank", "published"), 300), Target(1.5)),
    Line("a budget of cvar-lsvi, plain-model, published", run(Cell("cvar-lsvi", "plain-model", "published"), 1), Target(500.0)),
    Line("the law of the return of a policy, S = 10, H = 5, grid of 12", law, Target(1.0)),
)
