"""The clauses of the paper about exploration, of ELA and ELLA alike."""

from __future__ import annotations

from verifier.model.clause import Clause

_FACT = "a fact about risk, rounding or augmented values, which no implementation can break; tested on the module that all share"

EXPLORATION = (
    Clause("A", "§2, Assumption 2.2", "low rank, norms of features and measures, realizability, rewards in [0, 1]"),
    Clause("CV", "eq. (2)", "CVaR as a supremum and as a tail mean"),
    Clause("AU1", "eq. (4)", "the best policy is found on the augmented state", _FACT),
    Clause("AU2", "eq. (4)", "CVaR of the policy against its value"),
    Clause("B1a", "Proposition B.1", "rounding rewards up does not lower CVaR*", _FACT),
    Clause("C3", "Lemma C.3", "values in two models"),
    Clause("E5", "Lemma E.5", "the simulation lemma"),
    Clause("DAT", "Lines 5-10", "what is collected, and how"),
    Clause("E1b", "Line 11", "maximum likelihood over the class"),
    Clause("E1", "Lemma E.1", "the error of the maximum likelihood model"),
    Clause("E2", "Lemma E.2", "concentration of norms"),
    Clause("E3", "Lemma E.3", "one step back in the learned model"),
    Clause("E4", "Lemma E.4", "one step back in the true model"),
    Clause("BON", "Lines 12-13", "covariance and bonus"),
    Clause("OPTs", "proof of Lemma C.2", "bonuses pay for errors one step later"),
    Clause("OPT", "Lemma C.2", "optimism at the optimal policy"),
    Clause("DEC", "appendix C", "decomposition of the regret"),
    Clause("TI", "appendix C", "the first bracket"),
    Clause("BT", "eq. (14)", "the trace inequality"),
    Clause("POT", "eq. (16)", "the potential"),
    Clause("REG", "Theorem 4.1", "regret"),
    Clause("PAC", "Theorem 4.1", "the average policy"),
    Clause("CNT", "§4.1, §5.1", "numbers of trajectories and oracle calls"),
)
