"""The claims of UCBlvd (Theorem 2), one per checkable clause of the paper."""

from __future__ import annotations

import math

from verifier import Clause
from verifier_properties.episodes import regret
from verifier_properties.lifelong import optimism, replay, switching
from verifier_settings.lifelong import Public
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.claims import (
    COMPLETE,
    EVENT_COMPLETE,
    OF_KRONECKER,
    completeness_claims,
    confidence_claims,
    kernel_claims,
    kronecker_claims,
    norm_claims,
    policy_claims,
    regression_claims,
    target_claims,
)
from verifier_ucblvd.shared.clauses import DISTILLED, FIGURE_1A, KRONECKER
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


def _width(public: Public, K: float) -> float:
    return constants.beta_at(public, public.dp, K)


CLAIMS = (
    *kernel_claims(),
    *norm_claims(),
    *completeness_claims("Assumption 2", phi=True, psi=False),
    *kronecker_claims(),
    *regression_claims(),
    *target_claims(),
    *distilled_formula_claims(),
    *policy_claims(),
    *confidence_claims(lemma="Lemma 5", noise_lemma="Lemma 6", theorem="Theorem 2",
        statement="β = cH(d + √(md))√(log(mdT/δ)), c = 2.5", contexts="all representatives", width=_width, formula=OF_KRONECKER,
        noise=distilled_noise,
        cover=("norm-constraint",)),
    *program_claims("eq. (8)", "Lemma 1", values="eqs. (21), (22)", complete=COMPLETE),
    *distilled_optimism_claims(
        "eq. (8)",
        "Lemma 1",
        "Lemma 7",
        bonus=optimism.added_bonus(replay.distilled_mean, PHI_BONUS, replay.known_reward),
        complete=COMPLETE,
        width=_width,
    ),
    *misspecified_claims(constants.regret_bound_ucblvd),
    *potential_claims("Theorem 2: regret", math.e),
    *stale_claims("Theorem 2"),
    *regret_claims("Theorem 2", recursion="eq. (25)", clause="C26", statement="R_K ≤ 2H√(T log(dT/δ)) + 8HLβ√(2dK log(1+K/λ))",
        bound=constants.regret_bound_ucblvd, slack=regret.phi_slack(twice_L), assumes=COMPLETE, event=EVENT_COMPLETE,
        validity="distillation-error"),
    *planning_claims("Theorem 2", switching.of_phi, lambda public: (public.d,), "dH log(1 + K/(dλ))"),
)  # fmt: skip
CLAUSES = (*DISTILLED, *KRONECKER, Clause("C26", "Theorem 2", "regret"), FIGURE_1A)
