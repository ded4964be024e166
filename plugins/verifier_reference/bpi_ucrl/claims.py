"""The claims of BPI-UCRL: its lines, what its bounds cover, the policy it certifies, and how many episodes that takes."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.claim import unread
from verifier.model.horizon import Horizon
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import assumptions, error_bounds, stopping, tabular_model, value_bounds
from verifier_reference.shared import bpi_ucrl as constants
from verifier_reference.shared.claims import ASSUMPTIONS, REPLAYED, TABULAR, planning_claims
from verifier_reference.shared.exploring_claims import event_claims, model_claims

SOURCE = "Algorithm BPI-UCRL"
WRITTEN = (
    "written from a description of the algorithm without discount, not from the text of the paper; every constant is proved in "
    "`verifier_properties.episodic.error_bounds` and `value_bounds`"
)
EVENT = "H‖P̂_h − P_h‖₁/2 is within the harness's bonus of the confidence set at every pair seen, at this plan and step"


def _assumption_claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="MDP", source="Setting")
    return (
        assume("transition-kernel", assumptions.transition_kernel, statement="P_h(·|s,a) is a probability"),
        assume("reward-range", assumptions.reward_range, statement="0 ≤ r_h(s,a) ≤ 1"),
        assume("one-start", stopping.one_start, statement="every episode starts in s₁"),
    )


def _replay_claims() -> tuple[Claim, ...]:
    ours = partial(Claim, theorem=REPLAYED, source=SOURCE, status=Status.OURS, why=WRITTEN)
    same = partial(ours, kind=Kind.IDENTITY)
    model = (PSEUDO_CODE, "step-visits", "step-kernel", "bonus-formula")
    return (
        *model_claims(SOURCE, WRITTEN),
        same("q-formula", tabular_model.q_formula(error_bounds.DIVERGENCE, monotone=False), clause="BOUNDS",
            statement="U_h(s,a) = min(H, r_h + P̂_h max_a U_{h+1} + b_h), H where N_h(s,a) = 0", follows=(*model, "width-target")),
        same("lower-formula", value_bounds.lower_formula, clause="BOUNDS", follows=(*model, "greedy"),
            statement="L_h(s,a) = max(0, r_h + P̂_h L_{h+1}(·, π_{h+1}) − b_h), 0 where N_h(s,a) = 0"),
        *planning_claims(SOURCE, "PLAY"),
        ours("value-range", tabular_planning.value_range, clause="BOUNDS", kind=Kind.ALWAYS,
            statement="0 ≤ max_a U_h(s,a) ≤ H", follows=("q-formula", "value-function"), assumes=TABULAR),
        ours("bounds-in-order", value_bounds.bounds_in_order, clause="BOUNDS", kind=Kind.ALWAYS,
            statement="0 ≤ L_h(s,a) ≤ U_h(s,a)", follows=("q-formula", "lower-formula", "value-function"), assumes=TABULAR),
        same("stopping-rule", value_bounds.gap_rule, clause="STOP", assumes=("one-start",),
            statement="it stops at the first plan after an episode with max_a U_1(s₁,a) − L_1(s₁,π_1(s₁)) ≤ ε, "
                "and at no plan where it is larger",
            follows=(PSEUDO_CODE, "q-formula", "lower-formula", "value-function")),
    )  # fmt: skip


def _bound_claims() -> tuple[Claim, ...]:
    ours = partial(Claim, status=Status.OURS, why=WRITTEN)
    given = partial(ours, kind=Kind.GIVEN, given=EVENT, assumes=TABULAR, theorem="Bounds of values")
    return (
        *event_claims("Bounds of values", WRITTEN),
        given("optimism", value_bounds.upper_bound, source="Lemma on bounds", clause="COVER",
            statement="U_h(s,a) ≥ Q*_h(s,a)", follows=("q-formula", "value-function")),
        given("lower-bound", value_bounds.lower_bound, source="Lemma on bounds", clause="COVER",
            statement="L_h(s,a) ≤ Q^π_h(s,a), π the policy of the plan", follows=("lower-formula",)),
        given("policy-loss", value_bounds.policy_loss, source="Stopping rule", clause="COVER",
            statement="V*_1(s) − V^π_1(s) ≤ max_a U_1(s,a) − L_1(s,π_1(s))", follows=("optimism", "lower-bound")),
        given("gap-recursion", value_bounds.gap_recursion, source="Theorem on sample complexity, proof", clause="EPISODES",
            theorem="Sample complexity",
            statement="U_h(s,a) − L_h(s,a) ≤ min(H, 3b_h) + P_h(max_a U_{h+1} − L_{h+1}(·, π_{h+1}))",
            follows=("q-formula", "lower-formula", "value-function", "bounds-in-order")),
    )  # fmt: skip


def _stopping_claims() -> tuple[Claim, ...]:
    likely = partial(
        Claim, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",), status=Status.OURS, why=WRITTEN,
        assumes=(*TABULAR, "one-start"),
    )  # fmt: skip
    return (
        likely("certified", value_bounds.certified, source="Theorem on sample complexity", theorem="What is certified",
            clause="PAC", statement="V*_1(s₁) − V^π_1(s₁) ≤ ε, π the policy of the output",
            follows=("policy-loss", "confidence-event", "stopping-rule")),
        likely("episodes", stopping.episodes(constants.episodes), source="Theorem on sample complexity",
            theorem="Sample complexity", clause="EPISODES",
            statement="at most max(1, T − 1) episodes, T the least t with tε ≥ H²SA + 6H²√(2β(t)SAt) + H√(t(H−1) ln(2/δ)/2)",
            follows=("stopping-rule", "gap-recursion", "confidence-event", "greedy", "plays-policy", "step-visits",
                "no-foresight"),
            horizon=Horizon(lambda public, scale, K: constants.episodes(public), lambda public, scale, K: K)),
    )  # fmt: skip


CLAIMS = (*unread((*_assumption_claims(), *_replay_claims(), *_bound_claims(), *_stopping_claims()), WRITTEN),)
CLAUSES = (
    Clause("MDP", "Setting", "finite MDP in episodes of H steps, kernels of each step, known rewards in [0, 1], one start"),
    Clause("COUNT", SOURCE, "counts and the empirical kernel, step by step"),
    Clause("BONUS", SOURCE, "the bonus"),
    Clause("BOUNDS", SOURCE, "upper and lower bounds of values"),
    Clause("PLAY", SOURCE, "greedy play of the upper bounds, one plan for each episode"),
    Clause("STOP", SOURCE, "when it stops"),
    Clause("EVENT", "Lemma on the event", "divergences of the model are small"),
    Clause("COVER", "Lemma on bounds", "what the bounds cover"),
    Clause("PAC", "Theorem on sample complexity", "the policy of the output is nearly optimal"),
    Clause("EPISODES", "Theorem on sample complexity", "number of episodes until it stops"),
    Clause("KL", SOURCE, "bounds that are the largest and least values in balls of the Kullback-Leibler divergence",
        "bonuses of the L1 norm are used instead, which by Pinsker's inequality cover these balls"),
)  # fmt: skip
