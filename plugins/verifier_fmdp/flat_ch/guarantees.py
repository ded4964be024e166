"""Guarantees of the flat algorithm."""

from __future__ import annotations

from verifier import Guarantees
from verifier_fmdp.flat_ch.algorithm import FlatCH
from verifier_fmdp.flat_ch.claims import CLAIMS, CLAUSES
from verifier_fmdp.flat_ch.mutants import MUTANTS

GUARANTEES = Guarantees(FlatCH, claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS, theorem="THEORY")
