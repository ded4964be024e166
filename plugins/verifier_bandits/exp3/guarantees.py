"""Guarantees of EXP3."""

from __future__ import annotations

from verifier import Guarantees
from verifier_bandits.exp3.algorithm import EXP3
from verifier_bandits.exp3.claims import CLAIMS, CLAUSES
from verifier_bandits.exp3.mutants import MUTANTS
from verifier_bandits.exp3.scaling import SCALING
from verifier_bandits.exp3.shown import SHOWN

GUARANTEES = Guarantees(EXP3, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, theorem="regret")
