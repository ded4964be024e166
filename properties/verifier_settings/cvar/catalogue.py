"""The named instances of the CVaR setting, and its families."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from verifier.base.errors import UsageError
from verifier.model.setting import Family, Scenario
from verifier_settings.cvar import edges, generators
from verifier_settings.cvar.instance import Instance
from verifier_settings.scenarios import edge, fixed, once, oracle

_STANDARD: dict[str, Any] = {"S": 6, "A": 3, "d": 2, "H": 4, "m": 2, "size": 30, "tau": 0.3}

STEPS = 60
"""Rewards of `grid-steps` are multiples of 1/60, which many grids divide."""

iterations = partial(Family, symbol="K", unit="iterations")


def tails(rng: np.random.Generator, *, n: int) -> Instance:
    """The lock that always opens, at risk level 1/n."""
    return generators.lock(rng, H=5, A=4, K=300, tau=1.0 / n, success=1.0)


def grid_steps(rng: np.random.Generator, *, n: int) -> Instance:
    """Rewards that tie when rounded up to multiples of 1/n.

    Raises
    ------
    UsageError
        If such multiples are none of 1/60.
    """
    if STEPS % n:
        raise UsageError(f"grid-steps[n={n}]: the step 1/{n} is no multiple of 1/{STEPS}; give a divisor of {STEPS}")
    return generators.near_ties(H=2, m=STEPS, q=STEPS // n, K=1, tau=0.3, T1=60, T2=2)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("low-rank", "random low-rank MDP, decoys near and far", partial(generators.random, K=300, **_STANDARD)),
    Scenario(
        "low-rank-long",
        "more states and steps: H = 5, two steps beyond the first with a bonus",
        partial(generators.random, S=8, A=2, d=3, H=5, m=2, size=20, K=300, tau=0.3),
        share=0.25,
    ),
    Scenario(
        "low-rank-wide",
        "more actions and reward atoms",
        partial(generators.random, S=4, A=4, d=2, H=3, m=4, size=30, K=300, tau=0.1),
        share=0.25,
    ),
    Scenario(
        "bait",
        "combination lock with a bait; exploration matters",
        partial(generators.lock, H=5, A=3, K=300),
        share=0.25,
        regimes=("scaled", "oracle"),
    ),
    oracle(
        "capped-bonus",
        "H = 14: the room behind the lock is worth more than two bonuses capped at 2",
        partial(generators.clip, K=400),
        tier="standard",
    ),
    once(
        "beta-rewards",
        "continuous rewards; the truth is bracketed on a grid of 1/60",
        partial(generators.continuous, S=4, A=2, d=2, H=3, m=60, q=20, size=10, K=30, tau=0.3, T1=6, T2=50),
        tier="standard",
    ),
    once("safe-or-risky", "one step: surely 1/2, or 1 with probability 0.8", generators.safe_or_risky),
    once("coin-tosses", "one policy, whose return is binomial", generators.coin_tosses),
    once("budget-switch", "the best second action depends on the first reward", generators.budget_switch),
    edge("risk-neutral", "tau = 1: CVaR is the mean, every large budget is optimal", partial(edges.small, tau=1.0)),
    once("worst-case", "tau below the smallest atom: CVaR is the minimum", edges.worst_case),
    once("flat-objective", "tau equal to a jump of the cdf: the best budget is not unique", edges.flat_objective),
    edge("step-sure", "reward 1 surely, step 0.3: the best budget is above H", edges.sure_reward),
    edge(
        "step-long",
        "K = 120, one action: the error that optimism leaves unpaid gets below H = 4",
        partial(edges.small, S=2, A=1, H=4, q=2, size=2, K=120, T1=2, T2=2),
    ),
    Scenario(
        "step-one",
        "K = 100, step 1: models are told apart, in several runs",
        partial(edges.small, A=3, q=2, K=100, T1=2),
        share=0.25,
        regimes=("published",),
    ),
    once("fine-switch", "m = 25: the best action changes with every unit of the budget left", partial(edges.fine_switch, m=25)),
    once(
        "step-7-25",
        "step 7/25: the best action changes with every unit, and 7/25 times 25 is above 7 in floating point",
        partial(edges.coarse_switch, m=25, q=7, rewards=(0, 7, 14, 21, 25)),
        tier="standard",
        regimes=("scaled",),
    ),
    once("step-switch", "the best action changes with every unit of the budget left", edges.coarse_switch, regimes=("scaled",)),
    once(
        "step-four",
        "H = 4: budgets on the coarse grid decide actions on the way",
        partial(edges.small, H=4, A=3, m=3, q=2, K=50, T1=6, T2=4, tau=0.2),
        regimes=("scaled",),
    ),
    edge("step-3-10", "discretisation step 0.3, which does not divide 1", partial(edges.small, m=10, q=3)),
    edge("step-2-5", "discretisation step 0.4, which does not divide 1", partial(edges.small, m=5, q=2)),
    edge("step-5-12", "discretisation step 5/12, which does not divide 1", partial(edges.small, m=12, q=5)),
    edge("deep-tail", "H = 8, tau = 0.02: budgets run out on the way", partial(edges.small, H=8, m=1, K=20, tau=0.02)),
    edge("step-sharp", "rewards of 1/120 rounded up to 1/2: rounding gains 59/60 of all it may", edges.tiny_rewards),
    edge(
        "decimal-rewards",
        "rewards are multiples of the step 0.1: rounding up must not move them",
        partial(edges.small, m=10, q=1, K=10, T1=4),
    ),
    edge("other-start", "s_1 is not the first state", partial(edges.small, start=2)),
    edge("drawn-start", "the second state is drawn from one law whatever is played: a random s_1", edges.drawn_start),
    edge("fifths", "H = 5, rewards are multiples of 1/5", partial(edges.small, H=5, m=5)),
    edge("many-iterations", "K = 400: learning must not stop", partial(edges.small, K=400)),
    edge("hopeless", "CVaR* = 0 whatever is played: the best budget is 0", edges.hopeless),
    edge(
        "step-five",
        "H = 5, step 2/3, s_1 is not the first state, 15 rounds of the planner",
        partial(edges.small, H=5, m=3, q=2, start=2, K=6, T1=15, T2=4),
    ),
    edge("step-drawn", "step 2/3, a random s_1", partial(edges.drawn_start, m=3, q=2, K=10, T2=4)),
    edge("no-transition", "H = 1: nothing to learn", partial(edges.small, H=1)),
    edge("no-bonus", "H = 2: one transition, no bonus", partial(edges.small, H=2)),
    edge("first-bonus", "H = 3: a bonus in the first step only", partial(edges.small, H=3)),
    edge("no-choice", "A = 1: nothing to decide", partial(edges.small, A=1)),
    edge("lone-state", "S = 1: nothing to reach", partial(edges.small, S=1)),
    edge("one-iteration", "K = 1", partial(edges.small, K=1)),
    edge("single-model", "|F| = 1: nothing to learn", edges.single_model),
    edge("twins", "every model twice, rotated: likelihoods tie", edges.twins),
    edge("skewed-twins", "every model twice, in a skewed basis", edges.skewed_twins),
    edge("impossible", "decoys that exclude what happens", edges.impossible),
    oracle("no-kernel", "negative control: a decoy is no transition kernel", edges.negative_features),
    once(
        "long-counts",
        "10⁵ visits of two pairs: what counts lose in a low precision",
        partial(fixed(edges.long_counts), K=33_334),
        tier="deep",
    ),
    once(
        "low-rank-deep",
        "K = 3000, for the slope of the regret",
        partial(generators.random, K=3000, **_STANDARD),
        regimes=("scaled",),
        tier="deep",
    ),
)

FAMILIES: tuple[Family[Instance], ...] = (
    iterations(
        "bait", "combination lock with a bait, H = 5, A = 4; exploration matters", build=partial(generators.lock, H=5, A=4)
    ),
    iterations("low-rank", "random low-rank MDP, decoys near and far", build=partial(generators.random, **_STANDARD)),
    Family("tails", "the lock that always opens, K = 300, risk level tau = 1/n", "n", "1/tau", tails, sizes=(2, 4, 8, 16)),
    Family("grid-steps", "arms that tie when rewards are rounded up to multiples of 1/n, H = 2", "n", "1/upsilon", grid_steps),
)
