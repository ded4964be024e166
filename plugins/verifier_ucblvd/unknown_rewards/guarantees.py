"""Guarantees of UCBlvd with unknown rewards."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ucblvd.errata import ERRATA
from verifier_ucblvd.unknown_rewards.algorithm import UCBlvdUnknownRewards
from verifier_ucblvd.unknown_rewards.claims import CLAIMS, CLAUSES
from verifier_ucblvd.unknown_rewards.mutants import MUTANTS
from verifier_ucblvd.unknown_rewards.scaling import SCALING

GUARANTEES = Guarantees(
    UCBlvdUnknownRewards, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, errata=ERRATA, theorem="regret"
)
