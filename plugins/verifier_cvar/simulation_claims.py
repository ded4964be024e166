"""Claims about what is simulated: the planner of ELLA, called once per budget, on rounded rewards."""

from __future__ import annotations

from functools import partial

from verifier import Claim, Kind, Status
from verifier_properties.cvar import model_learning, planner_calls, risk_planning


def count_claims(planner: bool) -> tuple[Claim, ...]:
    """Calls of the planner and what it simulates; none where planning is exact."""
    count = partial(Claim, theorem="§4.1, §5.1: what is used", kind=Kind.IDENTITY, clause="CNT", source="§5.1")
    budgets = (lambda p: p.coarse.initial + 1) if planner else (lambda p: 0)
    episodes = (lambda p: budgets(p) * p.T1 * (1 + p.T2)) if planner else (lambda p: 0)
    return (
        count(
            "planner-calls",
            model_learning.used("planner-calls", lambda v: v.seen.planner_calls, budgets, ("iteration",)),
            statement="one call of the planner per initial budget" if planner else "no call of a planner",
        ),
        count(
            "simulated-episodes",
            model_learning.used("simulated-episodes", lambda v: v.seen.simulated.sum(axis=1), episodes, ("iteration",)),
            statement="T1 + T1·T2 simulated episodes per call" if planner else "nothing is simulated",
        ),
    )


def planner_claims() -> tuple[Claim, ...]:
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
        ),
    )
