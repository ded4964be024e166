"""The named instances of the episodic setting, and its family."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.model.setting import Family, Scenario
from verifier_settings.episodic import generators
from verifier_settings.episodic.bandits import BANDITS, features, quiet
from verifier_settings.episodic.instance import MIXTURE, NOISE, REDRAWN, STEPS, STOPPING, Instance
from verifier_settings.scenarios import edge, episodes, fixed, once

mixture = partial(Scenario, extends=MIXTURE)
mixture_edge = partial(edge, extends=MIXTURE)
stopping = partial(Scenario, extends=STOPPING)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("random", "random transitions and rewards", partial(generators.random, S=5, A=2, H=4, K=150)),
    Scenario(
        "long-run",
        "S = 3, H = 2, K = 1500: the confidence intervals of the theorems are not vacuous",
        partial(generators.random, S=3, A=2, H=2, K=1500),
        share=0.5,
        regimes=("published",),
    ),
    Scenario(
        "linear",
        "d = 3 features for 10 pairs of state and action",
        partial(generators.linear, S=5, A=2, d=3, H=4, K=150),
        share=0.5,
    ),
    Scenario(
        "rare-rewards",
        "every action reaches a state that pays with probability 0.01 only",
        partial(fixed(generators.jackpot), H=30, A=4, K=60, chance=0.01),
        share=0.25,
    ),
    Scenario(
        "gamble",
        "H = 60, one choice whose success is worth H; a safe action is a little worse",
        partial(fixed(generators.gamble), H=60, A=2, K=300, chance=0.5, safe=0.45),
        share=0.75,
        regimes=("published",),
    ),
    Scenario(
        "long-horizon",
        "H = 40: values reach 40, counts grow by 40 in an episode",
        partial(generators.random, S=3, A=2, H=40, K=50),
        share=0.25,
    ),
    Scenario("river", "RiverSwim: exploration matters", partial(fixed(generators.river), S=5, H=10, K=100), share=0.25),
    once("lock", "combination lock with a decoy; exploration matters", partial(generators.lock, H=4, A=2, K=150)),
    once(
        "negative-rewards",
        "rewards in [-1, 0]: outside what the theorems assume",
        partial(generators.random, S=4, A=2, H=4, K=60, low=-1.0, high=0.0),
    ),
    once(
        "offset-rewards",
        "rewards in [2, 3]: of range 1, but outside what the theorems assume",
        partial(generators.random, S=4, A=2, H=4, K=60, low=2.0, high=3.0),
    ),
    once(
        "wide-rewards",
        "rewards in [0, 3]: outside what the theorems assume",
        partial(generators.random, S=4, A=2, H=4, K=60, low=0.0, high=3.0),
    ),
    Scenario(
        "much-data",
        "S = 2, A = 1, H = 60, K = 320: both pairs are visited more than (7L)² times, from where on 7HL/√N is below H",
        partial(fixed(generators.coin), H=60, K=320, delta=0.5),
        share=0.25,
        regimes=("published",),
    ),
    once("anywhere", "the initial state is uniform", partial(generators.random, S=5, A=3, H=3, K=100, anywhere=True)),
    edge("one-episode", "K = 1", partial(generators.random, S=4, A=2, H=3, K=1)),
    edge("few-long-episodes", "H = 20, K = 10", partial(generators.random, S=3, A=2, H=20, K=10)),
    edge("short-jackpot", "a rare reward in few steps", partial(fixed(generators.jackpot), H=8, A=2, K=25, chance=0.05)),
    edge("starts-elsewhere", "the initial state is the last one", partial(generators.random, S=4, A=2, H=4, K=60, first=3)),
    edge("one-step", "H = 1: no transition matters", partial(generators.random, S=4, A=3, H=1, K=60, anywhere=True)),
    edge("one-action", "A = 1: nothing to decide", partial(generators.random, S=4, A=1, H=3, K=60)),
    edge("one-state", "S = 1: nothing to reach", partial(fixed(generators.arms), rewards=(0.2, 0.9, 0.5), H=3, K=60)),
    edge("all-rewards", "all rewards 1: only ties", partial(generators.constant, S=4, A=3, H=3, K=60, reward=1.0)),
    edge("no-rewards", "all rewards 0: only ties", partial(generators.constant, S=4, A=3, H=3, K=60, reward=0.0)),
    edge("cycle", "deterministic transitions", partial(fixed(generators.cycle), S=4, H=5, K=60)),
    Scenario(
        "other-steps",
        "transitions and rewards that differ from step to step",
        partial(generators.stages, S=4, A=2, H=4, K=150),
        share=0.5,
        extends=STEPS,
    ),
    once("switch", "which action leads on alternates", partial(fixed(generators.switch), H=4, K=60), extends=STEPS),
    Scenario(
        "rare-lottery",
        "H = 10; a choice whose success is worth H, made in one episode of ten, everything after it well known",
        partial(fixed(generators.gamble), H=10, A=2, K=1000, chance=0.5, safe=0.3, rare=0.1),
        tier="standard",
        share=0.4,
        regimes=("published",),
    ),
    Scenario(
        "long-lottery",
        "the same with H = 20",
        partial(fixed(generators.gamble), H=20, A=2, K=500, chance=0.5, safe=0.3, rare=0.1),
        tier="standard",
        share=0.4,
        regimes=("published",),
    ),
    Scenario(
        "short-lottery",
        "the same with H = 5, one episode of four: for agents whose time grows with (HK)²",
        partial(fixed(generators.gamble), H=5, A=2, K=40, chance=0.5, safe=0.3, rare=0.25),
        tier="standard",
        share=0.4,
        regimes=("published",),
    ),
    Scenario(
        "high-rewards",
        "rewards in [0.5, 1], a range that is declared: inside what the theorems assume",
        partial(generators.random, S=4, A=2, H=4, K=60, low=0.5, high=1.0),
        share=0.25,
        regimes=("published",),
    ),
    Scenario(
        "few-features",
        "a random linear MDP: d = 4 features for 36 pairs of state and action",
        partial(generators.linear, S=12, A=3, d=4, H=4, K=60),
        share=0.25,
        regimes=("published", "oracle"),
    ),
    Scenario(
        "sparse-coins",
        "one pair of four pays, 1 with probability 0.1 at each visit",
        partial(generators.sparse, S=4, A=2, H=5, K=100, chance=0.1),
        share=0.5,
        extends=NOISE,
    ),
    Scenario(
        "coins",
        "rewards of 0 or 1, drawn at each visit",
        partial(generators.coins, S=4, A=2, H=4, K=150),
        share=0.5,
        extends=NOISE,
    ),
    once(
        "coins-by-step",
        "transitions and rewards that differ from step to step, rewards of 0 or 1",
        partial(generators.coins, S=3, A=2, H=3, K=100, stages=True),
        extends=STEPS | NOISE,
    ),
    once(
        "graded-rewards",
        "five rewards in [-1, 2], drawn at each visit: outside what the theorems assume",
        partial(generators.graded, S=4, A=2, H=4, K=60, low=-1.0, high=2.0),
        extends=NOISE,
    ),
    Scenario(
        "from-prior",
        "the transitions of each trial drawn from a Dirichlet prior; S = A = H = 2, K = 2000",
        partial(fixed(generators.from_prior), S=2, A=2, H=2, K=2000),
        share=0.5,
        regimes=("published",),
        extends=REDRAWN,
    ),
    once(
        "leaves-the-cap",
        "S = A = H = 2, K = 40000: at the constants of the papers Q leaves its cap, so that what is played depends on the bonus",
        partial(fixed(generators.funnel), worth=0.2, K=40000),
        tier="deep",
        regimes=("published",),
    ),
    once(
        "long-counts",
        "10⁵ visits of two pairs: what is counted, and what regressions lose to rounding",
        partial(fixed(generators.long_sums), H=50, K=2000, noise=False),
        tier="deep",
    ),
    once(
        "long-sums",
        "the same with rewards that are drawn at each visit: what sums lose to rounding",
        partial(fixed(generators.long_sums), H=50, K=2000, noise=True),
        tier="deep",
        regimes=("published", "scaled"),
        extends=NOISE,
    ),
    edge("absorbing", "a state that is never left and pays nothing", partial(generators.absorbing, S=4, A=2, H=4, K=60)),
    mixture(
        "mixture-random",
        "a mixture of three random kernels that are known",
        partial(generators.mixture, S=5, A=2, m=3, H=4, K=150),
        share=0.5,
    ),
    mixture(
        "mixture-lock",
        "a lock with two keys, which work with probabilities to be learnt; exploration matters",
        partial(fixed(generators.mixture_lock), H=3, K=150),
        share=0.25,
    ),
    mixture(
        "mixture-long",
        "two base kernels, H = 2, K = 5000: the regret bound is below what can be lost",
        partial(fixed(generators.mixture_fork), H=2, K=5000),
        share=0.25,
        regimes=("published",),
    ),
    stopping(
        "stops",
        "a run may stop once its output loses at most 1.5 of 2; S = A = H = 2, at most 3000 episodes",
        partial(fixed(generators.fork), K=3000, epsilon=1.5),
        share=0.25,
        regimes=("published", "oracle"),
    ),
    once(
        "stops-by-step",
        "the same with transitions that differ from step to step",
        partial(generators.stages, S=2, A=2, H=2, K=3000, epsilon=1.5),
        regimes=("published", "oracle"),
        extends=STOPPING | STEPS,
    ),
    stopping(
        "stops-soon",
        "S = 2, A = H = 1: few episodes decide, and the bound on their number is below K = 1500",
        partial(generators.random, S=2, A=1, H=1, K=1500, epsilon=1.5),
        share=0.25,
        regimes=("published", "oracle"),
    ),
    stopping(
        "stops-later",
        "S = H = 2, A = 1: the bound on the number of episodes is below K = 19000",
        partial(generators.random, S=2, A=1, H=2, K=19000, epsilon=1.9),
        tier="standard",
        share=0.1,
        regimes=("published",),
    ),
    stopping(
        "stops-never",
        "a run may stop once its output loses at most 0.1: less than what is lost without data, and 60 episodes are too few",
        partial(generators.random, S=3, A=2, H=3, K=60, epsilon=0.1),
        share=0.25,
        regimes=("published", "oracle"),
    ),
    stopping(
        "stops-fork",
        "a run may stop once its output loses at most 0.5: who takes the first action without data loses 0.8; 60 episodes",
        partial(fixed(generators.fork), K=60, epsilon=0.5),
        share=0.25,
        regimes=("published", "oracle"),
    ),
    *BANDITS,
    mixture_edge("mixture-one", "one base kernel: its coefficient is 1", partial(generators.mixture, S=3, A=2, m=1, H=3, K=40)),
    mixture_edge("mixture-signed", "a coefficient below 0", partial(generators.signed_mixture, S=4, A=2, H=3, K=40)),
    mixture_edge("mixture-copies", "two equal base kernels", partial(generators.copied_mixture, S=4, A=2, H=3, K=40)),
    mixture_edge(
        "mixture-constants",
        "lambda = 4, B = 3/2, delta = 0.02, any initial state",
        partial(generators.mixture, S=4, A=2, m=2, H=3, K=40, anywhere=True, ridge=4.0, delta=0.02, B=1.5),
    ),
    mixture_edge("mixture-many", "six base kernels for four pairs", partial(generators.mixture, S=2, A=2, m=6, H=4, K=40)),
    mixture_edge("mixture-one-step", "H = 1: no transition matters", partial(generators.mixture, S=3, A=2, m=2, H=1, K=30)),
    mixture_edge("mixture-one-episode", "K = 1", partial(generators.mixture, S=3, A=2, m=2, H=4, K=1)),
    mixture_edge(
        "mixture-costs",
        "rewards in [-1, 0]: outside what the theorem assumes, values are cut at 0",
        partial(generators.mixture, S=3, A=2, m=2, H=3, K=40, low=-1.0, high=0.0),
    ),
)

FAMILIES: tuple[Family[Instance], ...] = (
    episodes(
        "lock",
        "combination lock with a decoy, H = A = 3; exploration matters",
        build=partial(generators.lock, H=3, A=3),
        sizes=(100, 200, 400, 800),
    ),
    Family(
        "horizons",
        "random tables with S = 4, A = 2, K = 100, any horizon",
        "H",
        "steps per episode",
        partial(generators.random, S=4, A=2, K=100),
        sizes=(2, 3, 4, 6, 8),
    ),
    Family(
        "states",
        "random tables with A = 2, H = 3, K = 100, any number of states",
        "S",
        "states",
        partial(generators.random, A=2, H=3, K=100),
        sizes=(2, 4, 8, 16),
    ),
    Family(
        "actions",
        "random tables with S = 4, H = 3, K = 100, any number of actions",
        "A",
        "actions",
        partial(generators.random, S=4, H=3, K=100),
        sizes=(2, 4, 8, 16),
    ),
    episodes(
        "adversary-constant",
        "arms that pay 0.9 and 0.2 in every round",
        build=partial(fixed(generators.constant_rewards), rewards=(0.9, 0.2)),
    ),
    episodes(
        "bandit-quiet",
        "two arms of means 0.9 and 0.2, whose rewards are 0.05 off: little noise, so that growth shows in few runs",
        build=partial(fixed(generators.bandit), law=quiet(np.array([0.9, 0.2]))),
    ),
    episodes(
        "linear-bandit-quiet",
        "unit vectors in the plane, of means 0.9 and 0.2, whose rewards are 0.05 off",
        build=features((1.0, 0.0), (0.0, 1.0), theta=(0.9, 0.2), law=quiet),
    ),
    episodes(
        "mixture-lock",
        "a lock with a good key and a bad one, which work with probabilities to be learnt, H = 3; exploration matters",
        build=partial(fixed(generators.mixture_lock), H=3, weights=(0.05, 0.05, 0.9)),
    ),
)

TELLING = ("one-state", "cycle", "lock", "anywhere", "linear", "river", "random", "leaves-the-cap")
"""Instances on which decisions tell algorithms apart, the cheapest first."""

DIFFERING = ("random", "few-long-episodes")
"""Small instances with S, A and H that differ from one another."""
