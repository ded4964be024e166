"""What is declared of the algorithm."""

from __future__ import annotations

from verifier import Guarantees
from verifier_fmdp.errata import ERRATA
from verifier_fmdp.fmdp_ch.algorithm import FMDPCH
from verifier_fmdp.fmdp_ch.claims import CLAIMS, CLAUSES
from verifier_fmdp.fmdp_ch.mutants import MUTANTS

GUARANTEES = Guarantees(FMDPCH, claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS, errata=ERRATA)
