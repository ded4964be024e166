"""Guarantees of the agent."""

from __future__ import annotations

from verifier import Guarantees
from verifier_scool.ucbvi.algorithm import ScoolUCBVI
from verifier_scool.ucbvi.claims import CLAIMS, CLAUSES

GUARANTEES = Guarantees(ScoolUCBVI, claims=CLAIMS, clauses=CLAUSES, theorem="regret")
