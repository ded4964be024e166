"""Guarantees of MOSS."""

from __future__ import annotations

from verifier import Guarantees
from verifier_bandits.moss.algorithm import MOSS
from verifier_bandits.moss.claims import CLAIMS, CLAUSES
from verifier_bandits.moss.mutants import MUTANTS

GUARANTEES = Guarantees(MOSS, claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS, theorem="REGRET")
