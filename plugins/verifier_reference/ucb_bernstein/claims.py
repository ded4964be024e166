"""The claims of Q-learning with UCB-Bernstein, one per checkable clause of the paper."""

from __future__ import annotations

import math
from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.episodic import bernstein_updates, q_learning
from verifier_reference.shared.bernstein import C2, ReferenceUpdates, logarithm, regret
from verifier_reference.shared.claims import REPLAYED, assumption_claims, regret_bound_claims
from verifier_reference.shared.q_learning import iota
from verifier_reference.shared.q_learning_claims import (
    ASSUMED,
    error_claims,
    q_learning_clauses,
    rate_claims,
    regret_step_claims,
    table_claims,
    width_claims,
)

EVENT = "the weighted bonuses, half of β_t, cover the weighted errors Σᵢ αₜⁱ(P̂ − P)V*_{h+1}"
CONSTANTS = "c₁ and c₂, which the paper does not name, are ours: c₁ = 30, c₂ = 16"
OPTIMISM = "Lemma C.4"


def _bonus_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 2", follows=(PSEUDO_CODE, "visits"))
    return (
        same("variance", bernstein_updates.variance_formula(ReferenceUpdates), clause="VARIANCE",
            statement="W_t = (1/t) Σᵢ V_{h+1}^{kᵢ}(x_{h+1}^{kᵢ})² − [(1/t) Σᵢ V_{h+1}^{kᵢ}(x_{h+1}^{kᵢ})]²"),
        same("beta", bernstein_updates.beta_formula(ReferenceUpdates), clause="BETA",
            statement="β_t = min{c₁(√(H(W_t+H)ι/t) + √(H⁷SA)ι/t), c₂√(H³ι/t)}, with ι or another width in its place",
            status=Status.OURS, why=CONSTANTS, follows=(PSEUDO_CODE, "visits", "variance")),
        same("bonus-formula", q_learning.bonus_formula(ReferenceUpdates), clause="BONUS",
            statement="b_t = (β_t − (1−α_t)β_{t−1}) / (2α_t), β_0 = 0", follows=(PSEUDO_CODE, "learning-rate", "beta")),
        same("bonus-sum", bernstein_updates.half_beta(ReferenceUpdates), source="§C.1", clause="BONUS",
            statement="Σᵢ αₜⁱbᵢ = β_t/2", follows=("learning-rate", "beta", "bonus-formula")),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    likely = partial(
        Claim,
        theorem="Appendix C: confidence",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        status=Status.OURS,
        regimes=("published",),
        assumes=ASSUMED,
    )
    return (
        likely(
            "variance-estimate",
            bernstein_updates.variance_estimate(ReferenceUpdates, logarithm),
            source="Lemma C.3",
            clause="ESTIMATE",
            statement="|√(tW_t/(t−1)) − √(Var V*_{h+1})| ≤ (H−h)√(4ι/(t−1)) + √(Σᵢ (V_{h+1}^{kᵢ} − V*_{h+1})²/(t−1)), t > 1",
            why="printed for the variances and O(SA√(H⁷ι)/t + √(SAH⁷ι/t)); this has what the values of the run are off instead",
            follows=("variance", "no-foresight"),
            horizon=Horizon(
                lambda public, scale, K: (public.H - 1.0) * math.sqrt(4 * iota(public, K) / max(K - 1.0, 1.0)),
                lambda public, scale, K: (public.H - 1.0) / 2,
            ),
        ),
        likely(
            "confidence-event",
            bernstein_updates.confidence(ReferenceUpdates, logarithm),
            source=f"{OPTIMISM}, proof",
            clause="OPT",
            statement="|Σᵢ αₜⁱ(P̂^{kᵢ} − P)V*_{h+1}(x,a)| ≤ β_t/2 for all x, a, h, k",
            why=CONSTANTS,
            follows=("learning-rate", "rate-of-squares", "variance-estimate", "lead-sum", "no-foresight"),
            horizon=Horizon(
                lambda public, scale, K: C2 / 2 * math.sqrt(public.H**3 * iota(public, K) / K),
                lambda public, scale, K: public.H - 1.0,
            ),
        ),
        Claim(
            "lead-sum",
            bernstein_updates.lead_sum(ReferenceUpdates),
            source="Lemma C.2",
            theorem="Appendix C: confidence",
            clause="LEAD",
            kind=Kind.GIVEN,
            given=EVENT + " at all updates of earlier episodes, from step h on",
            status=Status.OURS,
            why="printed with weights and O(SA√(H⁵ι)‖w‖ + √(SA‖w‖₁‖w‖H⁵ι)); this is for the visits of a pair, with all constants",
            statement="Σᵢ (V_{h+1}^{kᵢ} − V*_{h+1})(x_{h+1}^{kᵢ}) ≤ Σ_{j<H−h} [SAHw_j + 2c₂√(H³ι)√(w_jSAt)], w_j = (1+1/H)^j",
            assumes=ASSUMED,
            follows=("overestimate", "rate-total", "visit-sum", "beta", "value-function", "plays-policy"),
        ),
    )


CLAIMS = (
    *assumption_claims("MDP"),
    *width_claims("iota", "Theorem 2", "ι = log(SAT/p)", "BETA"),
    *table_claims("Algorithm 2", ReferenceUpdates),
    *_bonus_claims(),
    *rate_claims(ReferenceUpdates),
    *_confidence_claims(),
    *error_claims(OPTIMISM, EVENT, ReferenceUpdates),
    *regret_step_claims("Theorem 2", "Appendix C", EVENT, ReferenceUpdates),
    *regret_bound_claims(
        "Theorem 2",
        regret,
        "R_K ≤ Σ_h w_h[SAH + Σ_k β] + H√(K Σ_h w_h² log(4H/p)/2), w_h = (1+1/H)^{h−1}, Σ_k β by either arm",
        f"printed as O(√(H³SATι) + √(H⁹S³A³)ι²); this is the end of a proof with all constants, and {CONSTANTS}",
        ("pathwise-regret", "confidence-event", "variance-estimate", "bonus-sum", "lead-sum", "visit-sum", "no-foresight"),
    ),
)
CLAUSES = (
    *q_learning_clauses("Algorithm 2", "Algorithm 2", OPTIMISM, "Appendix C", "Theorem 2"),
    Clause("VARIANCE", "Algorithm 2", "the empirical variance of the next values, from two sums"),
    Clause("BETA", "Algorithm 2", "β_t, the smaller of two bounds, and ι"),
    Clause("LEAD", "Lemma C.2", "how much V exceeds V* in a weighted sum of episodes"),
    Clause("ESTIMATE", "Lemma C.3", "W_t is near the variance of V*"),
    Clause("TOTAL", "Lemma C.5", "sum of the variances of V^π over a run",
        "a fact about any algorithm: no implementation can break it"),
    Clause(
        "SUMS",
        "Algorithm 2",
        "how the two sums make W_t",
        "lines of which some printings lack the division of the sum by t: only the published text could settle what is meant",
    ),
    Clause("HOEFFDING", "Theorem 1", "regret of UCB-Hoeffding", "another algorithm, `ucb-hoeffding`"),
)  # fmt: skip
