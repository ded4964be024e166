"""Guarantees of FMDP-CH."""

from __future__ import annotations

from verifier import Guarantees
from verifier_fmdp.errata import ERRATA
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.fmdp_ch.claims import CLAIMS, CLAUSES
from verifier_fmdp.fmdp_ch.mutants import MUTANTS
from verifier_fmdp.fmdp_ch.scaling import SCALING
from verifier_fmdp.fmdp_ch.shown import SHOWN

GUARANTEES = Guarantees(
    FMDPCH, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="regret"
)
