"""The named instances of the reward-free setting, and its families.

lambda is 1/H where the paper's radii are used, and small where the radius is calibrated: the bias of the regulariser, up to H
sqrt(lambda d) in the first episode, is a floor for any radius. On two-states it is a sixth of the radius.

delta is as large as Theorem 4.2 allows, which holds with probability 1 - 7 delta, so that few trials say something of rates: 37
clean ones certify 0.14, where 0.1 takes 53. Radii of the paper grow with log(1/delta): a larger one makes no event easier.
Instances with a small share are for the other claims: there rates are decided in longer profiles.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from verifier.model.setting import Family, Scenario
from verifier_settings.reward_free import generators
from verifier_settings.reward_free.instance import Instance
from verifier_settings.scenarios import calibrated, edge, episodes, fixed, once, oracle

_DELTA: dict[str, Any] = {"delta": 0.14}
_SMALL: dict[str, Any] = {"S": 6, "A": 3, "d": 2, "H": 3, **_DELTA}
_LIGHT: dict[str, Any] = {"ridge": 1e-3}
_MANY, _FEW = 1.25, 0.2
"""Shares of the trials."""

CATALOGUE: tuple[Scenario[Instance], ...] = (
    # In this order trials are spent: rates are decided on the first four instances.
    Scenario(
        "two-states",
        "S = H = d = 2, lambda = 1/2000, K = 1600: sums over the run and what is left for planning are below trivial bounds",
        partial(fixed(generators.two_states), K=1600, ridge=5e-4, delta=0.25),
        regimes=("calibrated",),
    ),
    Scenario(
        "simplex",
        "mixtures of d = 2 laws, lambda = 1/H as the paper's radii need",
        partial(generators.simplex, K=300, **_SMALL),
        share=_MANY,
        regimes=("published", "oracle"),
    ),
    Scenario(
        "hard",
        "instance of the lower bound, d = 3, H = 4; its signs are drawn for each trial",
        partial(generators.hard, d=3, H=4, K=100, **_DELTA),
        share=_MANY,
    ),
    calibrated(
        "rotated",
        "mixtures of d = 2 laws with features of both signs, from any state, lambda = 1/1000: values leave their cap",
        partial(generators.simplex, K=400, turned=True, anywhere=True, **_SMALL, **_LIGHT),
        share=_MANY,
    ),
    calibrated(
        "light-ridge",
        "mixtures of d = 2 laws, lambda = 1/1000 and K = 1000: bounds say something",
        partial(generators.simplex, K=1000, **_SMALL, **_LIGHT),
        share=_FEW,
    ),
    calibrated(
        "three-features",
        "mixtures of d = 3 laws, where the threshold of the weights is seldom met",
        partial(generators.simplex, K=400, anywhere=True, **{**_SMALL, "d": 3}, **_LIGHT),
        share=_FEW,
    ),
    Scenario(
        "spread",
        "lambda = 1/H, episodes start in any state",
        partial(generators.simplex, K=200, anywhere=True, **_SMALL),
        share=_FEW,
        regimes=("published", "oracle"),
    ),
    Scenario("tabular", "phi = e_(s,a)", partial(generators.tabular, S=3, A=2, H=3, K=200, **_LIGHT, **_DELTA), share=_FEW),
    calibrated(
        "lock",
        "combination lock: few states of each step are reached",
        partial(generators.lock, H=3, A=2, K=200, **_LIGHT, **_DELTA),
        share=_FEW,
    ),
    calibrated(
        "fan",
        "one action; half of the episodes end in a well-known state, half in one of 8 that are seen seldom",
        partial(generators.fan, leaves=8, K=1000, ridge=1e-4, **_DELTA),
        share=_FEW,
    ),
    once(
        "long-run",
        "K = 4000 and lambda = 1/1000: the sum of the values is far below its trivial bound",
        partial(generators.simplex, K=4000, **_SMALL, **_LIGHT),
        tier="standard",
        regimes=("calibrated",),
    ),
    edge("one-episode", "K = 1", partial(generators.simplex, S=4, A=2, d=2, H=3, K=1)),
    edge("one-step", "H = 1: no transition matters", partial(generators.simplex, S=4, A=3, d=2, H=1, K=60, anywhere=True)),
    edge("one-action", "A = 1: every policy is optimal", partial(generators.simplex, S=4, A=1, d=2, H=3, K=60)),
    edge("one-state", "S = 1: nothing to reach", partial(generators.simplex, S=1, A=4, d=2, H=3, K=60)),
    edge(
        "one-feature",
        "d = 1: transitions do not depend on state and action",
        partial(generators.simplex, S=4, A=2, d=1, H=3, K=60),
    ),
    edge("ties", "the threshold of the weights is met exactly, up to rounding", partial(fixed(generators.ties), K=150)),
    edge("copies", "two actions with the same feature", partial(generators.copies, S=4, d=2, H=3, K=60)),
    edge("deterministic", "deterministic transitions: no noise", partial(generators.deterministic, S=3, A=2, H=3, K=60)),
    edge("unreachable", "a state that is never reached", partial(generators.unreachable, S=5, A=2, d=3, H=3, K=60)),
    oracle(
        "tiny-ridge", "lambda = 10^-8: rounding of inverses", partial(generators.simplex, S=4, A=2, d=2, H=3, K=60, ridge=1e-8)
    ),
    once(
        "large",
        "S = 50, A = 5, d = H = 8: nothing depends on the sizes being small",
        partial(generators.simplex, S=50, A=5, d=8, H=8, K=300),
        tier="deep",
    ),
    once(
        "long-sums",
        "S = H = d = 2, K = 20,000: what sums and inverses lose to rounding",
        partial(fixed(generators.two_states), K=20_000, ridge=5e-3),
        tier="deep",
    ),
)

FAMILIES: tuple[Family[Instance], ...] = (
    episodes(
        "light-ridge",
        "d = 2, H = 3, lambda = 1/1000, any number of episodes",
        build=partial(generators.simplex, **_SMALL, **_LIGHT),
    ),
    Family(
        "horizons",
        "d = 2, K = 2000, lambda = 1/1000, any horizon",
        "H",
        "steps per episode",
        partial(generators.simplex, S=6, A=3, d=2, K=2000, **_LIGHT),
        sizes=(2, 3, 4, 5, 6),
    ),
    episodes(
        "hard", "instance of the lower bound, d = 3, H = 4, for any number of episodes", build=partial(generators.hard, d=3, H=4)
    ),
)
