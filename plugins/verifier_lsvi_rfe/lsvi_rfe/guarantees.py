"""Guarantees of LSVI-RFE."""

from __future__ import annotations

from verifier import Guarantees
from verifier_lsvi_rfe.errata import ERRATA
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_lsvi_rfe.lsvi_rfe.claims import CLAIMS, CLAUSES
from verifier_lsvi_rfe.lsvi_rfe.mutants import MUTANTS
from verifier_lsvi_rfe.lsvi_rfe.scaling import SCALING
from verifier_lsvi_rfe.lsvi_rfe.shown import SHOWN

GUARANTEES = Guarantees(
    LSVIRFE, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="loss"
)
