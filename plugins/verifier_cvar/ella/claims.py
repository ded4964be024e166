"""Claims of ELLA."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.clause import Clause
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
from verifier_properties.cvar import planner_calls, planner_rounds, risk_planning, simulated_planning

EVENT = "‖w_h(i) − θ_h(i)‖_Λ ≤ β for all budgets, at this step and all later ones"


def _beta(H: Any, d: Any, ups: Any, T1: Any, delta: Any) -> Any:
    """The published width of the planner, chosen before any bonus is known."""
    return constants.beta(H, d, ups, T1, delta, constants.lowest_value(H))


def _round_claims() -> tuple[Claim, ...]:
    """The rounds of CVaR-LSVI in every call of it, replayed."""
    claim = partial(Claim, theorem="Algorithm 2, inside Algorithm 3: the rounds of the planner", clause="PLAN")
    same = partial(claim, kind=Kind.IDENTITY, source="Algorithm 2")
    given = partial(claim, kind=Kind.GIVEN, given=EVENT)
    return (
        same("asked-widths", planner_rounds.asked_widths, statement="β is asked for at every step of each of T1 rounds",
            follows=(PSEUDO_CODE,)),
        same("planned-values", planner_rounds.each_call(planner_rounds.values),
            statement="V_h = min_a Clip[−b + φ̄ᵀw(i) − β‖φ̄‖_{Λ⁻¹}] of every round, w and Λ from what was simulated",
            status=Status.CORRECTED, why="printed with lower clip −H, which may be above V*",
            follows=(PSEUDO_CODE, "asked-widths", "simulated-model")),
        same("planned-policy", planner_rounds.each_call(planner_rounds.greedy),
            statement="π_t = argmin_a Q_h of every round, wherever it can come to from (s_1, i)",
            follows=(PSEUDO_CODE, "planned-values")),
        claim("planner-width", planner_rounds.each_call(simulated_planning.width(_beta)), source="Theorem B.2",
            statement="β = C H^{1/2} d (H + max(H, 2H(H−2))) √log(HdT1/(υδ)) / (2υ) with C = 1, of every round",
            kind=Kind.IDENTITY, status=Status.OURS, why=constants.BETA_IS_OURS, regimes=("published",), follows=(PSEUDO_CODE,)),
        claim("planner-confidence", planner_rounds.each_call(simulated_planning.confidence_event), source="Lemma D.1",
            statement="‖w_h(i) − θ_h(i)‖_Λ ≤ β for all calls, t, h, i", kind=Kind.PROBABILITY, failure_probability=1.0,
            status=Status.OURS, why=constants.BETA_IS_OURS, regimes=("published",),
            follows=("planned-values", "planner-width", "simulated-model", *MODEL)),
        given("planner-optimism", planner_rounds.each_call(simulated_planning.optimism), source="Lemma D.3",
            statement="V^t_h(s,i) ≤ V*_h(s,i) in the learned model, for every call and round", status=Status.CORRECTED,
            why="false with lower clip −H once Σ_h b_h may exceed H",
            follows=("planned-values", "asked-widths", "simulated-model", *MODEL)),
        given("planner-gap", planner_rounds.each_call(simulated_planning.round_gap), source="Lemma D.4",
            statement="V^{π_t}_1 − V^t_1 ≤ E_{π_t} Σ_h 2β‖φ̄‖_{Λ⁻¹}, for every call and round", status=Status.OURS,
            why="the step of the proof of the regret bound, whose constant the paper leaves open",
            follows=("planned-values", "planned-policy", "simulated-model", *MODEL)),
    )  # fmt: skip


def _planner_claims() -> tuple[Claim, ...]:
    """Planning by CVaR-LSVI on rounded rewards, and what rounding costs (Proposition B.1)."""
    claim = partial(Claim, theorem="Algorithm 3, Proposition B.1: rounded rewards")
    same = partial(Claim, theorem="Algorithm 3, what is simulated", kind=Kind.IDENTITY, clause="PLAN", source="Algorithm 3")
    return (
        same("simulated-model", planner_calls.simulated_model, statement="episodes are simulated in the learned model",
            follows=(PSEUDO_CODE,)),
        same("initial-budgets", planner_calls.initial_budgets, statement="one call of the planner from each of 0, υ, …, ⌈H/υ⌉υ",
            follows=(PSEUDO_CODE,)),
        same("evaluated-policies", planner_calls.evaluated_policies,
            statement="the policies of the T1 rounds are those evaluated, from the same initial budget",
            follows=(PSEUDO_CODE, "planned-policy", "initial-budgets")),
        same("estimates", planner_calls.estimates, statement="V̂_i = min_t of the mean of (iυ − Σr)⁺ − Σb over T2 episodes",
            follows=(PSEUDO_CODE, "evaluated-policies")),
        same("chosen-policy", planner_calls.chosen_policy, statement="π^k is the policy of V̂_i at i = i_k",
            follows=(PSEUDO_CODE, "estimates")),
        claim("best-estimate", risk_planning.best_estimate, source="Algorithm 3", clause="PLAN",
            statement="i_k = argmax_i{iυ − V̂_i/τ}", kind=Kind.IDENTITY, follows=(PSEUDO_CODE, "estimates")),
        Claim(
            "decomposition",
            planner_calls.decomposition,
            source="appendix C",
            theorem="Appendix C: from bonuses to regret",
            clause="DEC",
            statement="CVaR* − CVaR(R(π^k,i_k)) ≤ Hυ + (1/τ){[V_{P*} − V_{P̂,b}](π^k,i_k) + [V_{P̂,b} − V_{P*}](π*,i*) + ε_k}",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            why="ε_k is what the planner's estimates are off, measured in what it simulated; printed for planners of accuracy ε. "
            "Without Hυ where rewards are on the grid",
            follows=(
                "initial-budgets",
                "chosen-policy",
                "best-estimate",
                "value-attained",
                "discretised-return",
                "discretisation",
            ),
        ),
        Claim("regret-decomposition", planner_calls.regret_decomposition, source="appendix C",
            theorem="Appendix C: from bonuses to regret", clause="REG",
            statement="Σ_{j≤k} gaps ≤ Σ{Hυ + (1/τ)[Σ_h E b_h + (H + Σ_h max b_h)Σ_h E f_h + optimism + ε_j]} for every k",
            kind=Kind.ALWAYS, status=Status.OURS,
            why="the sum of the paper's steps before they are bounded, with ε_j measured as in `decomposition`",
            follows=("decomposition", "simulation-lemma", "first-bracket")),
        claim("evaluation-error", risk_planning.evaluation_error, source="appendix D.1", clause="PLAN",
            statement="|V̂ − V^{π^k}| ≤ (H + Σ max b)√(log(2·estimates/δ)/(2T2)) for all k", kind=Kind.PROBABILITY,
            failure_probability=1.0, status=Status.OURS,
            why="Hoeffding's inequality with its constants, for all estimates of the run", regimes=("published", "oracle"),
            follows=("estimates", "evaluated-policies", "chosen-policy", "simulated-model", *MODEL)),
        claim(
            "discretised-return",
            risk_planning.discretised_return,
            source="Proposition B.1",
            clause="B1b",
            statement="0 ≤ CVaR(R̄) − CVaR(R) ≤ Hυ for (π^k, i_k), rewards rounded up in R̄",
            kind=Kind.ALWAYS,
            unbreakable="R ≤ R̄ ≤ R + Hυ in every episode, whatever is played, and CVaR is monotone and shifts with constants",
        ),
        claim("discretisation", risk_planning.discretisation, source="Proposition B.1", clause="B1c",
            statement="CVaR* − CVaR(R) ≤ [CVaR*(M̄) − CVaR(R̄)] + Hυ for (π^k, i_k)", kind=Kind.ALWAYS,
            unbreakable="CVaR* ≤ CVaR*(M̄) and CVaR(R̄) ≤ CVaR(R) + Hυ, for any policy of the rounded problem",
            status=Status.CORRECTED, why="printed with budgets up to H/υ; CVaR*(M̄) is taken over the grid up to H⌈1/υ⌉"),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims(),
    *data_claims(),
    *learning_claims(),
    *value_claims(),
    *optimism_claims(),
    *sum_claims(),
    *count_claims(planner=True),
    *_planner_claims(),
    *_round_claims(),
)
_PLANNER = "holds for planners of accuracy ε only, which takes T1 out of reach; `regret-decomposition` has the ε that is measured"
CLAUSES = (
    *(replace(c, unchecked=_PLANNER) if c.key == "PAC" else c for c in EXPLORATION),
    Clause("B1b", "Proposition B.1", "returns rounded and not"),
    Clause("B1c", "Proposition B.1", "the loss of a policy planned on rounded rewards"),
    Clause("B3", "Theorems 5.1, B.3", "the returned policy is ε-optimal; oracle calls and running time", unchecked=_PLANNER),
    Clause("PLAN", "Algorithm 3", "what is simulated and estimated, and the budget of the best estimate"),
)
