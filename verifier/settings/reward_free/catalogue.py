"""The named instances of the reward-free setting."""

from __future__ import annotations

from functools import partial
from typing import Any

from verifier.model.setting import Scenario
from verifier.settings.reward_free import generators
from verifier.settings.reward_free.instance import Instance

_SMALL: dict[str, Any] = {"S": 6, "A": 3, "d": 2, "H": 3}

CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("simplex", "mixtures of d = 2 laws, lambda = 1/H", partial(generators.simplex, K=300, **_SMALL)),
    Scenario(
        "simplex-light",
        "the same with lambda = 1/1000, where the radii are not those of the regulariser",
        partial(generators.simplex, K=1500, ridge=1e-3, **_SMALL),
        share=0.5,
    ),
    Scenario(
        "rotated",
        "the same with features of both signs, from any state",
        partial(generators.simplex, K=300, turned=True, anywhere=True, **_SMALL),
        share=0.5,
    ),
    Scenario("tabular", "phi = e_(s,a)", partial(generators.tabular, S=3, A=2, H=3, K=200), share=0.25),
)
