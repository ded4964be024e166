"""The claims of Modified UCBlvd (Theorem 4), one per checkable clause of the paper."""

from __future__ import annotations

import math
from functools import partial

from verifier import Claim, Clause, Kind
from verifier_properties.episodes import regret
from verifier_properties.lifelong import assumptions, optimism, replay, switching
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.claims import (
    ASSUMPTIONS,
    EVENT_COMPLETE,
    LINEAR_MDP,
    OF_FEATURES,
    UNPRINTED,
    completeness_claims,
    confidence_claims,
    kernel_claims,
    norm_claims,
    policy_claims,
    regression_claims,
    target_claims,
)
from verifier_ucblvd.shared.clauses import DISTILLED
from verifier_ucblvd.shared.distillation_claims import (
    PHI_BONUS,
    distilled_formula_claims,
    distilled_noise,
    distilled_optimism_claims,
    misspecified_claims,
    program_claims,
    twice_L,
)
from verifier_ucblvd.shared.theorem_claims import planning_claims, potential_claims, regret_claims, stale_claims

SPAN = (*LINEAR_MDP, "completeness", "feature-span")


def _span_claims() -> tuple[Claim, ...]:
    """Assumption 5."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, source="Assumption 5", clause="A5")
    return (
        assume(
            "feature-span",
            assumptions.feature_span,
            statement="ψ(s,a,w) = Σ_j c_j(s,a,w) ψ(s,a,w^(j)), L = max Σ_j |c_j|, n ≤ d′",
            why="read with absolute values, which the proof of Lemma 12 needs",
        ),
    )


CLAIMS = (
    *kernel_claims(),
    *norm_claims(),
    *completeness_claims("Assumption 2", phi=True, psi=False),
    *_span_claims(),
    *regression_claims(),
    *target_claims(),
    *distilled_formula_claims(),
    *policy_claims(),
    *confidence_claims(lemma="Lemma 5", noise_lemma="Lemma 6", theorem="Theorem 4",
        statement="β = cH(d + √d′)√(log(dd′T/δ)), c = 2.5", contexts="all representatives",
        width=constants.beta_features, formula=OF_FEATURES, noise=distilled_noise, cover=("norm-constraint",)),
    *program_claims("eq. (39)", "Lemma 12", values="eq. (42)", complete=SPAN, kronecker=False),
    *distilled_optimism_claims(
        "eq. (39)",
        "Lemma 12",
        "Lemma 7",
        bonus=optimism.added_bonus(replay.distilled_mean, PHI_BONUS, replay.known_reward),
        complete=SPAN,
        width=constants.beta_features,
    ),
    *misspecified_claims(constants.regret_bound_modified),
    *potential_claims("Theorem 4: regret", math.e),
    *stale_claims("Theorem 4"),
    *regret_claims("Theorem 4", recursion="eq. (25)", clause="C28", statement="R_K ≤ 2H√(T log(dT/δ)) + 8HLβ√(2dK log(1+K/λ))",
        bound=constants.regret_bound_modified, slack=regret.phi_slack(twice_L), assumes=SPAN, event=EVENT_COMPLETE,
        validity="distillation-error", why=f"{UNPRINTED}; printed with log K where the proof gives log(1 + K/λ)"),
    *planning_claims("Theorem 4", switching.of_phi, lambda public: (public.d,), "dH log(1 + K/(dλ))"),
)  # fmt: skip
CLAUSES = (
    *DISTILLED,
    Clause("A5", "Assumption 5", "representatives span psi"),
    Clause("C28", "Theorem 4", "regret"),
    Clause("C35", "Figure 1b", "the same with psi of dimension 10",
        "an experiment over 50 realisations: `verifier scale --figure 1b`"),
)  # fmt: skip
