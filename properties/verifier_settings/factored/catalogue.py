"""The named instances of the factored setting, and its families."""

from __future__ import annotations

from functools import partial

from verifier.model.setting import Family, Scenario
from verifier_settings.factored import generators
from verifier_settings.factored.instance import Instance
from verifier_settings.scenarios import edge, episodes, fixed, once

OVERLAP = partial(
    generators.random, state_sizes=(2, 3), action_sizes=(2,), transition_scopes=((2, 0), (0, 1)),
    reward_scopes=((1,), (2, 0), (0, 1, 2)),
)  # fmt: skip
"""A scope that lists its coordinates out of order; two that overlap; a reward that depends on more than any factor does."""

FLAT = partial(
    generators.random, state_sizes=(4,), action_sizes=(3,), transition_scopes=((0, 1),), reward_scopes=((0, 1),)
)  # fmt: skip

CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("overlap", "factors and rewards with overlapping scopes", partial(OVERLAP, H=4, K=150)),
    Scenario(
        "rivers", "product of two RiverSwims: exploration matters",
        partial(fixed(generators.rivers), n=2, s=3, H=8, K=100), share=0.5,
    ),
    Scenario(
        "three-rivers", "product of three RiverSwims: 64 pairs of state and action, 12 cells",
        partial(fixed(generators.rivers), n=3, s=2, H=5, K=150), regimes=("published", "scaled"),
    ),
    Scenario(
        "four-rivers", "product of four RiverSwims: 256 pairs of state and action, 16 cells",
        partial(fixed(generators.rivers), n=4, s=2, H=5, K=100), share=0.25, regimes=("scaled",),
    ),
    Scenario(
        "line", "production line of three machines, each beside the others",
        partial(fixed(generators.line), n=3, H=5, K=80), share=0.25,
    ),
    Scenario("trap", "the first action earns nothing", partial(fixed(generators.trap), s=3, H=6, K=100), share=0.25),
    Scenario("flat", "n = m = 1 with full scopes: an MDP without structure", partial(FLAT, H=4, K=150), share=0.25),
    Scenario(
        "bandits", "two bandits of four arms: the instances of the lower bound",
        partial(generators.bandits, n=2, arms=4, K=300), share=0.25,
    ),
    once(
        "empty-scopes", "a factor and a reward that depend on nothing",
        partial(
            generators.random, state_sizes=(2, 3), action_sizes=(2, 2), transition_scopes=((), (1, 2)),
            reward_scopes=((), (0, 3)), H=4, K=80,
        ),
    ),
    once(
        "full-scopes", "every factor and every reward depends on everything",
        partial(
            generators.random, state_sizes=(2, 2), action_sizes=(2,), transition_scopes=((0, 1, 2), (2, 1, 0)),
            reward_scopes=((0, 1, 2), (1, 0, 2)), H=4, K=80,
        ),
    ),
    once("clockwork", "deterministic transitions and rewards", partial(fixed(generators.clockwork), n=2, s=3, H=8, K=60)),
    once("idle-reward", "a part of the reward is always 0", partial(fixed(generators.rivers), n=2, s=2, H=5, K=60, idle=True)),
    once("absorbing", "a value of a factor is never left", partial(generators.absorbing, H=4, K=80)),
    once("in-turn", "the episodes start in all states in turn", partial(OVERLAP, H=3, K=80, in_turn=True)),
    once("stuck", "no state is left: each is first seen 80 times at once", partial(fixed(generators.stuck), S=24, H=80, K=48)),
    edge("few-episodes", "overlapping scopes, K = 20", partial(OVERLAP, H=3, K=20, anywhere=True)),
    edge("few-rivers", "product of two RiverSwims, K = 20", partial(fixed(generators.rivers), n=2, s=2, H=5, K=20)),
    edge("one-episode", "K = 1", partial(OVERLAP, H=3, K=1)),
    edge("one-step", "H = 1: no transition matters", partial(OVERLAP, H=1, K=60, anywhere=True)),
    edge(
        "one-action", "A = 1: nothing to decide",
        partial(
            generators.random, state_sizes=(2, 2), action_sizes=(1,), transition_scopes=((0, 1), (1,)),
            reward_scopes=((0,),), H=3, K=40,
        ),
    ),
    edge("one-state", "S = 1: nothing to reach", partial(generators.bandits, n=1, arms=3, K=40)),
    edge("all-rewards", "all rewards 1: only ties", partial(generators.constant, reward=1.0, H=3, K=30)),
    edge("no-rewards", "all rewards 0: only ties", partial(generators.constant, reward=0.0, H=3, K=30)),
    once(
        "decimal-rewards", "rewards of 0.1, 0.3 and 0.7, whose sums are rounded",
        partial(OVERLAP, H=3, K=40, anywhere=True, levels=generators.DECIMALS),
    ),
    once(
        "long-sums", "10⁵ visits of two cells: what sums lose to rounding", partial(fixed(generators.long_sums), H=50, K=2000),
        tier="deep",
    ),
)  # fmt: skip

FAMILIES: tuple[Family[Instance], ...] = (
    episodes("rivers", "product of two RiverSwims", build=partial(fixed(generators.rivers), n=2, s=2, H=5)),
    episodes("forks", "two forks whose gaps fall with K", build=fixed(generators.forks)),
    Family(
        "choices", "n choices side by side with the gaps that cost most", symbol="n", unit="factors",
        build=fixed(generators.choices), sizes=(2, 3, 4),
    ),
    Family(
        "lines", "production lines of n machines", symbol="n", unit="factors", build=partial(fixed(generators.line), H=5, K=1000),
    ),
)  # fmt: skip

TELLING = ("one-step", "full-scopes", "empty-scopes", "clockwork", "bandits", "rivers", "three-rivers", "overlap")
"""Instances on which decisions tell algorithms apart, the cheapest first."""
