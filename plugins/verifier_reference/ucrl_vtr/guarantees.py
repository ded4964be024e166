"""Guarantees of UCRL-VTR."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.ucrl_vtr.algorithm import UCRLVTR
from verifier_reference.ucrl_vtr.claims import CLAIMS, CLAUSES
from verifier_reference.ucrl_vtr.errata import ERRATA
from verifier_reference.ucrl_vtr.mutants import MUTANTS
from verifier_reference.ucrl_vtr.scaling import SCALING
from verifier_reference.ucrl_vtr.shown import SHOWN

GUARANTEES = Guarantees(
    UCRLVTR, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="regret"
)
