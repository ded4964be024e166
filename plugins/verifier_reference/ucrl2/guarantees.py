"""Guarantees of UCRL2."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.ucrl2.algorithm import UCRL2
from verifier_reference.ucrl2.claims import CLAIMS, CLAUSES
from verifier_reference.ucrl2.mutants import MUTANTS
from verifier_reference.ucrl2.scaling import SCALING
from verifier_reference.ucrl2.shown import SHOWN

GUARANTEES = Guarantees(UCRL2, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, theorem="regret")
