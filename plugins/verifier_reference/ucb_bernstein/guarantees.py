"""Guarantees of UCB-Bernstein."""

from __future__ import annotations

from verifier import Guarantees
from verifier_reference.shared.bernstein import ReferenceUpdateError
from verifier_reference.ucb_bernstein.algorithm import BernsteinQLearning
from verifier_reference.ucb_bernstein.claims import CLAIMS, CLAUSES
from verifier_reference.ucb_bernstein.mutants import MUTANTS
from verifier_reference.ucb_bernstein.scaling import SCALING
from verifier_reference.ucb_bernstein.shown import SHOWN

GUARANTEES = Guarantees(
    BernsteinQLearning,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"update": ReferenceUpdateError},
    theorem="regret",
)
