"""Guarantees of KL-UCB."""

from __future__ import annotations

from verifier import Guarantees
from verifier_bandits.kl_ucb.algorithm import KLUCB
from verifier_bandits.kl_ucb.claims import CLAIMS, CLAUSES
from verifier_bandits.kl_ucb.errata import ERRATA
from verifier_bandits.kl_ucb.formulas import LevelError
from verifier_bandits.kl_ucb.mutants import MUTANTS
from verifier_bandits.kl_ucb.shown import SHOWN

GUARANTEES = Guarantees(
    KLUCB, claims=CLAIMS, clauses=CLAUSES, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, oracles={"mean": LevelError},
    theorem="regret",
)  # fmt: skip
