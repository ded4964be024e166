"""Claims of ELLA."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from verifier import Claim, Kind, Status
from verifier.model.clause import Clause
from verifier_cvar.shared.claims import (
    assumption_claims,
    count_claims,
    data_claims,
    learning_claims,
    optimism_claims,
    sum_claims,
    value_claims,
)
from verifier_cvar.shared.clauses import EXPLORATION
from verifier_properties.cvar import planner_calls, risk_planning


def _planner_claims() -> tuple[Claim, ...]:
    """Planning by CVaR-LSVI on rounded rewards, and what rounding costs (Proposition B.1)."""
    claim = partial(Claim, theorem="Algorithm 3, Proposition B.1: rounded rewards")
    same = partial(Claim, theorem="Algorithm 3, what is simulated", kind=Kind.IDENTITY, clause="PLAN", source="Algorithm 3")
    return (
        same("simulated-model", planner_calls.simulated_model, statement="episodes are simulated in the learned model"),
        same("initial-budgets", planner_calls.initial_budgets, statement="one call of the planner from each of 0, υ, …, ⌈H/υ⌉υ"),
        same(
            "evaluated-policies",
            planner_calls.evaluated_policies,
            statement="the policies of the T1 rounds are those evaluated, from the same initial budget",
        ),
        same("estimates", planner_calls.estimates, statement="V̂_i = min_t of the mean of (iυ − Σr)⁺ − Σb over T2 episodes"),
        same("chosen-policy", planner_calls.chosen_policy, statement="π^k is the policy of V̂_i at i = i_k"),
        claim(
            "best-estimate",
            risk_planning.best_estimate,
            source="Algorithm 3",
            clause="PLAN",
            statement="i_k = argmax_i{iυ − V̂_i/τ}",
            kind=Kind.IDENTITY,
        ),
        claim(
            "evaluation-error",
            risk_planning.evaluation_error,
            source="appendix D.1",
            clause="PLAN",
            statement="|V̂ − V^{π^k}| ≤ (H + Σ max b)√(log(2·estimates/δ)/(2T2)) for all k",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            status=Status.OURS,
            why="Hoeffding's inequality with its constants, for all estimates of the run",
            regimes=("published",),
        ),
        claim(
            "discretised-return",
            risk_planning.discretised_return,
            source="Proposition B.1",
            clause="B1b",
            statement="0 ≤ CVaR(R̄) − CVaR(R) ≤ Hυ for (π^k, i_k), rewards rounded up in R̄",
            kind=Kind.ALWAYS,
        ),
        claim(
            "discretisation",
            risk_planning.discretisation,
            source="Proposition B.1",
            clause="B1c",
            statement="CVaR* − CVaR(R) ≤ [CVaR*(M̄) − CVaR(R̄)] + Hυ for (π^k, i_k)",
            kind=Kind.ALWAYS,
            status=Status.CORRECTED,
            why="printed with budgets up to H/υ; CVaR*(M̄) is taken over the grid up to H⌈1/υ⌉",
        ),
    )


CLAIMS = (
    *assumption_claims(),
    *data_claims(),
    *learning_claims(),
    *value_claims(),
    *optimism_claims(),
    *sum_claims(),
    *count_claims(planner=True),
    *_planner_claims(),
)
_PLANNER = "holds for planners of accuracy ε only, which takes T1 out of reach; `regret` is a claim of ela"
CLAUSES = (
    *(replace(c, unchecked=_PLANNER) if c.key in ("REG", "PAC", "DEC") else c for c in EXPLORATION),
    Clause("B1b", "Proposition B.1", "returns rounded and not"),
    Clause("B1c", "Proposition B.1", "the loss of a policy planned on rounded rewards"),
    Clause("PLAN", "Algorithm 3", "what is simulated and estimated, and the budget of the best estimate"),
)
