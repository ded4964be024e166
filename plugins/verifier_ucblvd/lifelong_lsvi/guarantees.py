"""Guarantees of Lifelong-LSVI."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ucblvd.errata import ERRATA
from verifier_ucblvd.lifelong_lsvi.algorithm import LifelongLSVI
from verifier_ucblvd.lifelong_lsvi.claims import CLAIMS, CLAUSES
from verifier_ucblvd.lifelong_lsvi.mutants import MUTANTS
from verifier_ucblvd.lifelong_lsvi.scaling import SCALING

GUARANTEES = Guarantees(
    LifelongLSVI, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, errata=ERRATA, theorem="regret"
)
