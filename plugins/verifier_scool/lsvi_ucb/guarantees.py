"""Guarantees of the agent."""

from __future__ import annotations

from verifier import Guarantees
from verifier_scool.lsvi_ucb.algorithm import ScoolLSVIUCB
from verifier_scool.lsvi_ucb.claims import CLAIMS, CLAUSES

GUARANTEES = Guarantees(ScoolLSVIUCB, claims=CLAIMS, clauses=CLAUSES, theorem="REGRET")
