"""Guarantees of RF-UCRL."""

from __future__ import annotations

from verifier import Guarantees
from verifier_properties.episodic.error_bounds import TotalVariation
from verifier_reference.rf_ucrl.algorithm import RFUCRL
from verifier_reference.rf_ucrl.claims import CLAIMS, CLAUSES
from verifier_reference.rf_ucrl.mutants import MUTANTS
from verifier_reference.rf_ucrl.shown import SHOWN

GUARANTEES = Guarantees(
    RFUCRL,
    claims=CLAIMS,
    clauses=CLAUSES,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"divergence": TotalVariation},
    theorem="certified",
)
