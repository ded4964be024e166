"""The named instances of the discounted setting, and its families.

Names of linear mixtures begin with ``mixture-``: those instances carry features. The tabular algorithm runs on all instances,
the mixture algorithm on these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from verifier.model.setting import Family, Scenario
from verifier_settings.discounted import edges, generators
from verifier_settings.discounted.instance import Instance
from verifier_settings.scenarios import fixed, once, scaled

published = partial(once, regimes=("published",))
steps = partial(Family, symbol="T", unit="steps")


def repeated(name: str, description: str, build: Callable[[np.random.Generator], Instance]) -> Scenario[Instance]:
    """A scenario for what may fail with a probability: with 0.1 for it, and three tenths of the trials."""
    return Scenario(name, description, likely(build), share=0.3)


def likely(build: Callable[[np.random.Generator], Instance]) -> Callable[[np.random.Generator], Instance]:
    """Builder of the same instances with failure probability 0.1."""
    return partial(_likely, build)


def _likely(build: Callable[[np.random.Generator], Instance], rng: np.random.Generator) -> Instance:
    instance = build(rng)
    return replace(instance, public=replace(instance.public, delta=0.1))


def horizons(rng: np.random.Generator, *, H: int) -> Instance:
    """`generators.random` with gamma = 1 - 1/H."""
    return generators.random(rng, X=4, A=2, gamma=1.0 - 1.0 / H, T=4000)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    repeated(
        "random", "random tables, half of the rewards zero, random start", partial(generators.random, X=5, A=2, gamma=0.8, T=2000)
    ),
    repeated(
        "random-point",
        "random tables with more actions than states, always from state 0",
        partial(generators.random, X=2, A=3, gamma=0.5, T=1000, start="point"),
    ),
    once(
        "random-half",
        "gamma = 1/2 and a long run: with the exact model the regret grows like sqrt(T) long before its end",
        partial(generators.random, X=4, A=2, gamma=0.5, T=64_000),
        regimes=("oracle[model=exact]",),
    ),
    repeated("river", "RiverSwim with 5 states; exploration matters", partial(fixed(generators.river), X=5, gamma=0.8, T=2000)),
    scaled(
        "river-patient",
        "RiverSwim with 4 states and gamma = 0.9; longer epochs",
        partial(fixed(generators.river), X=4, gamma=0.9, T=4000),
    ),
    Scenario(
        "bandit",
        "one state, two arms, gamma = 0.1: the paper's own constants learn here",
        partial(fixed(generators.bandit), gamma=0.1, T=80_000),
        share=0.078,
        regimes=("published",),
        showcase="one state, T = 8e4",
    ),
    Scenario(
        "confidence",
        "two arms, gamma = 1/2, delta = 0.1: Lemma 5.1 is not vacuous",
        likely(partial(fixed(generators.bandit), gamma=0.5, T=8000)),
        regimes=("published",),
    ),
    published(
        "bandit-long",
        "the same for T = 6e5: the regret is about 1% of T",
        partial(fixed(generators.bandit), gamma=0.1, T=600_000),
        tier="deep",
    ),
    scaled(
        "tree",
        "the state records the first action: relative entropies of occupancies are as large as they can be",
        partial(fixed(generators.tree), A=2, gamma=0.8, T=1000),
    ),
    scaled(
        "absorbing",
        "20 absorbing states, one action, gamma = 0.99: each first visit costs a whole epoch of bonuses",
        partial(fixed(generators.absorbing), X=20, gamma=0.99, T=2000),
    ),
    scaled(
        "path",
        "a deterministic path: what is new comes late in an epoch",
        partial(fixed(generators.path), X=8, gamma=0.8, T=500, A=2),
    ),
    repeated(
        "mixture-base", "random kernels mixed with unknown weights", partial(generators.mixture, X=5, A=2, d=3, gamma=0.8, T=2000)
    ),
    Scenario(
        "mixture-confidence",
        "gamma = 1/2, d = 2, delta = 0.1: Lemma 5.4 is not vacuous",
        likely(partial(generators.mixture, X=3, A=2, d=2, gamma=0.5, T=1000)),
        regimes=("published",),
    ),
    repeated(
        "mixture-rotated",
        "the same in rotated coordinates: features and parameters of both signs",
        partial(generators.mixture, X=5, A=2, d=3, gamma=0.8, T=2000, rotated=True),
    ),
    repeated(
        "mixture-river",
        "RiverSwim with 5 states from 3 kernels, B = 1.087; exploration matters",
        partial(fixed(generators.river_mixture), X=5, gamma=0.8, T=2000),
    ),
    scaled(
        "mixture-tabular",
        "one feature for each (x,a,x'): the tabular case as a mixture",
        partial(generators.tabular_mixture, X=3, A=2, gamma=0.8, T=1000),
    ),
    repeated(
        "mixture-path",
        "a path with a parameter for each state, lambda = 0.05: new directions come late in an epoch",
        partial(fixed(generators.path_mixture), X=10, gamma=0.8, T=60),
    ),
    published(
        "mixture-river-fast",
        "RiverSwim with 3 states, gamma = 0.1: the paper's own constants learn, and the bound is below T",
        partial(fixed(generators.river_mixture), X=3, gamma=0.1, T=100_000),
        tier="standard",
    ),
    scaled("mixture-myopic", "gamma = 0.01: a new policy at almost every step", partial(edges.small, gamma=0.01)),
    scaled("mixture-patient", "gamma = 0.99: a few long epochs", partial(edges.small, gamma=0.99, T=2000)),
    scaled("mixture-very-patient", "gamma = 0.999: H = 1000", partial(edges.small, gamma=0.999, T=5000)),
    scaled("mixture-one-action", "A = 1: nothing to decide, and eta = 0 in the paper", partial(edges.small, A=1)),
    scaled("mixture-one-state", "X = 1: nothing to reach", partial(edges.small, X=1, A=3)),
    scaled("mixture-one-kernel", "d = 1: the feature is the kernel itself", partial(edges.small, d=1)),
    scaled("mixture-absorbing", "only a reset changes the state", edges.absorbing),
    scaled(
        "mixture-no-rewards",
        "all rewards 0: with known features nothing is ever learnt, nor has to be",
        partial(edges.small, reward=0.0),
    ),
    scaled("mixture-all-rewards", "all rewards 1: every policy is optimal", partial(edges.small, reward=1.0)),
    scaled("mixture-one-step", "T = 1: the epoch continues after T", partial(edges.small, T=1)),
    scaled("mixture-one-epoch", "T < H: hardly ever a second plan", partial(edges.small, gamma=0.99, T=20)),
    scaled("mixture-zero-prior", "pi_0 excludes an optimal action: its relative entropy is infinite", edges.zero_prior),
    scaled(
        "mixture-loose-bound",
        "declares three times the smallest B: wider intervals, all claims hold",
        partial(edges.small, declared=3.0),
    ),
    scaled(
        "mixture-weak-ridge",
        "lambda = 1e-4: what was not seen yet has eigenvalues smaller by nine digits than what was",
        partial(edges.small, d=3, gamma=0.9, ridge=1e-4),
    ),
    scaled("mixture-short-bound", "negative control: declares a B that is too small", partial(edges.small, declared=0.9)),
    once(
        "mixture-large",
        "X = 20, A = 4, d = 8: nothing depends on the sizes being small",
        partial(generators.mixture, X=20, A=4, d=8, gamma=0.95, T=50_000),
        tier="deep",
    ),
    once(
        "mixture-long-sums",
        "X = 2, T = 10⁵: what sums and inverses lose to rounding",
        partial(generators.mixture, X=2, A=1, d=2, gamma=0.8, T=100_000),
        tier="deep",
    ),
)

FAMILIES: tuple[Family[Instance], ...] = (
    steps(
        "random-half",
        "random tables with 4 states, gamma = 1/2, any number of steps",
        build=partial(generators.random, X=4, A=2, gamma=0.5),
    ),
    steps(
        "river",
        "RiverSwim with 5 states, gamma = 0.8; exploration matters",
        build=partial(fixed(generators.river), X=5, gamma=0.8),
    ),
    steps(
        "mixture-half",
        "random kernels mixed with unknown weights, gamma = 1/2",
        build=partial(generators.mixture, X=5, A=2, d=3, gamma=0.5),
    ),
    Family("horizons", "random tables with 4 states, T = 4000, gamma = 1 - 1/H", "H", "effective horizon", horizons),
    steps(
        "mixture-doors",
        "two doors beside a safe place, gamma = 1/2; exploration matters",
        build=partial(fixed(generators.doors), gamma=0.5),
    ),
)
