"""Guarantees of CVaR-LSVI."""

from __future__ import annotations

from verifier import Guarantees
from verifier_cvar.cvar_lsvi.algorithm import CVaRLSVI
from verifier_cvar.cvar_lsvi.claims import CLAIMS, CLAUSES
from verifier_cvar.cvar_lsvi.mutants import MUTANTS
from verifier_cvar.cvar_lsvi.scaling import SCALING
from verifier_cvar.cvar_lsvi.shown import SHOWN
from verifier_cvar.errata import ERRATA

GUARANTEES = Guarantees(
    CVaRLSVI, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="near-optimum"
)
