"""The named instances of the episodic setting."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from verifier.model.setting import Scenario
from verifier.settings.episodic import generators
from verifier.settings.episodic.instance import Instance

EDGE_REGIMES = ("published", "oracle")


def _drawn(family: Callable[..., Instance], **sizes: Any) -> Callable[[np.random.Generator], Instance]:
    return partial(family, **sizes)


def _fixed(family: Callable[..., Instance], **sizes: Any) -> Callable[[np.random.Generator], Instance]:
    """A family without anything random in it."""
    return lambda rng: family(**sizes)


def _edge(name: str, description: str, build: Callable[[np.random.Generator], Instance]) -> Scenario[Instance]:
    return Scenario(name, description, build, share=0.0, regimes=EDGE_REGIMES)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("random", "random transitions and rewards", _drawn(generators.random, S=5, A=2, H=4, K=150)),
    Scenario(
        "long-run",
        "S = 3, H = 2, K = 1500: the confidence intervals of the theorems are not vacuous",
        _drawn(generators.random, S=3, A=2, H=2, K=1500),
        share=0.5,
        regimes=("published",),
    ),
    Scenario(
        "linear",
        "d = 3 features for 10 pairs of state and action",
        _drawn(generators.linear, S=5, A=2, d=3, H=4, K=150),
        share=0.5,
    ),
    Scenario(
        "rare-rewards",
        "every action reaches a state that pays with probability 0.01 only",
        _fixed(generators.jackpot, H=30, A=4, K=60, chance=0.01),
        share=0.25,
    ),
    Scenario(
        "gamble",
        "H = 60, one choice whose success is worth H; a safe action is a little worse",
        _fixed(generators.gamble, H=60, A=2, K=300, chance=0.5, safe=0.45),
        share=0.75,
        regimes=("published",),
    ),
    Scenario(
        "long-horizon",
        "H = 40: values reach 40, counts grow by 40 in an episode",
        _drawn(generators.random, S=3, A=2, H=40, K=50),
        share=0.25,
    ),
    Scenario("river", "RiverSwim: exploration matters", _fixed(generators.river, S=5, H=10, K=100), share=0.25),
    Scenario("lock", "combination lock with a decoy; exploration matters", _drawn(generators.lock, H=4, A=2, K=150), share=0.0),
    Scenario(
        "negative-rewards",
        "rewards in [-1, 0]: outside what the theorems assume",
        _drawn(generators.random, S=4, A=2, H=4, K=60, low=-1.0, high=0.0),
        share=0.0,
    ),
    Scenario(
        "offset-rewards",
        "rewards in [2, 3]: of range 1, but outside what the theorems assume",
        _drawn(generators.random, S=4, A=2, H=4, K=60, low=2.0, high=3.0),
        share=0.0,
    ),
    Scenario(
        "wide-rewards",
        "rewards in [0, 3]: outside what the theorems assume",
        _drawn(generators.random, S=4, A=2, H=4, K=60, low=0.0, high=3.0),
        share=0.0,
    ),
    Scenario(
        "anywhere",
        "the initial state is uniform",
        _drawn(generators.random, S=5, A=3, H=3, K=100, anywhere=True),
        share=0.0,
    ),
    _edge("one-episode", "K = 1", _drawn(generators.random, S=4, A=2, H=3, K=1)),
    _edge("few-long-episodes", "H = 20, K = 10", _drawn(generators.random, S=3, A=2, H=20, K=10)),
    _edge("short-jackpot", "a rare reward in few steps", _fixed(generators.jackpot, H=8, A=2, K=25, chance=0.05)),
    _edge("one-step", "H = 1: no transition matters", _drawn(generators.random, S=4, A=3, H=1, K=60, anywhere=True)),
    _edge("one-action", "A = 1: nothing to decide", _drawn(generators.random, S=4, A=1, H=3, K=60)),
    _edge("one-state", "S = 1: nothing to reach", _fixed(generators.arms, rewards=(0.2, 0.9, 0.5), H=3, K=60)),
    _edge("all-rewards", "all rewards 1: only ties", _drawn(generators.constant, S=4, A=3, H=3, K=60, reward=1.0)),
    _edge("no-rewards", "all rewards 0: only ties", _drawn(generators.constant, S=4, A=3, H=3, K=60, reward=0.0)),
    _edge("cycle", "deterministic transitions", _fixed(generators.cycle, S=4, H=5, K=60)),
    _edge("absorbing", "a state that is never left and pays nothing", _drawn(generators.absorbing, S=4, A=2, H=4, K=60)),
)
