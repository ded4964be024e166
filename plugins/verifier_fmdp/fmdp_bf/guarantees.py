"""Guarantees of FMDP-BF."""

from __future__ import annotations

from verifier import Guarantees
from verifier_fmdp.errata import ERRATA
from verifier_fmdp.fmdp_bf.algorithm import FMDPBF
from verifier_fmdp.fmdp_bf.claims import CLAIMS, CLAUSES
from verifier_fmdp.fmdp_bf.mutants import MUTANTS
from verifier_fmdp.fmdp_bf.scaling import SCALING
from verifier_fmdp.fmdp_bf.shown import SHOWN

GUARANTEES = Guarantees(
    FMDPBF, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="regret"
)
