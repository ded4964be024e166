"""Guarantees of UCBlvd."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ucblvd.errata import ERRATA
from verifier_ucblvd.ucblvd.algorithm import UCBlvd
from verifier_ucblvd.ucblvd.claims import CLAIMS, CLAUSES
from verifier_ucblvd.ucblvd.figures import FIGURES
from verifier_ucblvd.ucblvd.mutants import MUTANTS
from verifier_ucblvd.ucblvd.scaling import SCALING

GUARANTEES = Guarantees(
    UCBlvd,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    errata=ERRATA,
    theorem="regret",
    figures=FIGURES,
)
