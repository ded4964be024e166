"""What is declared of UCBVI and LSVI-UCB."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference import lsvi_claims, scaling_claims, ucbvi_claims
from verifier_reference.lsvi_ucb import LSVIUCB
from verifier_reference.mutants import lsvi_ucb as lsvi_mutants
from verifier_reference.mutants import ucbvi as ucbvi_mutants
from verifier_reference.ucbvi import BernsteinUCBVI, HoeffdingUCBVI

GUARANTEES = (
    Guarantees(
        HoeffdingUCBVI,
        claims=ucbvi_claims.HOEFFDING,
        clauses=ucbvi_claims.HOEFFDING_CLAUSES,
        scaling=scaling_claims.HOEFFDING,
        mutants=ucbvi_mutants.HOEFFDING_MUTANTS,
    ),
    Guarantees(
        BernsteinUCBVI,
        claims=ucbvi_claims.BERNSTEIN,
        clauses=ucbvi_claims.BERNSTEIN_CLAUSES,
        scaling=scaling_claims.BERNSTEIN,
        mutants=ucbvi_mutants.BERNSTEIN_MUTANTS,
    ),
    Guarantees(
        LSVIUCB,
        claims=lsvi_claims.CLAIMS,
        clauses=lsvi_claims.CLAUSES,
        scaling=scaling_claims.LSVI,
        mutants=lsvi_mutants.MUTANTS,
    ),
)
