"""The claims of Q-learning with UCB-Hoeffding, one per checkable clause of the paper."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.episodic import q_learning
from verifier_properties.episodic.updates import HoeffdingUpdates
from verifier_reference.shared import q_learning as constants
from verifier_reference.shared.claims import REPLAYED, assumption_claims, regret_bound_claims
from verifier_reference.shared.q_learning_claims import (
    ASSUMED,
    error_claims,
    q_learning_clauses,
    rate_claims,
    regret_step_claims,
    table_claims,
    width_claims,
)

EVENT = "the weighted bonuses cover the weighted errors Σᵢ αₜⁱ(P̂ − P)V*_{h+1}"
CONSTANT = "the c of the bonus, which the paper does not name, is ours: c = √2"
OPTIMISM = "Lemma 4.3"


def _width(H: Any, iota: Any) -> Any:
    return constants.C_BONUS * np.sqrt(H**3 * iota)


def _bonus_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem=f"{OPTIMISM}: optimism", clause="OPT")
    return (
        Claim("bonus-formula", q_learning.bonus_formula(HoeffdingUpdates), theorem=REPLAYED, kind=Kind.IDENTITY,
            source="Algorithm 1", clause="BONUS", statement="b_t = c√(H³ι/t), or another width/√t",
            follows=(PSEUDO_CODE, "visits")),
        claim(
            "confidence-event",
            q_learning.confidence(constants.hoeffding_width)(HoeffdingUpdates),
            source=f"{OPTIMISM}, proof",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            status=Status.OURS,
            why=CONSTANT,
            regimes=("published",),
            statement="|Σᵢ αₜⁱ(P̂^{kᵢ} − P)V*_{h+1}(x,a)| ≤ c√(H³ι/t) for all x, a, h, k",
            assumes=ASSUMED,
            follows=("learning-rate", "rate-of-squares", "no-foresight"),
            horizon=Horizon(
                lambda public, scale, K: constants.hoeffding_width(public, K) / math.sqrt(K),
                lambda public, scale, K: public.H - 1.0,
            ),
        ),
        claim("bonus-sum", q_learning.bonus_sum(HoeffdingUpdates), source=OPTIMISM, kind=Kind.ALWAYS,
            regimes=("published", "scaled"), statement="c√(H³ι/t) ≤ Σᵢ αₜⁱbᵢ = β_t/2 ≤ 2c√(H³ι/t)", assumes=ASSUMED,
            follows=("bonus-formula", "rate-of-roots")),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims("MDP"),
    *width_claims(_width, OPTIMISM, "b_1 = c√(H³ι), ι = log(SAT/p), c = √2", "BONUS", CONSTANT),
    *table_claims("Algorithm 1", HoeffdingUpdates),
    *rate_claims(HoeffdingUpdates),
    *_bonus_claims(),
    *error_claims(OPTIMISM, EVENT, HoeffdingUpdates),
    *regret_step_claims("Theorem 1", "§4.2", EVENT, HoeffdingUpdates),
    *regret_bound_claims(
        "Theorem 1",
        constants.regret,
        "R_K ≤ Σ_h w_h[SAH + 8c√(H³ι)√(SAK)] + H√(K Σ_h w_h² log(2/p)/2), w_h = (1+1/H)^{h−1}",
        f"printed as O(√(H⁴SATι)); this is the end of its proof with all constants, and {CONSTANT}",
        ("pathwise-regret", "confidence-event", "bonus-sum", "visit-sum", "no-foresight"),
    ),
)
CLAUSES = (
    *q_learning_clauses("Algorithm 1", "Algorithm 1, Lemma 4.3", OPTIMISM, "§4.2", "Theorem 1"),
    Clause("BERNSTEIN", "Theorem 2", "regret of UCB-Bernstein", "another algorithm, `ucb-bernstein`"),
)
