"""The named instances of the lifelong setting."""

from __future__ import annotations

from functools import partial
from typing import Any

from verifier.model.setting import Scenario
from verifier.settings.lifelong import edges, generators
from verifier.settings.lifelong.instance import Instance
from verifier.settings.lifelong.rotation import rotation

_STANDARD: dict[str, Any] = {"S": 10, "A": 3, "d": 4, "m": 3, "H": 4, "K": 300}
_PAPER: dict[str, Any] = {"S": 15, "A": 4, "d": 5, "m": 5, "H": 5, "K": 1000}

EDGE_REGIMES = ("published", "oracle")


def _edge(name: str, description: str, **sizes: Any) -> Scenario[Instance]:
    return Scenario(name, description, partial(edges.small, **sizes), share=0.0, regimes=EDGE_REGIMES)


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
    Scenario(
        "lock",
        "combination lock with a decoy; exploration matters",
        partial(generators.lock, H=5, A=2, K=400),
        share=0.0,
        regimes=("scaled", "oracle"),
    ),
    Scenario(
        "paper-size",
        "d = m = H = 5, K = 1000 as in Figure 1a",
        partial(generators.onehot, **_PAPER),
        share=0.0,
        showcase="Figure 1a",
    ),
    Scenario(
        "blocks",
        "one context for K/m episodes, then the next",
        partial(generators.onehot, tasks="blocks", **_STANDARD),
        share=0.0,
        regimes=("scaled", "oracle"),
    ),
    Scenario(
        "round-robin",
        "contexts in turn from a fixed initial state",
        partial(generators.onehot, tasks="round-robin", **_STANDARD),
        share=0.0,
        regimes=("oracle",),
    ),
    Scenario(
        "late-context",
        "the last context appears after 3/4 of the episodes",
        partial(generators.onehot, tasks="late-context", **_STANDARD),
        share=0.0,
        regimes=("oracle",),
    ),
    Scenario(
        "adaptive-regret",
        "an adversary picks the task on which the policy in force loses most",
        partial(generators.onehot, tasks="adaptive-regret", **_STANDARD),
        share=0.25,
        regimes=("published", "scaled", "oracle"),
    ),
    Scenario(
        "adaptive-novelty",
        "an adversary picks the task that shows most that is new",
        partial(generators.onehot, tasks="adaptive-novelty", **_STANDARD),
        share=0.0,
        regimes=("scaled", "oracle"),
    ),
    Scenario(
        "mixture",
        "negative control: contexts between the representatives, completeness fails",
        partial(generators.mixture, S=10, A=3, d=4, m=3, W=6, H=4, K=1000),
        share=0.0,
        regimes=("published", "oracle"),
    ),
    Scenario(
        "rotation",
        "many contexts with exact completeness, psi without Kronecker structure",
        partial(rotation, blocks=3, N=6, A=2, d=3, H=4, K=300),
        share=0.5,
    ),
    Scenario(
        "rotation-tilted",
        "the same with positions 5% away from uniform: misspecified by at most 0.05 H",
        partial(rotation, blocks=3, N=6, A=2, d=3, H=4, K=300, tilt=0.05),
        share=0.0,
        regimes=("published", "oracle"),
    ),
    Scenario(
        "tilted",
        "nearly parallel context features, unlike rewards: the norm bounds fail, the program (8) needs the cone solver",
        partial(generators.tilted, S=5, A=2, d=3, m=2, H=3, K=60, angle=0.01),
        share=0.0,
        regimes=("oracle",),
        tier="standard",
    ),
    Scenario(
        "dependent-representatives",
        "negative control: a representative between two others; the program (8) needs the cone solver",
        edges.dependent_representatives,
        share=0.0,
        regimes=("oracle",),
        tier="standard",
    ),
    Scenario(
        "appendix-h",
        "the paper's experiment taken literally: rewards leave [0, 1]",
        partial(generators.appendix_h, S=10, A=3, d=5, m=5, W=12, H=5, K=120),
        share=0.0,
        regimes=("oracle",),
    ),
    _edge("one-episode", "K = 1", K=1),
    _edge("few-episodes", "K = 2 < d", K=2),
    _edge("one-step", "H = 1: no transition matters", H=1),
    _edge("one-action", "A = 1: nothing to decide", A=1),
    _edge("one-feature", "d = 1: error and bonus are the same number, so optimism is sharp", d=1),
    _edge("one-state", "S = 1: nothing to reach", S=1, A=4),
    Scenario("few-representatives", "n < m", edges.few_representatives, share=0.0, regimes=EDGE_REGIMES),
    Scenario("duplicate-contexts", "two names for one task", edges.duplicate_contexts, share=0.0, regimes=EDGE_REGIMES),
    Scenario("copied-contexts", "contexts that are no representatives", edges.copied_contexts, share=0.0, regimes=EDGE_REGIMES),
    Scenario("rank-deficient", "phi does not span R^d", edges.rank_deficient, share=0.0, regimes=EDGE_REGIMES),
    Scenario(
        "all-rewards", "all rewards 1: V*_h = H-h+1", partial(edges.constant_rewards, reward=1.0), share=0.0, regimes=EDGE_REGIMES
    ),
    Scenario(
        "no-rewards", "all rewards 0: only ties", partial(edges.constant_rewards, reward=0.0), share=0.0, regimes=EDGE_REGIMES
    ),
    Scenario(
        "signed-contexts",
        "a context whose coefficients have both signs, L > 1; completeness fails",
        edges.signed_contexts,
        share=0.0,
        regimes=("oracle",),
    ),
    Scenario("zero-context", "a context with psi = 0", edges.zero_context, share=0.0, regimes=("oracle",)),
    Scenario("absorbing", "an absorbing state that pays nothing", edges.absorbing, share=0.0, regimes=EDGE_REGIMES),
    Scenario("strong-ridge", "lambda = 4", edges.strong_ridge, share=0.0, regimes=EDGE_REGIMES),
    Scenario(
        "large",
        "S = 50, d = H = 8: nothing depends on the sizes being small",
        partial(generators.onehot, S=50, A=5, d=8, m=5, H=8, K=1000),
        share=0.0,
        tier="deep",
    ),
)
