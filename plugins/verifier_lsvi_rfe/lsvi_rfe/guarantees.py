"""What is declared of the algorithm."""

from __future__ import annotations

from verifier import Guarantees
from verifier_lsvi_rfe.errata import ERRATA
from verifier_lsvi_rfe.lsvi_rfe.algorithm import LSVIRFE
from verifier_lsvi_rfe.lsvi_rfe.claims import CLAIMS, CLAUSES
from verifier_lsvi_rfe.lsvi_rfe.mutants import MUTANTS

GUARANTEES = Guarantees(LSVIRFE, claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS, errata=ERRATA)
