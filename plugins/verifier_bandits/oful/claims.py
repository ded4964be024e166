"""The claims of OFUL, one per checkable clause of the paper.

The text of the paper was not at hand. Its algorithm, Theorems 1 to 3 and Lemma 11 were known; other results are named by their
headings, and nothing is claimed of them.
"""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.claim import unread
from verifier.model.horizon import Horizon
from verifier_bandits.oful import formulas
from verifier_bandits.shared.claims import REPLAYED, assumption_claims, play_claims
from verifier_properties.any_setting import least_squares, widths
from verifier_properties.episodes import potential, tabular_planning
from verifier_properties.episodic import assumptions, ellipsoids, planning, stopping

SOURCE = "Figure 1"
LINEAR = ("linear-rewards", "parameter-norm")
NOISY = (*LINEAR, "reward-range")
MUCH = 0.75
"""Loss of a round above which it is counted: three quarters of the largest that means in [0, 1] allow."""
EVENT = "θ is in the ellipsoid around the harness's own θ̂ at this plan"
HOEFFDING = "R = 1/2 for rewards in [0, 1], by Hoeffding's lemma; the paper leaves R open, and calls B S"


def _linear_claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="BANDIT")
    return (
        assume("linear-rewards", assumptions.linear_rewards, source="§1", statement="E r = ⟨θ, x⟩"),
        assume("feature-norms", assumptions.feature_norms, source="Theorem 2", statement="‖x‖ ≤ L = 1"),
        assume("parameter-norm", ellipsoids.parameter_norm, source="Theorem 2", statement="‖θ‖ ≤ B"),
    )  # fmt: skip


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        same("width", widths.width_formula("1"), source="Theorem 2", clause="RADIUS",
            statement="the radius as printed, times 1", regimes=("published",)),
        same("gram", least_squares.gram_matrix(needs=("gram",)), source="§4", clause="REG",
            statement="V = λI + Σ_{s<t} x_s x_sᵀ"),
        same("regression", planning.regression, source="§4", clause="REG", statement="θ̂ = V⁻¹ Σ_{s<t} x_s r_s",
            follows=(PSEUDO_CODE, "gram")),
        same("radius-formula", ellipsoids.radius_formula, source="Theorem 2", clause="RADIUS",
            statement="√β = R√(2 log(det(V)^½ det(λI)^−½ / δ)) + √λ B, R = 1/2", why=HOEFFDING,
            follows=(PSEUDO_CODE, "gram")),
        same("bonus-formula", ellipsoids.bonus_formula, source=SOURCE, clause="INDEX", statement="b = √β ‖x‖ in the norm of V⁻¹",
            follows=(PSEUDO_CODE, "gram", "radius-formula")),
        same("index-formula", ellipsoids.index_formula, source=SOURCE, clause="INDEX", statement="the index is ⟨θ̂, x⟩ + b",
            status=Status.OURS,
            why="the paper maximises ⟨θ, x⟩ over x and the ellipsoid; of one x this is the largest value; R = 1/2, and B is "
            "given: an agent may be made with it",
            follows=(PSEUDO_CODE, "regression", "bonus-formula")),
        same("largest-index", tabular_planning.greedy, source=SOURCE, clause="PLAY",
            statement="the action of largest index among those of the state"),
        *play_claims(SOURCE),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="Theorems 1 and 2: confidence", clause="CONF")
    likely = partial(claim, kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",), why=HOEFFDING)
    return (
        claim("estimate-decomposition", ellipsoids.estimate_decomposition, source="Theorem 2, proof", kind=Kind.IDENTITY,
            statement="θ̂ − θ = V⁻¹(Σ x η − λθ), η = r − ⟨θ, x⟩", assumes=("linear-rewards",), follows=("regression",)),
        claim("bias", ellipsoids.bias, source="Theorem 2, proof", kind=Kind.ALWAYS, assumes=LINEAR,
            statement="λ‖θ‖ ≤ √λ B in the norm of V⁻¹", follows=("gram",)),
        likely("noise-event", ellipsoids.noise_event, source="Theorem 1", assumes=NOISY,
            statement="‖Σ x η‖ ≤ R√(2 log(det(V)^½ det(λI)^−½ / δ)) in the norm of V⁻¹, for all t", follows=("no-foresight",)),
        likely("confidence-event", ellipsoids.confidence, source="Theorem 2", assumes=NOISY,
            statement="‖θ̂ − θ‖ ≤ √β in the norm of V, for all t",
            follows=("estimate-decomposition", "noise-event", "bias", "radius-formula", "width"),
            horizon=Horizon(
                lambda public, scale, K: scale * float(formulas.largest_radius(public, K)),
                lambda public, scale, K: public.ridge**0.5 * public.B + K**0.5,
            )),
        claim("radius-bound", ellipsoids.radius_bound(formulas.largest_radius), source="Theorem 2", kind=Kind.ALWAYS,
            statement="√β ≤ R√(2 log(1/δ) + d log(1 + tL²/(λd))) + √λ B after t rounds", assumes=("feature-norms",),
            status=Status.OURS, why="from Theorem 1 and det V ≤ (λ + tL²/d)^d; " + HOEFFDING,
            follows=("radius-formula", "determinant-trace")),
    )  # fmt: skip


def _optimism_claims() -> tuple[Claim, ...]:
    given = partial(
        Claim, theorem="Theorem 3, proof", source="Theorem 3, proof", kind=Kind.GIVEN, clause="STEP", given=EVENT, assumes=LINEAR
    )  # fmt: skip
    return (
        given("bonus-validity", ellipsoids.validity, statement="|⟨θ̂, x⟩ − ⟨θ, x⟩| ≤ b", follows=("regression", "bonus-formula")),
        given("optimism", planning.optimism(ellipsoids.inside), statement="the index is at least ⟨θ, x⟩",
            follows=("bonus-validity", "index-formula")),
        given("gap-of-played", ellipsoids.gap_of_played, statement="⟨θ, x* − x⟩ ≤ 2b of the action of each state",
            follows=("optimism", "largest-index")),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    always = partial(Claim, theorem="Lemma 11: potential", source="Lemma 11", kind=Kind.ALWAYS, clause="POTENTIAL")
    return (
        always("growth", ellipsoids.growth, statement="log(det V_{t+1} / det V_t) ≤ ‖x_t‖² in the norm of V_t⁻¹",
            why="the lemma has the sum over all rounds", follows=("gram", "plans-every-episode")),
        always("potential", potential.potential(1.0, potential.REPORTED), follows=("gram", "plans-every-episode"),
            statement="Σ_t min(1, ‖x_t‖²) ≤ 2 log(det V_{n+1} / det λI), norms of V_t⁻¹"),
        always("determinant-trace", least_squares.determinant_trace(needs=("gram",)), assumes=("feature-norms",),
            statement="log det V ≤ d log(λ + nL²/d) after n rounds", follows=("gram",)),
        Claim("pathwise-regret", ellipsoids.pathwise_regret, theorem="Theorem 3, proof", source="Theorem 3, proof",
            kind=Kind.GIVEN, clause="STEP", given=EVENT + ", and at all plans so far", assumes=LINEAR,
            statement="R_n ≤ 2 Σ_{t≤n} √β_t ‖x_t‖ for every n", follows=("gap-of-played", "plays-policy")),
        Claim("regret", ellipsoids.regret_bound(formulas.regret), theorem="Theorem 3: regret", source="Theorem 3",
            clause="REGRET", kind=Kind.PROBABILITY, failure_probability=1.0, regimes=("published",),
            assumes=(*NOISY, "feature-norms"), statement="R_K ≤ 2 max(√β_K, 1/2) √(2KG), G = d log(1 + KL²/(λd)), "
            "√β_K = R√(2 log(1/δ) + G) + √λ B, for all K at once",
            status=Status.OURS, why="with the constants that its proof gives here; means in [0, 1] have gaps of at most 1; "
            + HOEFFDING,
            follows=("pathwise-regret", "confidence-event", "radius-bound", "potential", "determinant-trace", "no-foresight"),
            horizon=Horizon(lambda public, scale, K: float(formulas.regret(public, K, scale)), lambda public, scale, K: K)),
        Claim("rounds-above", stopping.episodes_above(MUCH, lambda public: float(formulas.rounds_above(public, public.K, MUCH))),
            theorem="Theorem 3: regret", source="Theorem 3, proof", clause="REGRET", kind=Kind.PROBABILITY,
            failure_probability=1.0, regimes=("published",), assumes=(*NOISY, "feature-norms"),
            statement=f"at most 8 max(β_K, 1/4) G / ε² of K rounds lose more than ε = {MUCH:g}, G and β_K as in `regret`",
            status=Status.OURS, why="the proof of the theorem, for the rounds that lose more than ε alone; " + HOEFFDING,
            follows=("pathwise-regret", "confidence-event", "radius-bound", "potential", "determinant-trace", "no-foresight"),
            horizon=Horizon(
                lambda public, scale, K: float(formulas.rounds_above(public, K, MUCH, scale)), lambda public, scale, K: K
            )),
    )  # fmt: skip


CLAIMS = (
    *unread(
        (
            *assumption_claims("§1"),
            *_linear_claims(),
            *_replay_claims(),
            *_confidence_claims(),
            *_optimism_claims(),
            *_regret_claims(),
        ),
        "written from what is known of the algorithm and its theorems, not from the text of the paper",
    ),
)
CLAUSES = (
    Clause("BANDIT", "§1", "rewards that are linear in bounded features, with bounded parameters and subgaussian noise"),
    Clause("REG", "§4", "ridge regression of rewards on features"),
    Clause("RADIUS", "Theorem 2", "the radius of the ellipsoid"),
    Clause("INDEX", SOURCE, "the largest mean over the ellipsoid"),
    Clause("PLAY", SOURCE, "the action of largest index, in every round"),
    Clause("CONF", "Theorems 1 and 2", "the parameter is in all ellipsoids"),
    Clause("STEP", "Theorem 3, proof", "what a round loses while the parameter is in the ellipsoid"),
    Clause("POTENTIAL", "Lemma 11", "elliptical potential, and the largest determinant"),
    Clause("REGRET", "Theorem 3", "regret, for all numbers of rounds at once"),
    Clause("SETS", "§1", "decision sets that are infinite, or chosen by an adversary",
        "the setting has finitely many states, which are drawn; nothing in the proof uses how decision sets come about"),
    Clause("RARE", "rarely switching OFUL", "regret of a version that plans anew when det V has grown by a factor 1 + C",
        "another algorithm, with another radius in force"),
    Clause("GAPS", "problem dependent bound", "regret that grows with a power of log n",
        "the text of the paper was not at hand, and its constants are not quoted from memory"),
    Clause("ARMS", "UCB(δ)", "arms without features, with a confidence interval for all rounds", "another algorithm"),
    Clause("RATE", "Theorem 3", "regret grows like d√n ln n", "a rate: measured by `verifier scale`"),
)  # fmt: skip
