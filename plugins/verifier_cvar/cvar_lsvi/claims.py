"""Claims of CVaR-LSVI."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_cvar.shared import constants
from verifier_properties.cvar import simulated_planning

REPLAYED = "Algorithm 2, replayed"
CONFIDENCE = "Lemmas D.1 to D.4: confidence and optimism"
EVENT = "‖w_h(i) − θ_h(i)‖_Λ ≤ β for all budgets, at this step and all later ones"


def _replay_claims() -> tuple[Claim, ...]:
    """The regression, the clip, the policy and what was simulated."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, clause="M", source="Algorithm 2")
    return (
        same("gram", simulated_planning.gram_matrix, statement="Λ_h = λI + Σ_{j<t} φ̄_jφ̄_jᵀ", follows=(PSEUDO_CODE,)),
        same("regression", simulated_planning.regression, statement="w_h(i) = Λ_h⁻¹ Σ_{j<t} φ̄_j V_{h+1}(s′_j, (i − r_j)⁺)",
            follows=(PSEUDO_CODE, "gram")),
        same("formula", simulated_planning.formula,
            statement="Q = Clip[−b + φ̄ᵀw(i) − β‖φ̄‖_{Λ⁻¹}] to [−Σ max b, H], or to [−H, H] where that is lower",
            status=Status.CORRECTED, why="printed with lower clip −H, which may be above V*",
            follows=(PSEUDO_CODE, "regression", "gram", "handed")),
        same("values", simulated_planning.values, statement="V_h = min_a Q_h, V_{H+1} = c", follows=(PSEUDO_CODE, "formula")),
        same("greedy", simulated_planning.greedy, statement="π_t = argmin_a Q_h", follows=(PSEUDO_CODE,)),
        same("handed", simulated_planning.handed, statement="β is that of V_{h+1}", follows=(PSEUDO_CODE,)),
        same("plays-policy", simulated_planning.plays_policy, statement="one episode of π_t is simulated in round t",
            follows=(PSEUDO_CODE, "greedy")),
        same("evaluated-policies", simulated_planning.evaluated_policies,
            statement="the policies evaluated are π_1, …, π_{T1}, each once", follows=(PSEUDO_CODE, "plays-policy")),
        same("estimates", simulated_planning.estimates, statement="V̂_t = mean of (i_1υ − Σr)⁺ − Σb over T2 episodes",
            follows=(PSEUDO_CODE, "evaluated-policies")),
        same("chosen-estimate", simulated_planning.chosen_estimate, statement="the least V̂_t is returned, with its policy",
            follows=(PSEUDO_CODE, "estimates")),
        Claim("simulated-episodes", simulated_planning.simulated_episodes, source="Theorem B.2", theorem=REPLAYED, clause="CNTp",
            statement="T1 + T1·T2 simulated episodes", kind=Kind.IDENTITY, follows=(PSEUDO_CODE,)),
        Claim("width", simulated_planning.width(constants.beta), source="Theorem B.2", theorem=REPLAYED, clause="M",
            statement="β = C H^{1/2} d (H − LO) √log(HdT1/(υδ)) / (2υ) with C = 1 and the lower clip LO ≤ −H", kind=Kind.IDENTITY,
            status=Status.OURS, why=constants.BETA_IS_OURS, regimes=("published",), follows=(PSEUDO_CODE,)),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    """Lemmas D.1 to D.4."""
    claim = partial(Claim, theorem=CONFIDENCE)
    event = partial(
        claim,
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=("published",),
        status=Status.OURS,
        why=constants.BETA_IS_OURS,
    )
    given = partial(claim, kind=Kind.GIVEN, given=EVENT)
    reach = Horizon(
        lambda public, scale, T1: (
            scale * float(constants.beta(public.H, public.d, public.grid.q / public.grid.m, int(T1), public.delta, public.lowest))
        ),
        lambda public, scale, T1: (public.H - public.lowest) * float(T1) ** 0.5,
        unit="T1",
    )
    return (
        event("confidence-event", simulated_planning.confidence_event, source="Lemma D.1", clause="D1",
            statement="‖w_h(i) − θ_h(i)‖_Λ ≤ β for all t, h, i", horizon=reach, follows=("regression", "noise-event", "width")),
        event("noise-event", simulated_planning.noise_event, source="Lemma D.1", clause="D1",
            statement="‖Σ_j φ̄_j[V_{h+1}(s′_j,·) − P V_{h+1}]‖_{Λ⁻¹} ≤ β for all t, h, i", horizon=reach,
            follows=("gram", "formula", "values", "width")),
        event("fixed-noise", simulated_planning.fixed_noise, source="Lemma E.7", clause="E7",
            statement="‖Σ_j φ̄_j[V*_{h+1}(s′_j,·) − P V*_{h+1}]‖²_{Λ⁻¹} ≤ ½(H + Σ max b)²(½ log det Λ + log((N+1)H/δ))",
            unbreakable="the simulator draws the noise after the action, and V* is fixed: self-normalised, for any policies"),
        given("xi", simulated_planning.estimation_error, source="Lemma D.2", clause="D2",
            statement="|φ̄ᵀw(i) − E V_{h+1}(s′, (i − r)⁺)| ≤ β‖φ̄‖_{Λ⁻¹}", follows=("gram", "regression", "values")),
        given("optimism", simulated_planning.optimism, source="Lemma D.3", clause="D3", statement="V^t_h(s,i) ≤ V*_h(s,i)",
            status=Status.CORRECTED, why="false with lower clip −H once Σ_h b_h may exceed H",
            follows=("xi", "formula", "values")),
        given("round-gap", simulated_planning.round_gap, source="Lemma D.4", clause="D4",
            statement="V^{π_t}_1 − V^t_1 ≤ E_{π_t} Σ_h 2β‖φ̄‖_{Λ⁻¹}", status=Status.OURS,
            why="the step of the proof of the regret bound, whose constant the paper leaves open",
            follows=("xi", "formula", "values", "greedy")),
        claim("trace", simulated_planning.trace, source="Lemma E.6", clause="E6",
            statement="Σ_{j<t} φ̄_jᵀΛ_h⁻¹φ̄_j ≤ d(⌈1/υ⌉ + 1)", kind=Kind.ALWAYS, follows=("gram",)),
        claim("elliptical", simulated_planning.elliptical, source="Lemma E.8", clause="E8",
            statement="Σ_{j≤t} φ̄_jᵀ(Λ^j)⁻¹φ̄_j ≤ 2 log(det Λ^{t+1}/det Λ^1) ≤ 2D log(1 + t/(Dλ)) for every t", kind=Kind.ALWAYS,
            unbreakable="the elliptical potential lemma, for any sequence of features of norm at most 1 and λ ≥ 1"),
    )  # fmt: skip


def _evaluation_claims() -> tuple[Claim, ...]:
    """Theorem B.2."""
    claim = partial(Claim, theorem="Theorem B.2: the policy returned")
    return (
        claim("evaluation-error", simulated_planning.evaluation_error, source="appendix D.1", clause="D6",
            statement="|V̂_t − V^{π_t}| ≤ (H + Σ max b)√(log(2T1/δ)/(2T2)) for all t", kind=Kind.PROBABILITY,
            failure_probability=1.0, status=Status.OURS, why="Hoeffding's inequality with its constants, in place of ε/4",
            regimes=("published", "oracle"), follows=("estimates", "evaluated-policies")),
        claim("near-optimum", simulated_planning.near_optimum, source="Theorem B.2", clause="D5",
            statement="V^{π̃} ≤ V* + (1/T1) Σ_t E_{π_t} Σ_h 2β‖φ̄‖_{Λ⁻¹} + 2(H + Σ max b)√(log(2T1/δ)/(2T2))", kind=Kind.GIVEN,
            given="all Monte Carlo estimates are within Hoeffding's bound, and regressions within β in every round",
            status=Status.OURS,
            why="with ε as it is in this run, in place of the T1 and T2 that make it small, which are out of reach",
            follows=("returned-policy", "optimism", "round-gap", "evaluation-error")),
        claim("returned-policy", simulated_planning.returned_policy, source="Theorem B.2", clause="D5",
            statement="V^{π̃} ≤ min_t V^{π_t} + 2(H + Σ max b)√(log(2T1/δ)/(2T2))", kind=Kind.GIVEN,
            given="all Monte Carlo estimates are within Hoeffding's bound", status=Status.OURS,
            why="the step of the proof that chooses among the T1 policies", follows=("chosen-estimate", "evaluation-error")),
    )  # fmt: skip


CLAIMS = (*_replay_claims(), *_confidence_claims(), *_evaluation_claims())
CLAUSES = (
    Clause("M", "Algorithm 2", "the regression, the clip and the greedy policy"),
    Clause("D1", "Lemma D.1", "noise of the regression"),
    Clause("D2", "Lemma D.2", "error of the regression"),
    Clause("D3", "Lemma D.3", "optimism"),
    Clause("D4", "Lemma D.4", "gaps of the rounds"),
    Clause("D5", "Theorem B.2", "the policy returned"),
    Clause("D6", "appendix D.1", "Monte Carlo estimates"),
    Clause("E6", "Lemma E.6", "sum of norms under the last matrix"),
    Clause("E7", "Lemma E.7", "noise for a single value function"),
    Clause("E8", "Lemma E.8", "sum of norms under matrices in force"),
    Clause("CNTp", "Theorem B.2", "numbers of simulated episodes"),
)
