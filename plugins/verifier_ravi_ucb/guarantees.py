"""What is declared of both instantiations of RAVI-UCB."""

from __future__ import annotations

from verifier import Guarantees
from verifier_ravi_ucb import mixture_claims, scaling_claims, tabular_claims
from verifier_ravi_ucb.errata import ERRATA
from verifier_ravi_ucb.mixture import MixtureRaviUCB
from verifier_ravi_ucb.mutants import counting, planning, playing, regression
from verifier_ravi_ucb.tabular import TabularRaviUCB

GUARANTEES = (
    Guarantees(
        TabularRaviUCB,
        claims=tabular_claims.CLAIMS,
        clauses=tabular_claims.CLAUSES,
        scaling=scaling_claims.TABULAR,
        mutants=(
            *planning.mutants(TabularRaviUCB),
            *playing.mutants(TabularRaviUCB),
            *counting.mutants(TabularRaviUCB),
        ),
        errata=ERRATA,
    ),
    Guarantees(
        MixtureRaviUCB,
        claims=mixture_claims.CLAIMS,
        clauses=mixture_claims.CLAUSES,
        scaling=scaling_claims.MIXTURE,
        mutants=(
            *planning.mutants(MixtureRaviUCB),
            *playing.mutants(MixtureRaviUCB),
            *regression.mutants(MixtureRaviUCB),
        ),
        errata=ERRATA,
    ),
)
