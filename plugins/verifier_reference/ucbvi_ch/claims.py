"""The claims of UCBVI-CH, one per checkable clause of the paper."""

from __future__ import annotations

import math

from verifier.model.horizon import Horizon
from verifier_properties.episodic.tabular_model import HOEFFDING
from verifier_reference.shared import constants
from verifier_reference.shared.claims import assumption_claims
from verifier_reference.shared.ucbvi_claims import confidence_claims, optimism_claims, regret_claims, replay_claims, ucbvi_clauses
from verifier_settings.episodic import bonuses

VISITS = Horizon(
    lambda public, scale, K: scale * bonuses.hoeffding_width(public, K) / math.sqrt(K * public.H),
    lambda public, scale, K: float(public.H),
)
"""A pair is visited at most KH times."""

CLAIMS = (
    *assumption_claims("MDP"),
    *replay_claims(
        HOEFFDING,
        "Algorithm 3",
        "b_k(s,a) = 7HL / √N_k(s,a)",
        uses=("visits",),
        width="7 * H * L",
        width_statement="7HL, L = ln(5SAT/δ)",
    ),
    *confidence_claims(),
    *optimism_claims(HOEFFDING, "Lemma 18", VISITS),
    *regret_claims("Theorem 1", "R_K ≤ 20H^{3/2}L√(SAK) + 250H²S²AL², L = ln(5HSAT/δ)", constants.regret_hoeffding),
)
CLAUSES = ucbvi_clauses("Theorem 1", "Lemma 18")
