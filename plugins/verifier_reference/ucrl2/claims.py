"""The claims of UCRL2 in its episodic form, one per checkable clause of the paper."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import widths
from verifier_properties.episodes import regret
from verifier_properties.episodic import balls, doubling, tabular_model
from verifier_properties.episodic import planning as episodic_planning
from verifier_reference.shared import ucrl2 as constants
from verifier_reference.shared.claims import REPLAYED, assumption_claims, model_claims, planning_claims

ASSUMED = ("transition-kernel", "reward-range")
EVENT = "the true kernel is in the harness's ball around P̂_k at every pair, at this plan"
EPISODES = "the paper is about one stream without a horizon; here is its episodic form, of H steps and with known rewards, "
BALL = balls.POOLED


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        *model_claims("Figure 1, step 2", "Figure 1, step 2", "COUNT"),
        same("width", widths.width_formula("1"), source="eq. (4)", clause="BALL",
            statement="the radius as printed, times 1", regimes=("published",)),
        same("radius-formula", balls.radius_formula(BALL), source="eq. (4)", clause="BALL",
            statement="d_k(s,a) = √(14 S ln(2At_k/δ) / N_k(s,a))", follows=(PSEUDO_CODE, "visits")),
        same("plausible", balls.plausible(BALL), source="eq. (4), Figure 2", clause="EVI",
            statement="p_h(·|s,a) is a probability with ‖p_h − P̂_k‖₁ ≤ d_k", follows=(PSEUDO_CODE, "kernel", "radius-formula")),
        same("attained", balls.attained, source="Figure 1, step 4", clause="EVI", statement="Q_h = r + p_h V_{h+1}",
            follows=(PSEUDO_CODE, "width-target")),
        same("q-formula", balls.extended_values(BALL), source="eq. (13)", clause="EVI",
            statement="Q_h(s,a) = r(s,a) + max{p·V_{h+1} : ‖p − P̂_k(·|s,a)‖₁ ≤ d_k(s,a)}",
            follows=(PSEUDO_CODE, "plausible", "attained"), status=Status.OURS,
            why=EPISODES + "so that values are iterated from the last step to the first"),
        *planning_claims(
            "Figure 1",
            "PLAY",
            (
                "plans-when-doubled",
                doubling.plans_when_doubled,
                "a plan at the first episode start at which v_k(s,a) ≥ max(1, N_k(s,a)) for some s, a, and at no other",
            ),
        ),
        Claim("value-range", balls.values_of_steps_left, source="Figure 2", theorem=REPLAYED, clause="EVI",
            statement="0 ≤ V_h(s) ≤ H − h + 1", follows=("q-formula", "value-function"), kind=Kind.ALWAYS, assumes=ASSUMED),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    lemma = partial(Claim, theorem="Lemma 17: confidence", clause="EVENT")
    return (
        lemma("confidence-event", balls.confidence(BALL), source="Lemma 17",
            statement="‖P̂_k(·|s,a) − P(·|s,a)‖₁ ≤ d_k(s,a) for all k, s, a", kind=Kind.PROBABILITY, failure_probability=1.0,
            regimes=("published",), assumes=("transition-kernel",),
            follows=("visits", "kernel", "radius-formula", "width", "no-foresight")),
        lemma("kernel-distance", balls.kernel_distance, source="eq. (14)", statement="‖p_h(·|s,a) − P(·|s,a)‖₁ ≤ 2 d_k(s,a)",
            kind=Kind.GIVEN, given=EVENT, assumes=("transition-kernel",), follows=("plausible", "radius-formula")),
        lemma("optimism", episodic_planning.optimism(lambda view: view.inside), source="§3.1", theorem="§3.1: optimism",
            clause="OPT", statement="Q_h(s,a) ≥ Q*_h(s,a) for all s, a, h", kind=Kind.GIVEN, given=EVENT,
            assumes=("transition-kernel",), follows=("q-formula", "value-function")),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    ours = partial(Claim, theorem="Theorem 2: regret", status=Status.OURS)
    return (
        ours("planning-calls", doubling.planning_calls, source="Proposition 18", theorem="Proposition 18: number of plans",
            clause="CALLS", kind=Kind.ALWAYS,
            why=EPISODES + "in which plans wait for the next start; the printed bound holds for them, too",
            statement="m ≤ SA log₂(8T/(SA)) for T ≥ SA", follows=("plans-when-doubled",)),
        ours("visit-sum", tabular_model.visit_sum(stale=3), source="Lemma 19", clause="SUM", kind=Kind.ALWAYS,
            why="printed as (√2 + 1)√(SAT) for plans that end when a count has doubled; here they end with the episode",
            statement="Σ_{k,h} 1/√max(1, N_k(s_h,a_h)) ≤ 3HSA + 2√(3SAT)", follows=("visits", "plans-when-doubled")),
        ours("regret-recursion", regret.recursion(balls.slack, "radius"), source="§4.3", clause="REC", kind=Kind.GIVEN,
            given=EVENT, assumes=ASSUMED, why=EPISODES + "so that the range of V_{h+1} is H − h where the paper has the diameter",
            statement="δ_h ≤ P δ_{h+1} + min(1, d_k)(H − h) at visited pairs, δ = V − V^π",
            follows=("attained", "kernel-distance", "value-function", "greedy", "plays-policy")),
        ours("pathwise-regret", regret.pathwise(balls.slack, "radius"), source="§4.3", clause="REC", kind=Kind.GIVEN,
            given=EVENT + " so far", assumes=ASSUMED, why=EPISODES + "unfolded",
            statement="R_k ≤ Σ_{j≤k,h} [ξ_{h+1}^j + min(1, d)(H − h)], ξ = P δ_{h+1} − δ_{h+1}(s_{h+1}), for every prefix k",
            follows=("regret-recursion", "optimism")),
        ours(
            "regret",
            regret.regret_bound(constants.regret),
            source="Theorem 2",
            clause="REGRET",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=ASSUMED,
            why="printed as 34 D S √(AT ln(T/δ)) with the diameter D; here is what its proof gives in episodes",
            statement="R_K ≤ (H−1)√(14S ln(2AT/δ)) (3HSA + 2√(3SAT)) + √(K H(H−1)(2H−1) ln(2/δ)/12)",
            follows=("pathwise-regret", "confidence-event", "visit-sum", "value-range", "no-foresight"),
            horizon=Horizon(lambda public, scale, K: constants.regret(public, K, scale), lambda public, scale, K: public.H * K),
        ),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims("MDP"),
    *_replay_claims(),
    *_confidence_claims(),
    *_regret_claims(),
)
CLAUSES = (
    Clause("MDP", "§1", "finite MDP; here in episodes of H steps, with known deterministic rewards in [0, 1]"),
    Clause("COUNT", "Figure 1, step 2", "counts and the empirical kernel, over all steps"),
    Clause("BALL", "eq. (4)", "the radius of the ball of plausible kernels"),
    Clause("EVI", "Figure 2, eq. (13)", "extended value iteration"),
    Clause("PLAY", "Figure 1", "greedy play, and plans kept until a count has doubled"),
    Clause("EVENT", "Lemma 17", "the true kernel is plausible"),
    Clause("OPT", "§3.1", "optimism"),
    Clause("CALLS", "Proposition 18", "number of plans"),
    Clause("SUM", "Lemma 19", "sum of 1/√N over plans of growing length"),
    Clause("REC", "§4.3", "recursion of the regret"),
    Clause("REGRET", "Theorem 2", "regret"),
    Clause("NOISE", "§4.1, §4.3.2", "martingale terms", "facts about any algorithm with values in [0, H]: none can break them"),
    Clause("REWARDS", "eq. (3)", "confidence intervals of rewards",
        "rewards are known here, as for the other model-based parents"),
    Clause("STOP", "Theorem 7", "when extended value iteration stops", "with a horizon it ends after H steps, exactly"),
    Clause("DIAMETER", "§1, Theorem 5", "diameter, lower bound, gap-dependent regret", "about streams without a horizon"),
    Clause("RATE", "Theorem 2", "regret grows like √T", "a rate: measured by `verifier scale`, at part of the published radius"),
)  # fmt: skip
