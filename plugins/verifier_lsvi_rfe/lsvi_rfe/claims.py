"""The claims of LSVI-RFE, in the order of the paper."""

from __future__ import annotations

from verifier_lsvi_rfe.shared.clauses import CLAUSES
from verifier_lsvi_rfe.shared.confidence_claims import confidence_claims, error_claims
from verifier_lsvi_rfe.shared.exploration_claims import sum_claims, value_claims
from verifier_lsvi_rfe.shared.matrix_claims import matrix_claims
from verifier_lsvi_rfe.shared.planning_claims import lower_bound_claims, planned_claims
from verifier_lsvi_rfe.shared.replay_claims import (
    assumption_claims,
    exploration_claims,
    measurability_claims,
    planning_claims,
    radius_claims,
)

__all__ = ["CLAIMS", "CLAUSES"]

CLAIMS = (
    *assumption_claims(),
    *exploration_claims(),
    *planning_claims(),
    *radius_claims(),
    *matrix_claims(),
    *confidence_claims(),
    *error_claims(),
    *value_claims(),
    *sum_claims(),
    *planned_claims(),
    *lower_bound_claims(),
    *measurability_claims(),
)
