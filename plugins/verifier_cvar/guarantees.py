"""What is declared of ELA, CVaR-LSVI and ELLA."""

from __future__ import annotations

from verifier import Guarantees
from verifier_cvar import lsvi_claims, scaling_claims
from verifier_cvar.clauses import EXACT, EXPLORATION, PLANNING, SIMULATED
from verifier_cvar.cvar_lsvi import CVaRLSVI
from verifier_cvar.ela import ELA
from verifier_cvar.ella import ELLA
from verifier_cvar.errata import ERRATA
from verifier_cvar.exploration_claims import ELA_CLAIMS, ELLA_CLAIMS
from verifier_cvar.mutants import ela_mutants, ella_mutants, lsvi_mutants

GUARANTEES = (
    Guarantees(
        ELA,
        claims=ELA_CLAIMS,
        clauses=(*EXPLORATION, *EXACT),
        scaling=scaling_claims.ELA,
        mutants=ela_mutants(ELA),
        errata=ERRATA,
    ),
    Guarantees(
        CVaRLSVI,
        claims=lsvi_claims.CLAIMS,
        clauses=PLANNING,
        scaling=scaling_claims.LSVI,
        mutants=lsvi_mutants(CVaRLSVI),
        errata=ERRATA,
    ),
    Guarantees(
        ELLA,
        claims=ELLA_CLAIMS,
        clauses=SIMULATED,
        scaling=scaling_claims.ELLA,
        mutants=ella_mutants(ELLA),
        errata=ERRATA,
    ),
)
