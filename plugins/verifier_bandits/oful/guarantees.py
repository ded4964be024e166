"""Guarantees of OFUL."""

from __future__ import annotations

from verifier import Guarantees
from verifier_bandits.oful.algorithm import OFUL
from verifier_bandits.oful.claims import CLAIMS, CLAUSES
from verifier_bandits.oful.formulas import EllipsoidError
from verifier_bandits.oful.mutants import MUTANTS
from verifier_bandits.oful.scaling import SCALING
from verifier_bandits.oful.shown import SHOWN

GUARANTEES = Guarantees(
    OFUL, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, oracles={"ellipsoid": EllipsoidError},
    theorem="regret",
)  # fmt: skip
