"""Guarantees of MOSS."""

from __future__ import annotations

from verifier import Guarantees
from verifier_bandits.moss.algorithm import MOSS
from verifier_bandits.moss.claims import CLAIMS, CLAUSES
from verifier_bandits.moss.mutants import MUTANTS
from verifier_bandits.moss.scaling import SCALING
from verifier_bandits.moss.shown import SHOWN
from verifier_bandits.shared.formulas import MinimaxError

GUARANTEES = Guarantees(
    MOSS,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"mean": MinimaxError},
    theorem="REGRET",
)
