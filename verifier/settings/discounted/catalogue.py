"""The named instances of the discounted setting.

Names of linear mixtures begin with ``mixture-``: those instances carry features. The tabular algorithm runs on all instances,
the mixture algorithm on these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from verifier.model.setting import Scenario
from verifier.settings.discounted import edges, generators
from verifier.settings.discounted.instance import Instance

EDGE_REGIMES = ("scaled", "oracle")


def _fixed(family: Callable[..., Instance], **sizes: Any) -> Callable[[np.random.Generator], Instance]:
    """A family in which nothing is random."""
    return partial(_undrawn, family, **sizes)


def _undrawn(family: Callable[..., Instance], rng: np.random.Generator, **sizes: Any) -> Instance:
    return family(**sizes)


def _failing(delta: float, build: Callable[[np.random.Generator], Instance]) -> Callable[[np.random.Generator], Instance]:
    """The same instances with another failure probability."""
    return partial(_with_delta, build, delta)


def _with_delta(build: Callable[[np.random.Generator], Instance], delta: float, rng: np.random.Generator) -> Instance:
    instance = build(rng)
    return replace(instance, public=replace(instance.public, delta=delta))


def _edge(name: str, description: str, **changes: Any) -> Scenario[Instance]:
    return Scenario(name, description, partial(edges.small, **changes), share=0.0, regimes=EDGE_REGIMES)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario(
        "random",
        "random tables, half of the rewards zero, random start",
        _failing(0.1, partial(generators.random, X=5, A=2, gamma=0.8, T=2000)),
        share=0.3,
    ),
    Scenario(
        "random-point",
        "random tables with more actions than states, always from state 0",
        _failing(0.1, partial(generators.random, X=2, A=3, gamma=0.5, T=1000, start="point")),
        share=0.3,
    ),
    Scenario(
        "random-half",
        "gamma = 1/2 and a long run: with the exact model the regret grows like sqrt(T) long before its end",
        partial(generators.random, X=4, A=2, gamma=0.5, T=64_000),
        share=0.0,
        regimes=("oracle[model=exact]",),
    ),
    Scenario(
        "river",
        "RiverSwim with 5 states; exploration matters",
        _failing(0.1, _fixed(generators.river, X=5, gamma=0.8, T=2000)),
        share=0.3,
    ),
    Scenario(
        "river-patient",
        "RiverSwim with 4 states and gamma = 0.9; longer epochs",
        _fixed(generators.river, X=4, gamma=0.9, T=4000),
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    Scenario(
        "bandit",
        "one state, two arms, gamma = 0.1: the paper's own constants learn here",
        _fixed(generators.bandit, gamma=0.1, T=80_000),
        share=0.078,
        regimes=("published",),
        showcase="one state, T = 8e4",
    ),
    Scenario(
        "confidence",
        "two arms, gamma = 1/2, delta = 0.1: Lemma 5.1 is not vacuous",
        _failing(0.1, _fixed(generators.bandit, gamma=0.5, T=8000)),
        regimes=("published",),
    ),
    Scenario(
        "bandit-long",
        "the same for T = 6e5: the regret is about 1% of T",
        _fixed(generators.bandit, gamma=0.1, T=600_000),
        share=0.0,
        regimes=("published",),
        tier="deep",
    ),
    Scenario(
        "tree",
        "the state records the first action: relative entropies of occupancies are as large as they can be",
        _fixed(generators.tree, A=2, gamma=0.8, T=1000),
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    Scenario(
        "absorbing",
        "20 absorbing states, one action, gamma = 0.99: each first visit costs a whole epoch of bonuses",
        _fixed(generators.absorbing, X=20, gamma=0.99, T=2000),
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    Scenario(
        "path",
        "a deterministic path: what is new comes late in an epoch",
        _fixed(generators.path, X=8, gamma=0.8, T=500, A=2),
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    Scenario(
        "mixture-base",
        "random kernels mixed with unknown weights",
        _failing(0.1, partial(generators.mixture, X=5, A=2, d=3, gamma=0.8, T=2000)),
        share=0.3,
    ),
    Scenario(
        "mixture-confidence",
        "gamma = 1/2, d = 2, delta = 0.1: Lemma 5.4 is not vacuous",
        _failing(0.1, partial(generators.mixture, X=3, A=2, d=2, gamma=0.5, T=1000)),
        regimes=("published",),
    ),
    Scenario(
        "mixture-rotated",
        "the same in rotated coordinates: features and parameters of both signs",
        _failing(0.1, partial(generators.mixture, X=5, A=2, d=3, gamma=0.8, T=2000, rotated=True)),
        share=0.3,
    ),
    Scenario(
        "mixture-river",
        "RiverSwim with 5 states from 3 kernels, B = 1.087; exploration matters",
        _failing(0.1, _fixed(generators.river_mixture, X=5, gamma=0.8, T=2000)),
        share=0.3,
    ),
    Scenario(
        "mixture-tabular",
        "one feature for each (x,a,x'): the tabular case as a mixture",
        partial(generators.tabular_mixture, X=3, A=2, gamma=0.8, T=1000),
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    Scenario(
        "mixture-path",
        "a path with a parameter for each state, lambda = 0.05: new directions come late in an epoch",
        _failing(0.1, _fixed(generators.path_mixture, X=10, gamma=0.8, T=60)),
        share=0.3,
    ),
    Scenario(
        "mixture-river-fast",
        "RiverSwim with 3 states, gamma = 0.1: the paper's own constants learn, and the bound is below T",
        _fixed(generators.river_mixture, X=3, gamma=0.1, T=100_000),
        share=0.0,
        regimes=("published",),
        tier="standard",
    ),
    _edge("mixture-myopic", "gamma = 0.01: a new policy at almost every step", gamma=0.01),
    _edge("mixture-patient", "gamma = 0.99: a few long epochs", gamma=0.99, T=2000),
    _edge("mixture-very-patient", "gamma = 0.999: H = 1000", gamma=0.999, T=5000),
    _edge("mixture-one-action", "A = 1: nothing to decide, and eta = 0 in the paper", A=1),
    _edge("mixture-one-state", "X = 1: nothing to reach", X=1, A=3),
    _edge("mixture-one-kernel", "d = 1: the feature is the kernel itself", d=1),
    Scenario("mixture-absorbing", "only a reset changes the state", edges.absorbing, share=0.0, regimes=EDGE_REGIMES),
    _edge("mixture-no-rewards", "all rewards 0: with known features nothing is ever learnt, nor has to be", reward=0.0),
    _edge("mixture-all-rewards", "all rewards 1: every policy is optimal", reward=1.0),
    _edge("mixture-one-step", "T = 1: the epoch continues after T", T=1),
    _edge("mixture-one-epoch", "T < H: hardly ever a second plan", gamma=0.99, T=20),
    Scenario(
        "mixture-zero-prior",
        "pi_0 excludes an optimal action: its relative entropy is infinite",
        edges.zero_prior,
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    _edge("mixture-loose-bound", "declares three times the smallest B: wider intervals, all claims hold", declared=3.0),
    _edge("mixture-short-bound", "negative control: declares a B that is too small", declared=0.9),
    Scenario(
        "mixture-large",
        "X = 20, A = 4, d = 8: nothing depends on the sizes being small",
        partial(generators.mixture, X=20, A=4, d=8, gamma=0.95, T=50_000),
        share=0.0,
        tier="deep",
    ),
)
