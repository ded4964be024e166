"""Claims of ELA."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.clause import Clause
from verifier.model.horizon import Horizon
from verifier_cvar.shared import constants
from verifier_cvar.shared.claims import (
    MODEL,
    assumption_claims,
    count_claims,
    data_claims,
    learning_claims,
    optimism_claims,
    sum_claims,
    value_claims,
)
from verifier_cvar.shared.clauses import EXPLORATION
from verifier_properties.cvar import low_rank_optimism, risk_planning


def _planning_claims() -> tuple[Claim, ...]:
    """Exact planning, Lines 15-16."""
    same = partial(Claim, theorem="Lines 15-16: planning", kind=Kind.IDENTITY, clause="AU3")
    return (
        same("bellman", risk_planning.bellman, source="§3.2", statement="V_h = min_a{−b_h + E V_{h+1}(s′, (c−r)⁺)}, V_{H+1} = c",
            follows=(PSEUDO_CODE, "bonus")),
        same("greedy", risk_planning.greedy, source="Line 16", statement="π^k attains the minimum",
            follows=(PSEUDO_CODE, "bellman")),
        same("best-budget", risk_planning.best_budget, source="Line 15", statement="c^k = argmax_c{c − V_1(s_1,c)/τ}",
            follows=(PSEUDO_CODE, "bellman")),
    )  # fmt: skip


def _exact_regret_claims() -> tuple[Claim, ...]:
    """The decomposition, which needs exact planning."""
    claim = partial(Claim, theorem="Appendix C: from bonuses to regret", kind=Kind.ALWAYS)
    return (
        claim("decomposition", low_rank_optimism.decomposition, source="appendix C", clause="DEC",
            statement="CVaR* − CVaR(R(π^k,c^k)) ≤ (1/τ){[V_{P*} − V_{P̂,b}](π^k,c^k) + [V_{P̂,b} − V_{P*}](π*,c*)}",
            follows=("bellman", "greedy", "best-budget", "value-attained")),
        claim("regret-decomposition", low_rank_optimism.regret_decomposition, source="appendix C", clause="REG",
            statement="Σ_{j≤k} gaps ≤ (1/τ)Σ{Σ_h E b_h + (H + Σ_h max b_h)Σ_h E f_h + optimism} for every k", status=Status.OURS,
            why="the sum of the paper's steps before they are bounded",
            follows=("decomposition", "simulation-lemma", "first-bracket")),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    """Theorem 4.1 with every constant."""
    claim = partial(
        Claim,
        theorem="Theorem 4.1: regret",
        regimes=("published",),
        assumes=MODEL,
        status=Status.OURS,
        why="printed as an order, for bonuses capped at 2; the constants are those of the steps of the proof",
        horizon=Horizon(
            lambda public, scale, K: constants.regret_bound(public, K), lambda public, scale, K: K * public.H, unit="K"
        ),
    )
    return (
        claim(
            "regret",
            low_rank_optimism.regret(constants.regret_bound),
            source="Theorem 4.1",
            clause="REG",
            statement="Σ_k CVaR* − CVaR(R(π^k,c^k)) ≤ its bound with all constants, of order H³Ad²√(K log|F|)/τ",
            kind=Kind.PROBABILITY,
            failure_probability=2.0,
            follows=(
                "regret-decomposition",
                "optimism",
                "likelihood-event",
                "norm-concentration",
                "expected-bonus",
                "one-step-back-true",
                "potential",
            ),
        ),
        claim("average-gap", low_rank_optimism.regret(constants.regret_bound, average=True), source="Theorem 4.1", clause="PAC",
            statement="(1/K)Σ_k CVaR* − CVaR(R(π^k,c^k)) ≤ the same bound / K; not the CVaR of the mixture of policies",
            kind=Kind.PROBABILITY, failure_probability=2.0, follows=("regret",)),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims(),
    *data_claims(),
    *learning_claims(),
    *value_claims(),
    *optimism_claims(),
    *sum_claims(),
    *count_claims(planner=False),
    *_planning_claims(),
    *_exact_regret_claims(),
    *_regret_claims(),
)
CLAUSES = (*EXPLORATION, Clause("AU3", "§3.2, Lines 15-16", "exact planning in the learned model"))
