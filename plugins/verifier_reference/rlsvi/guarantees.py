"""Guarantees of RLSVI."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.rlsvi.algorithm import RLSVI
from verifier_reference.rlsvi.claims import CLAIMS, CLAUSES
from verifier_reference.rlsvi.mutants import MUTANTS
from verifier_reference.rlsvi.scaling import SCALING
from verifier_reference.rlsvi.shown import SHOWN
from verifier_reference.shared.rlsvi import NoiseError

GUARANTEES = Guarantees(
    RLSVI,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"noise": NoiseError},
    theorem="regret",
)
