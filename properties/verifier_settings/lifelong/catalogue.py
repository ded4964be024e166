"""The named instances of the lifelong setting, and its families."""

from __future__ import annotations

from functools import partial
from typing import Any

from verifier.model.setting import Family, Scenario
from verifier_settings.lifelong import edges, generators
from verifier_settings.lifelong.instance import Instance
from verifier_settings.scenarios import edge, episodes, fixed, once, oracle, scaled

_STANDARD: dict[str, Any] = {"S": 10, "A": 3, "d": 4, "m": 3, "H": 4, "K": 300}
_PAPER: dict[str, Any] = {"S": 15, "A": 4, "d": 5, "m": 5, "H": 5, "delta": 0.01}
"""Sizes and failure probability of the experiments, Appendix H; S and A are not stated."""

CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario(
        "onehot",
        "orthonormal context features, random linear MDP; all assumptions hold exactly",
        partial(generators.onehot, **_STANDARD),
    ),
    Scenario(
        "orthonormal",
        "rotated context features with mixed signs; all assumptions hold exactly",
        partial(generators.orthonormal, **_STANDARD),
        share=0.5,
    ),
    Scenario(
        "tabular", "phi = e_(s,a): the tabular special case", partial(generators.tabular, S=4, A=2, m=2, H=3, K=300), share=0.5
    ),
    Scenario(
        "single-context",
        "m = 1: plain linear MDP, UCBlvd becomes LSVI-UCB with rare switching",
        partial(generators.onehot, S=8, A=3, d=4, m=1, H=4, K=300),
        share=0.25,
    ),
    Scenario(
        "long-run",
        "d = 2, H = 2, K = 1500: the confidence event of the theorem is not vacuous",
        partial(generators.onehot, S=4, A=2, d=2, m=1, H=2, K=1500),
        share=0.5,
        regimes=("published",),
    ),
    once(
        "long-sums",
        "10⁵ visits of two pairs: what sums and inverses lose to rounding",
        partial(generators.tabular, S=2, A=1, m=1, H=50, K=2000),
        tier="deep",
    ),
    scaled("lock", "combination lock with a decoy; exploration matters", partial(generators.lock, H=5, A=2, K=400)),
    once(
        "paper-size",
        "d = m = H = 5, delta = 0.01, K = 1000 as in Figure 1a",
        partial(generators.onehot, K=1000, **_PAPER),
        showcase="Figure 1a",
    ),
    scaled("blocks", "one context for K/m episodes, then the next", partial(generators.onehot, tasks="blocks", **_STANDARD)),
    oracle(
        "round-robin", "contexts in turn from a fixed initial state", partial(generators.onehot, tasks="round-robin", **_STANDARD)
    ),
    oracle(
        "late-context",
        "the last context appears after 3/4 of the episodes",
        partial(generators.onehot, tasks="late-context", **_STANDARD),
    ),
    Scenario(
        "adaptive-regret",
        "an adversary picks the task on which the policy in force loses most",
        partial(generators.onehot, tasks="adaptive-regret", **_STANDARD),
        share=0.25,
        regimes=("published", "scaled", "oracle"),
    ),
    scaled(
        "adaptive-novelty",
        "an adversary picks the task that shows most that is new",
        partial(generators.onehot, tasks="adaptive-novelty", **_STANDARD),
    ),
    edge(
        "mixture",
        "negative control: contexts between the representatives, completeness fails",
        partial(generators.mixture, S=10, A=3, d=4, m=3, W=6, H=4, K=1000),
    ),
    Scenario(
        "rotation",
        "many contexts with exact completeness, psi without Kronecker structure",
        partial(generators.rotation, blocks=3, N=6, A=2, d=3, H=4, K=300),
        share=0.5,
    ),
    edge(
        "rotation-tilted",
        "the same with positions 5% away from uniform: misspecified by at most 0.05 H",
        partial(generators.rotation, blocks=3, N=6, A=2, d=3, H=4, K=300, tilt=0.05),
    ),
    oracle(
        "tilted",
        "nearly parallel context features, unlike rewards: the norm bounds fail, the program (8) needs the cone solver",
        partial(generators.tilted, S=5, A=2, d=3, m=2, H=3, K=60, angle=0.01),
    ),
    edge(
        "nearly-parallel",
        "nearly parallel context features and like rewards: the program (8) has value 0, found by an inverse of norm 100",
        partial(generators.tilted, S=5, A=2, d=3, m=2, H=3, K=40, angle=0.01, alike=True),
    ),
    oracle(
        "dependent-representatives",
        "negative control: a representative between two others; the program (8) needs the cone solver",
        edges.dependent_representatives,
        tier="standard",
    ),
    oracle(
        "opposed-representatives",
        "negative control: a representative between two that want opposite actions; the exact path of (8) leaves its balls",
        fixed(edges.opposed_representatives),
    ),
    oracle(
        "appendix-h",
        "the paper's experiment taken literally: rewards leave [0, 1]",
        partial(generators.appendix_h, S=10, A=3, d=5, m=5, W=12, H=5, K=120),
    ),
    edge("one-episode", "K = 1", partial(edges.small, K=1)),
    edge("few-episodes", "K = 2 < d", partial(edges.small, K=2)),
    edge("one-step", "H = 1: no transition matters", partial(edges.small, H=1)),
    edge("one-action", "A = 1: nothing to decide", partial(edges.small, A=1)),
    edge("one-feature", "d = 1: error and bonus are the same number, so optimism is sharp", partial(edges.small, d=1)),
    edge("one-state", "S = 1: nothing to reach", partial(edges.small, S=1, A=4)),
    edge("few-representatives", "n < m", edges.few_representatives),
    edge("duplicate-contexts", "two names for one task", edges.duplicate_contexts),
    edge("later-representatives", "the representatives are not the first contexts", edges.later_representatives),
    edge("copied-contexts", "contexts that are no representatives", edges.copied_contexts),
    edge("rank-deficient", "phi does not span R^d", edges.rank_deficient),
    edge("all-rewards", "all rewards 1: V*_h = H-h+1", partial(edges.constant_rewards, reward=1.0)),
    edge("no-rewards", "all rewards 0: only ties", partial(edges.constant_rewards, reward=0.0)),
    oracle("signed-contexts", "a context whose coefficients have both signs, L > 1; completeness fails", edges.signed_contexts),
    oracle("zero-context", "a context with psi = 0", edges.zero_context),
    edge("absorbing", "an absorbing state that pays nothing", edges.absorbing),
    edge("strong-ridge", "lambda = 4", edges.strong_ridge),
    edge("weak-ridge", "lambda = 1/4 and delta = 0.02", edges.weak_ridge),
    once(
        "other-constants",
        "lambda = 4 and delta = 0.02, K = 120: decisions depend on both where the width is a part of the published one",
        partial(generators.onehot, S=5, A=3, d=3, m=2, H=3, K=120, ridge=4.0, delta=0.02),
        tier="deep",
        regimes=("published", "scaled"),
    ),
    once(
        "large",
        "S = 50, d = H = 8: nothing depends on the sizes being small",
        partial(generators.onehot, S=50, A=5, d=8, m=5, H=8, K=1000),
        tier="deep",
    ),
)

