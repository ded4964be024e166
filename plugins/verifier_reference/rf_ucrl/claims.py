"""The claims of RF-UCRL: its lines, what its error bounds cover, what it certifies, and how many episodes that takes."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.claim import unread
from verifier.model.horizon import Horizon
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import assumptions, error_bounds, stopping
from verifier_reference.shared import rf_ucrl as constants
from verifier_reference.shared.claims import ASSUMPTIONS, REPLAYED, planning_claims
from verifier_reference.shared.exploring_claims import event_claims, model_claims

SOURCE = "Algorithm RF-UCRL"
WRITTEN = (
    "written from a description of the algorithm without discount, not from the text of the paper; every constant is proved in "
    "`verifier_properties.episodic.error_bounds`"
)
EVENT = "H‖P̂_h − P_h‖₁/2 is within the harness's error bonus at every pair seen, at this plan and step"


def _assumption_claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="MDP", source="Setting")
    return (
        assume("transition-kernel", assumptions.transition_kernel, statement="P_h(·|s,a) is a probability"),
        assume("one-start", stopping.one_start, statement="every episode starts in s₁"),
    )


def _replay_claims() -> tuple[Claim, ...]:
    ours = partial(Claim, theorem=REPLAYED, source=SOURCE, status=Status.OURS, why=WRITTEN)
    same = partial(ours, kind=Kind.IDENTITY)
    return (
        *model_claims(SOURCE, WRITTEN),
        same("q-formula", error_bounds.error_formula, clause="ERROR",
            statement="E_h(s,a) = min(H, b_h + P̂_h max_a E_{h+1}), H where N_h(s,a) = 0",
            follows=(PSEUDO_CODE, "step-visits", "step-kernel", "bonus-formula", "width-target")),
        *planning_claims(SOURCE, "PLAY"),
        ours("value-range", tabular_planning.value_range, clause="ERROR", kind=Kind.ALWAYS,
            statement="0 ≤ max_a E_h(s,a) ≤ H", follows=("q-formula", "value-function")),
        same("stopping-rule", stopping.error_rule, clause="STOP", assumes=("one-start",),
            statement="it stops at the first plan after an episode with max_a E_1(s₁,a) ≤ ε/2, and at "
                "no plan where it is larger",
            follows=(PSEUDO_CODE, "q-formula", "value-function")),
    )  # fmt: skip


def _error_claims() -> tuple[Claim, ...]:
    ours = partial(Claim, status=Status.OURS, why=WRITTEN)
    given = partial(ours, kind=Kind.GIVEN, given=EVENT, assumes=("transition-kernel",), theorem="Errors of the model")
    return (
        *event_claims("Errors of the model", WRITTEN),
        given("error-bound", error_bounds.error_bound, source="Lemma on errors", clause="ERRORS",
            statement="|Q̂^π_h(s,a; r) − Q^π_h(s,a; r)| ≤ E_h(s,a) for policies π and rewards r in [0, 1]",
            follows=("q-formula", "value-function")),
        given("planning-loss", error_bounds.planning_loss, source="Stopping rule", clause="ERRORS",
            statement="V*_1(s; r) − V^{π̂_r}_1(s; r) ≤ 2 max_a E_1(s,a), π̂_r the best policy of P̂ for r in [0, 1]",
            follows=("error-bound",)),
        given("error-recursion", error_bounds.error_recursion, source="Theorem on sample complexity, proof", clause="EPISODES",
            theorem="Sample complexity", statement="E_h(s,a) ≤ min(H, 2b_h) + P_h max_a E_{h+1}",
            follows=("q-formula", "value-function", "value-range")),
    )  # fmt: skip


def _stopping_claims() -> tuple[Claim, ...]:
    likely = partial(
        Claim, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",), status=Status.OURS, why=WRITTEN,
        assumes=("transition-kernel", "one-start"),
    )  # fmt: skip
    return (
        likely("certified", error_bounds.certified, source="Theorem on sample complexity", theorem="What is certified",
            clause="PAC", statement="V*_1(s₁; r) − V^{π̂_r}_1(s₁; r) ≤ ε for all r in [0, 1], π̂_r the best policy of the output",
            follows=("planning-loss", "confidence-event", "stopping-rule")),
        likely("episodes", stopping.episodes(constants.episodes), source="Theorem on sample complexity",
            theorem="Sample complexity", clause="EPISODES",
            statement="at most T − 1 episodes, T the least t with tε/2 ≥ H²SA + 4H²√(2β(t)SAt) + H√(t(H−1) ln(2/δ)/2)",
            follows=("stopping-rule", "error-recursion", "confidence-event", "greedy", "plays-policy", "step-visits",
                "no-foresight"),
            horizon=Horizon(lambda public, scale, K: constants.episodes(public), lambda public, scale, K: K)),
    )  # fmt: skip


CLAIMS = (*unread((*_assumption_claims(), *_replay_claims(), *_error_claims(), *_stopping_claims()), WRITTEN),)
CLAUSES = (
    Clause("MDP", "Setting", "finite MDP in episodes of H steps, kernels of each step, one initial state"),
    Clause("COUNT", SOURCE, "counts and the empirical kernel, step by step"),
    Clause("BONUS", SOURCE, "the bonus"),
    Clause("ERROR", SOURCE, "bounds of the error of the model"),
    Clause("PLAY", SOURCE, "greedy play, one plan for each episode"),
    Clause("STOP", SOURCE, "when it stops"),
    Clause("EVENT", "Lemma on the event", "divergences of the model are small"),
    Clause("ERRORS", "Lemma on errors", "what the error bounds cover"),
    Clause("PAC", "Theorem on sample complexity", "the output is good for every reward"),
    Clause("EPISODES", "Theorem on sample complexity", "number of episodes until it stops"),
    Clause("ORDER", "abstract", "of order (SAH⁴/ε²)(log(1/δ) + S) episodes",
        "an order without constants; `episodes` has a bound of the same order up to logarithms, with all constants"),
    Clause("BPI", "Best-policy identification", "BPI-UCRL, and how it compares with reward-free exploration",
        "another algorithm, whose rewards are known: `bpi-ucrl`"),
)  # fmt: skip
