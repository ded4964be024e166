"""Guarantees of Thompson sampling."""

from __future__ import annotations

from verifier import Guarantees
from verifier_bandits.thompson.algorithm import ThompsonSampling
from verifier_bandits.thompson.claims import CLAIMS, CLAUSES
from verifier_bandits.thompson.mutants import MUTANTS

GUARANTEES = Guarantees(ThompsonSampling, claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS, theorem="REGRET")
