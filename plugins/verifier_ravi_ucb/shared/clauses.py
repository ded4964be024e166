"""The clauses of the paper that do not depend on how transitions are estimated."""

from __future__ import annotations

from verifier.model.clause import Clause

SHARED_CLAUSES = (
    Clause("setting", "§2", "finite MDP, rewards in [0, 1], π_0 uniform"),
    Clause("OCC", "eq. (1)", "the flow equation of occupancies",
        "the harness checks it on every occupancy it computes; an implementation has no part in it"),
    Clause("INIT", "Algorithm 1", "V_0 = 0, π_0 given"),
    Clause("ETA", "Theorem 4.1", "the learning rate"),
    Clause("C1", "Lemma C.1", "the regularised update in closed form, one step and accumulated"),
    Clause("Q", "Algorithm 1", "the clipped optimistic backup"),
    Clause("EST", "§5.1, §5.2", "the transition estimate"),
    Clause("BON", "§5.1, §5.2", "the bonus"),
    Clause("R", "§3", "ranges of V and Q"),
    Clause("EQ2", "eq. (2)", "validity of the bonus"),
    Clause("4.2", "Lemma 4.2", "backups from below and above"),
    Clause("EQ4", "eq. (4)", "optimism as a difference of values"),
    Clause("EQ5", "eq. (5)", "average optimism"),
    Clause("EQ6", "eq. (6)", "deviation of one epoch"),
    Clause("EQ7", "eq. (7)", "deviation of all epochs"),
    Clause("PIN", "proof of Lemma 4.3", "Pinsker's inequality for occupancies"),
    Clause("A1", "Lemma A.1", "relative entropy of occupancies"),
    Clause("STAB", "proof of Lemma 4.3", "stability of one step"),
    Clause("4.3", "Lemma 4.3", "gaps of all epochs"),
    Clause("GEO", "§3", "epochs are geometric and independent of states and actions"),
    Clause("EK", "§4.3", "the mean number of epochs"),
    Clause("4.4", "Lemma 4.4", "bonuses under occupancies against bonuses met"),
    Clause("A4", "Lemma A.4", "the longest epoch"),
    Clause("T4.1", "Theorem 4.1", "regret by bonuses"),
    Clause("T5", "§5.1, Theorem 5.6", "explicit regret"),
    Clause("C5.7", "Corollary 5.7", "a policy drawn uniformly"),
    Clause(
        "C5.7T",
        "Corollary 5.7",
        "T_ε = Õ(B²dH + d²H³ + H⁴ log|A|)/ε² steps for a gap of ε",
        "T_ε is where the explicit bound divided by T is ε: what `uniform-output` checks at ε = bound/T; printed without the "
        "terms that do not grow with T (erratum `hidden-horizon`), which need T of order 1/ε",
    ),
    Clause("CINEQ", "appendix A.4", "min(x, n) ≤ n log(1+x) / log(1+n)",
        "a fact about numbers, which no implementation can break"),
)  # fmt: skip
"""Clauses of the paper; the two instantiations add those of their models."""
