"""Guarantees of the algorithm with knapsacks."""

from __future__ import annotations

from verifier import Guarantees
from verifier_fmdp.errata import ERRATA
from verifier_fmdp.knapsack.algorithm import Knapsack
from verifier_fmdp.knapsack.claims import CLAIMS, CLAUSES
from verifier_fmdp.knapsack.mutants import MUTANTS
from verifier_fmdp.knapsack.scaling import SCALING

GUARANTEES = Guarantees(Knapsack, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, errata=ERRATA, theorem="T4")
