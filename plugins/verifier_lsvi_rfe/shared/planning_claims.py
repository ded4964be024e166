"""Claims about values in planning, and what the returned policy loses."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier_lsvi_rfe.shared import constants
from verifier_lsvi_rfe.shared.horizons import (
    certificate_horizon,
    value_horizon,
)
from verifier_lsvi_rfe.shared.premises import ADAPTED, EVENT, FIXED, MEASURED, REWARDS, THROUGHOUT
from verifier_properties.reward_free import lower_bound, planning
from verifier_settings.reward_free import Planning


def planned_claims() -> tuple[Claim, ...]:
    """Lemmas A.14, A.15, A.22 and Theorem 4.2."""
    theorem, kept = "Values in planning", "the episodes that were kept, the last among them"
    given = partial(Claim, theorem=theorem, kind=Kind.GIVEN, given=EVENT, assumes=REWARDS)
    planned = value_horizon(constants.planning_radius, 1)
    claim = partial(Claim, theorem="Theorem 4.2", kind=Kind.PROBABILITY, assumes=REWARDS, regimes=MEASURED)
    return (
        given("planned-optimism", planning.optimism, source="Lemma A.14", clause="A.14", statement="V_h(s) ≥ V*_h(s; r)",
            horizon=planned, follows=("planning-regression", "planning-q-formula", "planning-value-function")),
        given(
            "over-optimism",
            planning.certified_by_exploration,
            source="Lemma A.15",
            clause="A.15",
            status=Status.CORRECTED,
            statement=f"V_h(s) ≤ V*_h(s; r) + V_{{k,h}}(s) for {kept}",
            given="both events, and β_E ≥ β_P",
            why="printed without β_E ≥ β_P, without which it fails",
            horizon=value_horizon(constants.largest_radius, 3),
            follows=(
                "bonus-ratio",
                "exploration-optimism",
                "planning-regression",
                "planning-q-formula",
                "planning-value-function",
            ),
        ),
        Claim("bonus-ratio", planning.bonus_ratio, source="Lemma A.15, proof", theorem=theorem, clause="BON", kind=Kind.GIVEN,
            statement=f"2b_h ≤ b_{{k,h}} for {kept}", given="β_E ≥ β_P", status=Status.CORRECTED,
            why="used without β_E ≥ β_P; eq. (9) has √d b_h ≤ r_{k,h}, which needs β_E ≥ √d β_P",
            follows=(PSEUDO_CODE, "planning-bonus", "bonus", "norm-order")),
        Claim("truncated-values", planning.average, source="Lemma A.22, proof", theorem=theorem, clause="A.22", kind=Kind.ALWAYS,
            statement="E Ṽ_1(s; αb) ≤ Σ_k E Ṽ_1(s; r_k)/K, α = β_E/β_P", status=Status.CORRECTED,
            why="printed with αE Ṽ_1(s; b) on the left, which is larger for α > 1", assumes=REWARDS,
            horizon=value_horizon(constants.exploration_radius, 1), follows=("reward", "planning-bonus", "norm-order")),
        given("planned-gap", planning.gap_of_plan, source="Theorem 4.2, proof", clause="T4.2", status=Status.CORRECTED,
            statement="V_1(s) − V^π_1(s) ≤ Ṽ^π_1(s; 2b)", why="printed with the mean of a minimum in between", horizon=planned,
            follows=("planning-regression", "planning-q-formula", "planning-value-function", "planning-greedy")),
        given("planned-gap-by-bonus", planning.gap_by_bonus, source="Theorem 4.2, proof", clause="T4.2",
            statement="V_1(s) − V^π_1(s) ≤ 2Ṽ_1(s; b)", horizon=value_horizon(constants.planning_radius, 2),
            status=Status.CORRECTED, why="the step before it is printed with the mean of a minimum", follows=("planned-gap",)),
        given("planned-loss", planning.loss_of_plan, source="Theorem 4.2, proof", clause="T4.2",
            statement="V*_1(s) − V^π_1(s) ≤ V_1(s) − V^π_1(s)", horizon=planned, status=Status.OURS,
            follows=("planned-optimism",)),
        claim("certificate", planning.certificate(_certificate), source="Lemma A.22", clause="A.22", failure_probability=2.0,
            statement="E Ṽ_1(s; b) ≤ (Lemma A.20 + Lemma A.21)/(αK), α = min(1, β_E/β_P)", any_width=ADAPTED, status=Status.OURS,
            why="printed as Õ(√(H⁴d²/K)); these are the constants of its proof, without the step that fails for α > 1",
            given=THROUGHOUT, horizon=certificate_horizon(1.0),
            follows=("truncated-values", "sum-of-values", "first-states", "exploration-confidence")),
        claim("loss", planning.loss(_loss), source="Theorem 4.2", clause="T4.2", failure_probability=7.0, regimes=("published",),
            status=Status.OURS, statement="E[V*_1(s) − V^π_1(s)] ≤ 2(Lemma A.20 + Lemma A.21)/(αK)",
            horizon=certificate_horizon(2.0), why=f"printed as Õ(√(H⁴d²/K)); these are the constants of its proof; {FIXED}",
            follows=("certificate", "planned-loss", "planned-gap-by-bonus", "both-confidences")),
        claim(
            "adversarial-loss",
            planning.loss(_loss, fixed=False),
            source="section 3",
            clause="ANY",
            failure_probability=7.0,
            regimes=("published",),
            statement="the same for rewards chosen after the data",
            status=Status.OURS,
            horizon=certificate_horizon(2.0),
            why="the goal asks for any reward; the proof is for a fixed one, so that a pass is an observation",
            follows=("certificate", "planned-loss", "planned-gap-by-bonus", "adversarial-confidence", "exploration-confidence"),
        ),
    )  # fmt: skip


def lower_bound_claims() -> tuple[Claim, ...]:
    """Bounds on every agent that has not seen the signs of the hard instance; an optimal policy would be a leak.

    An oracle's width is made of the truth, so that what an agent is given there depends on the signs.
    """
    claim = partial(
        Claim, theorem="Lower bound", clause="LB", status=Status.OURS, source="Appendix B", assumes=REWARDS, regimes=MEASURED
    )
    return (
        claim("least-loss", lower_bound.lower_bound, kind=Kind.EXPECTATION,
            statement="E[V*_1 − V^π_1] ≥ Σ_h (1−p)^{h−1} 2Δ(d−1)((H−h) − V*_{h+1}(x_{h+1})) P(a sign is wrong), over signs",
            why="printed as a supremum over signs with an unnamed constant; this is the mean over signs, with all constants",
            follows=("hidden-signs",)),
        claim("hidden-signs", lower_bound.hidden_signs, kind=Kind.LAW,
            statement="the returned policy knows no more of the signs than the transcript tells by Bayes' rule",
            wrong_law="a policy whose signs are all right", follows=("foresight",)),
    )  # fmt: skip


def _radii(view: Planning) -> tuple[float, float]:
    return float(view.series.width.max()), float(view.width.max())


def _certificate(view: Planning) -> float:
    return constants.certificate(view.public, _radii(view), float(view.series.weight.sum()))


def _loss(view: Planning) -> float:
    return 2 * _certificate(view)
