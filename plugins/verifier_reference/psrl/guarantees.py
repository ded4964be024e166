"""Guarantees of PSRL."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.psrl.algorithm import PSRL
from verifier_reference.psrl.claims import CLAIMS, CLAUSES
from verifier_reference.psrl.mutants import MUTANTS
from verifier_reference.psrl.shown import SHOWN

GUARANTEES = Guarantees(PSRL, claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS, shown=SHOWN, theorem="bayes-regret")
