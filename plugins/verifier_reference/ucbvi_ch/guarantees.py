"""Guarantees of UCBVI-CH."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.ucbvi_ch.algorithm import HoeffdingUCBVI
from verifier_reference.ucbvi_ch.claims import CLAIMS, CLAUSES
from verifier_reference.ucbvi_ch.mutants import MUTANTS
from verifier_reference.ucbvi_ch.scaling import SCALING
from verifier_reference.ucbvi_ch.shown import SHOWN

GUARANTEES = Guarantees(
    HoeffdingUCBVI, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, theorem="regret"
)
