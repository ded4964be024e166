"""Figure 1b of the paper."""

from __future__ import annotations

from verifier_ucblvd.shared.figures import K_IS_INFERRED, NOT_PRINTED, SIMULATIONS, rewards_and_calls

_STAND_IN = (
    "Taken literally, ψ ∼ N(0, I) of dimension 10 is no linear MDP with completeness. An instance with many contexts stands in "
    "where both hold: d = H = 5, d' = 6, c = 0.01. Both algorithms run on it, with tasks of their own. Drawn is the expected "
    "reward of the policy of each episode"
)

FIGURES = (
    rewards_and_calls(
        "1b",
        "Figure 1: UCBlvd vs Lifelong-LSVI. The experimental results include 50 seeds. (b) Setting of Remark 2",
        printed=f"Setting of Remark 2, d' = 10, {SIMULATIONS}, ψ(s,a,w) ∼ N(0, I) but ψ(s,a,w^(j)) = e_j",
        missing=f"{NOT_PRINTED}. {K_IS_INFERRED}. {_STAND_IN}",
    ),
)
