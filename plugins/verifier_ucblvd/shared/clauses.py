"""The clauses of the paper that several algorithms have in common, and why some are not checked."""

from __future__ import annotations

from verifier import Clause

_COVERING = Clause(
    "C33",
    "Lemmas 20–24",
    "covering numbers of the value classes",
    "mathematics that no run can refute; a unit test checks the Lipschitz step",
)
_RATE = Clause(
    "C39",
    "Theorems 1, 2",
    "regret grows like √K, d^{3/2}, H²",
    "a rate: measured by `verifier scale`, at a hundredth of the published width",
)
_COST = Clause(
    "C37",
    "Appendix B.5",
    "run time O(K²) against O(K log K)",
    "a rate of operations; the implementation keeps sufficient statistics, so it does not apply",
)
FIGURE_1A = Clause(
    "C34",
    "Figure 1a",
    "about 20 planning calls, reward equal to the other algorithm's",
    "an experiment over 50 realisations: rerun by `verifier scale --figure 1a`",
)
_FIGURE_3 = Clause("C36", "Figure 3", "planning calls grow like log K", "a rate: measured by `verifier scale`")
ALL = (
    Clause("C1", "eqs. (5), (29), (49)", "Gram matrices"),
    Clause("C2", "eqs. (5), (29), (49)", "least-squares estimates"),
    Clause("C3", "eqs. (6), (7), (28), (48)", "optimistic action values"),
    Clause("C4", "Algorithm lines", "greedy play"),
    Clause("C10", "Lemmas 3, 5, 9, 14", "confidence event"),
    Clause("C15", "Lemmas 4, 7, 11, 15", "optimism"),
    Clause("C16", "eqs. (13), (25), (37), (55)", "recursion of the regret"),
    Clause("C17", "Theorems 1 to 5", "martingale term"),
    Clause("C18", "eq. (15)", "elliptical potential"),
    Clause("C19", "eq. (16)", "sum of bonuses"),
    Clause("C31", "Theorems 1 to 5", "pathwise regret"),
    _COVERING,
    _RATE,
    _COST,
)
LINEAR = (
    Clause("A1", "Assumption 1", "linear MDP with bounded features and parameters"),
    Clause("C5", "Lemma 18", "norm of the true parameter"),
    Clause("C6", "Lemma 2", "norm of the estimate"),
    Clause("C11", "Lemmas 2, 6, 8", "self-normalised noise"),
    Clause("C12", "Lemmas 3, 5, 9", "bias and noise"),
)
RARE = (
    Clause("C21", "Algorithms 2 to 5", "growth while in force"),
    Clause("C22", "Algorithms 2 to 5", "trigger"),
    Clause("C23", "Theorems 2 to 5", "planning calls, upper bound"),
    Clause("C24", "Algorithms 2 to 5", "planning calls, lower bound"),
    _FIGURE_3,
)
DISTILLED = (
    *ALL,
    *LINEAR,
    *RARE,
    Clause("A2", "Assumptions 2, 4", "completeness"),
    Clause("A2q", "§4.1", "Q* is linear in psi"),
    Clause("C7", "eqs. (8), (30), (39)", "feasibility"),
    Clause("C8", "eqs. (21), (42)", "program value zero"),
    Clause(
        "C8+",
        "eqs. (8), (30), (39)",
        "optimality of the program where its value is positive",
        "the value depends on the set D, which an algorithm chooses and does not report; nothing in the theorems rests on it",
    ),
    Clause("C9", "eq. (23)", "backups combine"),
    Clause("C14", "Lemmas 1, 10, 12", "distillation error"),
    Clause("C20", "eq. (27)", "stale bonus"),
    Clause("C30", "Theorem 6", "regret under misspecification"),
    Clause("C30'", "Lemma 16", "distillation error under misspecification"),
    Clause("C30''", "Lemma 17", "optimism under misspecification"),
)
KRONECKER = (
    Clause("A3", "Assumption 3", "representatives and Kronecker structure"),
    Clause("C8'", "eq. (8)", "program value zero without Assumption 2"),
    Clause("C14'", "Lemma 1", "distillation error, half"),
)
