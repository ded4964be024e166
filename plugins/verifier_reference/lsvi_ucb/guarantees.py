"""Guarantees of LSVI-UCB."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.lsvi_ucb.algorithm import LSVIUCB
from verifier_reference.lsvi_ucb.claims import CLAIMS, CLAUSES
from verifier_reference.lsvi_ucb.mutants import MUTANTS
from verifier_reference.lsvi_ucb.scaling import SCALING

GUARANTEES = Guarantees(LSVIUCB, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, theorem="regret")
