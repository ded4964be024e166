"""Guarantees of UCB-Hoeffding."""

from __future__ import annotations

from verifier import Guarantees
from verifier_properties.episodic.updates import UpdateError
from verifier_reference.ucb_hoeffding.algorithm import HoeffdingQLearning
from verifier_reference.ucb_hoeffding.claims import CLAIMS, CLAUSES
from verifier_reference.ucb_hoeffding.mutants import MUTANTS
from verifier_reference.ucb_hoeffding.scaling import SCALING
from verifier_reference.ucb_hoeffding.shown import SHOWN

GUARANTEES = Guarantees(
    HoeffdingQLearning,
    claims=CLAIMS,
    clauses=CLAUSES,
    scaling=SCALING,
    mutants=MUTANTS,
    shown=SHOWN,
    oracles={"update": UpdateError},
    theorem="regret",
)
