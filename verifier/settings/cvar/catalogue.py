"""The named instances of the CVaR setting."""

from __future__ import annotations

from functools import partial
from typing import Any

from verifier.model.setting import Scenario
from verifier.settings.cvar import edges, generators
from verifier.settings.cvar.instance import Instance

_STANDARD: dict[str, Any] = {"S": 6, "A": 3, "d": 2, "H": 4, "m": 2, "size": 30, "K": 300, "tau": 0.3}

EDGE_REGIMES = ("published", "oracle")


def _edge(name: str, description: str, **sizes: Any) -> Scenario[Instance]:
    return Scenario(name, description, partial(edges.small, **sizes), share=0.0, regimes=EDGE_REGIMES)


CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario("low-rank", "random low-rank MDP, decoys near and far", partial(generators.random, **_STANDARD)),
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
    Scenario(
        "capped-bonus",
        "H = 14: the room behind the lock is worth more than two bonuses capped at 2",
        partial(generators.clip, K=400),
        share=0.0,
        regimes=("oracle",),
        tier="standard",
    ),
    Scenario(
        "beta-rewards",
        "continuous rewards; the truth is bracketed on a grid of 1/60",
        partial(generators.continuous, S=4, A=2, d=2, H=3, m=60, q=20, size=10, K=30, tau=0.3, T1=6, T2=50),
        share=0.0,
        tier="standard",
    ),
    Scenario("safe-or-risky", "one step: surely 1/2, or 1 with probability 0.8", generators.safe_or_risky, share=0.0),
    Scenario("coin-tosses", "one policy, whose return is binomial", generators.coin_tosses, share=0.0),
    Scenario("budget-switch", "the best second action depends on the first reward", generators.budget_switch, share=0.0),
    _edge("risk-neutral", "tau = 1: CVaR is the mean, every large budget is optimal", tau=1.0),
    Scenario("worst-case", "tau below the smallest atom: CVaR is the minimum", edges.worst_case, share=0.0),
    Scenario("flat-objective", "tau equal to a jump of the cdf: the best budget is not unique", edges.flat_objective, share=0.0),
    Scenario(
        "step-sure",
        "reward 1 surely, step 0.3: the best budget is above H",
        edges.sure_reward,
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    _edge(
        "step-long",
        "K = 120, one action: the error that optimism leaves unpaid gets below H = 4",
        S=2,
        A=1,
        H=4,
        q=2,
        size=2,
        K=120,
        T1=2,
        T2=2,
    ),
    Scenario(
        "step-switch",
        "the best action changes with every unit of the budget left",
        edges.coarse_switch,
        share=0.0,
        regimes=("scaled",),
    ),
    Scenario(
        "step-four",
        "H = 4: budgets on the coarse grid decide actions on the way",
        partial(edges.small, H=4, A=3, m=3, q=2, K=50, T1=6, T2=4, tau=0.2),
        share=0.0,
        regimes=("scaled",),
    ),
    _edge("step-3-10", "discretisation step 0.3, which does not divide 1", m=10, q=3),
    _edge("step-2-5", "discretisation step 0.4, which does not divide 1", m=5, q=2),
    _edge("step-5-12", "discretisation step 5/12, which does not divide 1", m=12, q=5),
    _edge("deep-tail", "H = 8, tau = 0.02: budgets run out on the way", H=8, m=1, K=20, tau=0.02),
    Scenario(
        "step-sharp",
        "rewards of 1/120 rounded up to 1/2: rounding gains 59/60 of all it may",
        edges.tiny_rewards,
        share=0.0,
        regimes=EDGE_REGIMES,
    ),
    _edge("decimal-rewards", "rewards are multiples of the step 0.1: rounding up must not move them", m=10, q=1, K=10, T1=4),
    _edge("no-transition", "H = 1: nothing to learn", H=1),
    _edge("no-bonus", "H = 2: one transition, no bonus", H=2),
    _edge("first-bonus", "H = 3: a bonus in the first step only", H=3),
    _edge("no-choice", "A = 1: nothing to decide", A=1),
    _edge("lone-state", "S = 1: nothing to reach", S=1),
    _edge("one-iteration", "K = 1", K=1),
    Scenario("single-model", "|F| = 1: nothing to learn", edges.single_model, share=0.0, regimes=EDGE_REGIMES),
    Scenario("twins", "every model twice, rotated: likelihoods tie", edges.twins, share=0.0, regimes=EDGE_REGIMES),
    Scenario("skewed-twins", "every model twice, in a skewed basis", edges.skewed_twins, share=0.0, regimes=EDGE_REGIMES),
    Scenario("impossible", "decoys that exclude what happens", edges.impossible, share=0.0, regimes=EDGE_REGIMES),
    Scenario(
        "no-kernel", "negative control: a decoy is no transition kernel", edges.negative_features, share=0.0, regimes=("oracle",)
    ),
    Scenario(
        "low-rank-deep",
        "K = 3000, for the slope of the regret",
        partial(generators.random, **{**_STANDARD, "K": 3000}),
        share=0.0,
        regimes=("scaled",),
        tier="deep",
    ),
)
