"""Guarantees of modified UCBlvd."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ucblvd.errata import ERRATA
from verifier_ucblvd.modified.algorithm import ModifiedUCBlvd
from verifier_ucblvd.modified.claims import CLAIMS, CLAUSES
from verifier_ucblvd.modified.figures import FIGURES
from verifier_ucblvd.modified.mutants import MUTANTS
from verifier_ucblvd.modified.scaling import SCALING

GUARANTEES = Guarantees(
    ModifiedUCBlvd,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    errata=ERRATA,
    theorem="regret",
    figures=FIGURES,
)
