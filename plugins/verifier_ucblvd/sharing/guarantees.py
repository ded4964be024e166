"""Guarantees of Lifelong-LSVI with shared dynamics."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ucblvd.errata import ERRATA
from verifier_ucblvd.sharing.algorithm import LifelongLSVISharing
from verifier_ucblvd.sharing.claims import CLAIMS, CLAUSES
from verifier_ucblvd.sharing.mutants import MUTANTS
from verifier_ucblvd.sharing.scaling import SCALING

GUARANTEES = Guarantees(
    LifelongLSVISharing, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, errata=ERRATA, theorem="regret"
)
