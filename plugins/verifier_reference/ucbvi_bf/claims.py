"""The claims of UCBVI-BF, one per checkable clause of the paper."""

from __future__ import annotations

from verifier import Clause
from verifier_properties.episodic.tabular_model import BERNSTEIN
from verifier_reference.shared import constants
from verifier_reference.shared.claims import assumption_claims
from verifier_reference.shared.ucbvi_claims import (
    confidence_claims,
    correction_claims,
    optimism_claims,
    regret_claims,
    replay_claims,
    ucbvi_clauses,
)

CLAIMS = (
    *assumption_claims("MDP"),
    *replay_claims(
        BERNSTEIN,
        "Algorithm 4",
        "b_{k,h} = √(8L Var_P̂(V_{k,h+1})/N) + 14HL/(3N) + √(8 Σ_y P̂(y) min(100²H³S²AL²/N′_{h+1}(y), H²)/N)",
        uses=("visits", "kernel", "width-target"),
        width="1.0",
        width_statement="the bonus as printed, times 1",
    ),
    *confidence_claims(),
    *optimism_claims(BERNSTEIN, "Appendix B", uses=("value-gap",)),
    *correction_claims(),
    *regret_claims("Theorem 2", "R_K ≤ 30HL√(SAK) + 2500H²S²AL² + 4H^{3/2}√(KL), L = ln(5HSAT/δ)", constants.regret_bernstein),
)
CLAUSES = (
    *ucbvi_clauses("Theorem 2", "Appendix B"),
    Clause("GAP", "Appendix B", "V_k is near V*, which the correction term of the bonus needs"),
)
