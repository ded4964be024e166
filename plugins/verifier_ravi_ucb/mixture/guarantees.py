"""Guarantees of RAVI-UCB for linear mixtures."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ravi_ucb.errata import ERRATA
from verifier_ravi_ucb.mixture.algorithm import MixtureRaviUCB
from verifier_ravi_ucb.mixture.claims import CLAIMS, CLAUSES
from verifier_ravi_ucb.mixture.mutants import MUTANTS
from verifier_ravi_ucb.mixture.scaling import SCALING
from verifier_ravi_ucb.mixture.shown import SHOWN

GUARANTEES = Guarantees(
    MixtureRaviUCB, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="regret"
)
