"""Guarantees of MVP."""

from __future__ import annotations

from verifier import Guarantees
from verifier_properties.episodic.monotone_bonus import LogarithmError
from verifier_reference.mvp.algorithm import MVP
from verifier_reference.mvp.claims import CLAIMS, CLAUSES
from verifier_reference.mvp.mutants import MUTANTS
from verifier_reference.mvp.scaling import SCALING
from verifier_reference.mvp.shown import SHOWN

GUARANTEES = Guarantees(
    MVP,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"logarithm": LogarithmError},
    theorem="regret",
)
