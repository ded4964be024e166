"""The claims of FMDP-CH."""

from __future__ import annotations

from verifier import Claim, Clause, Kind, Status
from verifier_fmdp.shared import constants
from verifier_fmdp.shared.clauses import SHARED
from verifier_fmdp.shared.error_claims import (
    confidence_claims,
    coverage_claims,
    martingale_claims,
    optimism_claims,
    product_claims,
)
from verifier_fmdp.shared.regret_claims import regret_claims, visit_sum_claims
from verifier_fmdp.shared.replay_claims import ASSUMED, assumption_claims, bonus_claims, model_claims, play_claims, width_claims
from verifier_properties.factored import confidence, flat, optimism, planning

EVENT = "(7), (8) and (9) hold at the cells of x, with the widths in force"
COVERED = "(1) and (2) with the widths in force cover |R̂ − R| + |(P̂ − P)V*| at every known x"


def flat_claims() -> tuple[Claim, ...]:
    """Claims on one factor, where it is UCBVI-CH, and on how much less it loses with three or more."""
    return (
        Claim("reduction", flat.reduction, source="Appendix B", theorem="One factor", clause="FLAT",
            statement="n = m = d = 1: Q_h = min(H, R̂ + √(2L/N) + √(2H²L/N) + P̂V_{h+1}), UCBVI-CH", kind=Kind.IDENTITY,
            follows=("q-formula", "kernel", "rewards", "reward-bonus", "transition-bonus")),
        Claim(
            "below-flat",
            flat.below_flat(0.001),
            source="§4, after Theorem 2",
            theorem="One factor",
            clause="GAIN",
            statement="E[regret] ≤ E[regret of flat UCBVI-CH] on products of three or more factors",
            kind=Kind.EXPECTATION,
            regimes=("scaled(0.001)",),
            status=Status.OURS,
            why="the paper compares rates: cells in place of pairs; at logarithms scaled by 0.001 the gain shows in 100 episodes",
            assumes=ASSUMED,
            follows=("regret",),
        ),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims(),
    *model_claims("Algorithm 2", "Algorithm 2 prints the union over the factors; a row of P̂ would then be 0/0"),
    *width_claims(),
    *bonus_claims(
        "Algorithm 2, (1), (2)",
        planning.hoeffding_reward,
        "CB^R_i = √(2L^R_i/N)",
        planning.hoeffding,
        "CB^P_j = √(2H²L/N_j) + Hφ_j Σ_{l≠j} φ_l, φ_j = √(4|S_j|L/N_j) + 4|S_j|L/(3N_j)",
        planning.cross_term,
    ),
    *play_claims("Algorithm 2"),
    *product_claims(),
    *confidence_claims(
        "Lemma D.1",
        confidence.reward_hoeffding,
        confidence.value_hoeffding,
        "(7) (8)",
        ("|R̂_i − R̄_i| ≤ √(2L^R_i/N) at all cells", "|(P̂_j − P_j) Π_{l≠j} P_l V*_h| ≤ √(2H²L/N_j) at all x, h"),
    ),
    *martingale_claims(),
    *coverage_claims("Lemma E.2", EVENT, optimism.hoeffding_event),
    *optimism_claims("Lemma E.3", COVERED, optimism.hoeffding_covers),
    *visit_sum_claims(),
    *regret_claims(
        "Theorem 5",
        "R_K at most an explicit bound of the order √T",
        constants.regret_hoeffding,
        uses=("visit-sum", "policy-martingale", "optimum-martingale", "entry-confidence"),
    ),
    *flat_claims(),
)
CLAUSES = (
    *SHARED,
    Clause("FLAT", "Appendix B", "with one factor it is UCBVI-CH"),
    Clause("GAIN", "§4", "cells in place of pairs: less regret than without the structure"),
)
