"""The claims of EXP3: its lines, the law of what is played, the steps of the proof of Theorem 3.1, and regret in expectation.

The text of the paper was not at hand. Its algorithm, Theorem 3.1 and Corollary 3.2 were known. The steps that are claimed prove
them again, and nothing is called as printed.
"""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.claim import unread
from verifier_bandits.exp3 import formulas
from verifier_bandits.shared.claims import REPLAYED, assumption_claims
from verifier_properties.any_setting import measurability
from verifier_properties.episodes import play
from verifier_properties.episodic import exponential_weights

SOURCE = "Section 3, Exp3"
PROOF = "Theorem 3.1, proof"
WRITTEN = (
    "written from a description of the algorithm, not from the text of the paper; the steps of the proof are claimed here, too"
)
SEVERAL = ("several-arms",)
REWARDS = ("reward-range", "several-arms")


def _assumption_claims() -> tuple[Claim, ...]:
    return (
        *assumption_claims("Section 2"),
        Claim("several-arms", exponential_weights.several_arms, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="BANDIT",
            source="Theorem 3.1", statement="A ≥ 2, so that γ > 0", status=Status.OURS),
    )  # fmt: skip


def _replay_claims() -> tuple[Claim, ...]:
    ours = partial(Claim, theorem=REPLAYED, source=SOURCE, status=Status.OURS, why=WRITTEN, follows=(PSEUDO_CODE,))
    same, drawn = partial(ours, kind=Kind.IDENTITY), partial(ours, kind=Kind.LAW, clause="PLAY")
    return (
        same("gamma", exponential_weights.gamma, clause="TUNE", statement="γ = min{1, √(A ln A / ((e − 1)K))}"),
        same("estimate-formula", exponential_weights.estimate, clause="ESTIMATE",
            statement="x̂_i = x_i / p_i of the arm that was played, 0 of the others"),
        same("weights", exponential_weights.weights, clause="WEIGHTS", statement="w_i = exp(γ Σ_{s<t} x̂_i / A), up to a factor",
            follows=(PSEUDO_CODE, "gamma", "estimate-formula")),
        same("probabilities", exponential_weights.probabilities, clause="MIX", statement="p_i = (1 − γ) w_i / Σ w + γ / A",
            follows=(PSEUDO_CODE, "gamma", "weights")),
        drawn("drawn-arms", exponential_weights.drawn_arms, statement="the arm is drawn anew from p in every round",
            wrong_law="the likeliest arm in every round", follows=(PSEUDO_CODE, "plans-every-episode")),
        same("plans-every-episode", play.plans_every_episode, clause="PLAY", statement="one plan for each round"),
        ours("no-foresight", measurability.foresight, kind=Kind.ALWAYS, clause="PLAY",
            statement="the arm depends on what was observed before and on the agent's own numbers, and on nothing else"),
    )  # fmt: skip


def _proof_claims() -> tuple[Claim, ...]:
    ours = partial(
        Claim, theorem=PROOF, source=PROOF, clause="STEP", kind=Kind.ALWAYS, status=Status.OURS, why=WRITTEN, assumes=REWARDS
    )  # fmt: skip
    return (
        ours("unbiased", exponential_weights.blind_draws, kind=Kind.LAW, assumes=SEVERAL,
            statement="the arm does not depend on the rewards of its round, given p: E_t x̂_i = x_i",
            wrong_law="an arm that pays most in every round", follows=("drawn-arms", "estimate-formula")),
        ours("largest-estimate", exponential_weights.largest_estimate, statement="x̂_i ≤ A / γ",
            follows=("estimate-formula", "probabilities")),
        ours("first-moment", exponential_weights.first_moment, kind=Kind.IDENTITY, assumes=(), statement="Σ_i p_i x̂_i = x_I",
            follows=("estimate-formula",)),
        ours("second-moment", exponential_weights.second_moment, statement="Σ_i p_i x̂_i² ≤ Σ_i x̂_i",
            follows=("estimate-formula",)),
        ours("growth", exponential_weights.growth,
            statement="(1 − γ) ln(W_{t+1}/W_t) ≤ (γ/A) x_I + (e − 2)(γ/A)² Σ_i x̂_i, W = Σ w",
            follows=("weights", "probabilities", "largest-estimate", "first-moment", "second-moment")),
        ours("pathwise-regret", exponential_weights.pathwise_regret, follows=("growth", "weights"),
            statement="(1 − γ) Σ_{t≤n} x̂_j ≤ Σ_{t≤n} x_I + A ln A / γ + (e − 2)(γ/A) Σ_{t≤n} Σ_i x̂_i for all n and j"),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    mean = partial(Claim, kind=Kind.EXPECTATION, status=Status.OURS, assumes=REWARDS, why=WRITTEN + "; where rewards are drawn, "
        "G_i is K times the mean of the arm")  # fmt: skip
    return (
        mean("regret", exponential_weights.regret(formulas.regret, "regret"), theorem="Theorem 3.1: regret", source="Theorem 3.1",
            clause="REGRET", statement="E R_K ≤ (e − 1)γ G_max + A ln A / γ, R_K = G_max − G",
            follows=("pathwise-regret", "unbiased", "no-foresight")),
        mean("tuned-regret", exponential_weights.regret(formulas.tuned_regret, "tuned-regret"), theorem="Corollary 3.2",
            source="Corollary 3.2", clause="TUNE", statement="E R_K ≤ 2√(e − 1) √(K A ln A)", follows=("regret", "gamma")),
    )  # fmt: skip


CLAIMS = (*unread((*_assumption_claims(), *_replay_claims(), *_proof_claims(), *_regret_claims()), WRITTEN),)
CLAUSES = (
    Clause("BANDIT", "Section 2", "rewards in [0, 1] that are fixed before the run, whatever they are"),
    Clause("MIX", SOURCE, "weights mixed with the uniform law"),
    Clause("PLAY", SOURCE, "the arm is drawn from the mixture"),
    Clause("ESTIMATE", SOURCE, "unbiased estimates of the rewards of all arms"),
    Clause("WEIGHTS", SOURCE, "weights grow exponentially with the estimates"),
    Clause("STEP", PROOF, "the steps of the proof"),
    Clause("REGRET", "Theorem 3.1", "regret in expectation, for the γ that is played"),
    Clause("TUNE", "Corollary 3.2", "γ for a bound on the largest total, and what it makes of the theorem"),
    Clause("RATE", "Corollary 3.2", "regret grows like √K", "a rate: measured by `verifier scale`"),
    Clause("ADAPTIVE", "Section 2", "adversaries that see the arms that were played",
        "rewards of a table are fixed before the run; an adversary that sees arms is none"),
    Clause("OTHER", "Sections 4 to 9", "Exp3.1, Exp3.P, Exp4, Exp3.S, and the lower bound", "other algorithms"),
)  # fmt: skip
