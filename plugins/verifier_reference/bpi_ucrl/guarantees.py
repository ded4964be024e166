"""Guarantees of BPI-UCRL."""

from __future__ import annotations

from verifier import Guarantees
from verifier_properties.episodic.error_bounds import TotalVariation
from verifier_reference.bpi_ucrl.algorithm import BPIUCRL
from verifier_reference.bpi_ucrl.claims import CLAIMS, CLAUSES
from verifier_reference.bpi_ucrl.mutants import MUTANTS
from verifier_reference.bpi_ucrl.shown import SHOWN

GUARANTEES = Guarantees(
    BPIUCRL,
    claims=CLAIMS,
    clauses=CLAUSES,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"divergence": TotalVariation},
    theorem="certified",
)