FAMILIES: tuple[Family[Instance], ...] = (
    episodes(
        "paper-size",
        "d = m = H = 5, delta = 0.01 as in Figure 1a, any number of episodes",
        build=partial(generators.onehot, **_PAPER),
        showcase="Figure 1a",
    ),
    episodes("lock", "combination lock with a decoy; exploration matters", build=partial(generators.lock, H=5, A=2)),
    episodes(
        "rotation-5",
        "many contexts with exact completeness, d = H = 5, d' = 6, delta = 0.01",
        build=partial(generators.rotation, blocks=5, N=6, A=2, d=5, H=5, delta=0.01),
    ),
    Family(
        "dimensions",
        "S = 16, m = 2, H = 3, K = 500, features of any length",
        "d",
        "features",
        partial(generators.onehot, S=16, A=3, m=2, H=3, K=500),
        sizes=(2, 3, 4, 6, 8),
    ),
    Family(
        "tasks",
        "S = 10, d = 4, H = 3, K = 500, any number of representative tasks",
        "m",
        "tasks",
        partial(generators.onehot, S=10, A=3, d=4, H=3, K=500),
        sizes=(2, 3, 4, 6, 8),
    ),
    Family(
        "horizons",
        "S = 10, d = 4, m = 3, K = 500, any horizon",
        "H",
        "steps per episode",
        partial(generators.onehot, S=10, A=3, d=4, m=3, K=500),
        sizes=(2, 3, 4, 6, 8),
    ),
)

TELLING = ("one-state", "absorbing", "later-representatives", "other-constants", "lock")
"""Instances on which decisions tell algorithms apart, the cheapest first."""
