"""Guarantees of ELLA."""

from __future__ import annotations

from verifier import Guarantees
from verifier_cvar.ella.algorithm import ELLA
from verifier_cvar.ella.claims import CLAIMS, CLAUSES
from verifier_cvar.ella.mutants import MUTANTS
from verifier_cvar.ella.scaling import SCALING
from verifier_cvar.ella.shown import SHOWN
from verifier_cvar.errata import ERRATA

GUARANTEES = Guarantees(
    ELLA, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="B3"
)
