"""Guarantees of tabular RAVI-UCB."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ravi_ucb.errata import ERRATA
from verifier_ravi_ucb.tabular.algorithm import TabularRaviUCB
from verifier_ravi_ucb.tabular.claims import CLAIMS, CLAUSES
from verifier_ravi_ucb.tabular.mutants import MUTANTS
from verifier_ravi_ucb.tabular.scaling import SCALING
from verifier_ravi_ucb.tabular.shown import SHOWN

GUARANTEES = Guarantees(
    TabularRaviUCB, claims=CLAIMS, clauses=CLAUSES, scaling=SCALING, mutants=MUTANTS, shown=SHOWN, errata=ERRATA, theorem="regret"
)
