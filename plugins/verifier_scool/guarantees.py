"""What is declared of the agents of rlberry-scool."""

from __future__ import annotations

from verifier import Guarantees
from verifier_scool import lsvi_claims, ucbvi_claims
from verifier_scool.lsvi_ucb import ScoolLSVIUCB
from verifier_scool.ucbvi import ScoolUCBVI

GUARANTEES = (
    Guarantees(ScoolUCBVI, claims=ucbvi_claims.CLAIMS, clauses=ucbvi_claims.CLAUSES),
    Guarantees(ScoolLSVIUCB, claims=lsvi_claims.CLAIMS, clauses=lsvi_claims.CLAUSES),
)
