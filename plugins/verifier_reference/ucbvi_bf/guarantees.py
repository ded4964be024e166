"""Guarantees of UCBVI-BF."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.ucbvi_bf.algorithm import BernsteinUCBVI
from verifier_reference.ucbvi_bf.claims import CLAIMS, CLAUSES
from verifier_reference.ucbvi_bf.mutants import MUTANTS
from verifier_reference.ucbvi_bf.scaling import SCALING
from verifier_reference.ucbvi_bf.shown import SHOWN

GUARANTEES = Guarantees(
    BernsteinUCBVI, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, theorem="regret"
)
