"""Guarantees of UCB1."""

from __future__ import annotations

from verifier import Guarantees
from verifier_bandits.shared.formulas import UCBError
from verifier_bandits.ucb1.algorithm import UCB1
from verifier_bandits.ucb1.claims import CLAIMS, CLAUSES
from verifier_bandits.ucb1.mutants import MUTANTS
from verifier_bandits.ucb1.scaling import SCALING
from verifier_bandits.ucb1.shown import SHOWN

GUARANTEES = Guarantees(
    UCB1,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"mean": UCBError},
    theorem="regret",
)
