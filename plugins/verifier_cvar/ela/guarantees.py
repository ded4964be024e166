"""Guarantees of ELA."""

from __future__ import annotations

from verifier import Guarantees
from verifier_cvar.ela.algorithm import ELA
from verifier_cvar.ela.claims import CLAIMS, CLAUSES
from verifier_cvar.ela.mutants import MUTANTS
from verifier_cvar.ela.scaling import SCALING
from verifier_cvar.ela.shown import SHOWN
from verifier_cvar.errata import ERRATA

GUARANTEES = Guarantees(
    ELA, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="regret"
)
