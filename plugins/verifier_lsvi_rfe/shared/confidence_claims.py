"""Claims about errors of the estimates, and how often they are within the radii."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier_lsvi_rfe.shared import constants
from verifier_lsvi_rfe.shared.horizons import (
    error_horizon,
    value_horizon,
)
from verifier_lsvi_rfe.shared.premises import FIXED, HAND, LINEAR_MDP, MEASURED, REWARDS
from verifier_properties.reward_free import confidence


def confidence_claims() -> tuple[Claim, ...]:
    """Lemmas A.6 and A.11 to A.13: what may fail, with a probability."""
    claim = partial(Claim, theorem="Confidence", kind=Kind.PROBABILITY, regimes=MEASURED)
    explored, planned = error_horizon(constants.exploration_radius), error_horizon(constants.planning_radius)
    return (
        claim("exploration-confidence", confidence.exploration_event, source="Lemma A.6", clause="A.6", failure_probability=1.0,
            statement="‖(μ_h − μ̂_{k,h})V_{k,h+1}‖_Λ̂ ≤ β_E at every k and h", assumes=LINEAR_MDP, horizon=explored,
            why=f"where 0 ≤ V ≤ H, which the covering needs and the cut at H alone does not give; {HAND}",
            status=Status.CORRECTED,
            follows=("estimate-error", "value-cap", "weight-range", "exploration-radius", "foresight", "step-measurability")),
        claim("planning-confidence-1", confidence.fixed_target(constants.fixed_target_radius), source="Lemma A.11", clause="A.11",
            failure_probability=1.0, statement="‖(μ_h − μ̂_h)V*_{h+1}‖_Λ̂ ≤ β_P1 at every h", assumes=REWARDS,
            regimes=("published",), horizon=error_horizon(constants.fixed_target_radius),
            why=f"for a reward fixed before the data; {FIXED}", status=Status.CORRECTED,
            follows=("measures-error", "weight-range", "threshold", "foresight", "step-measurability")),
        claim(
            "planning-confidence-2",
            confidence.difference(constants.difference_radius),
            source="Lemma A.12",
            clause="A.12",
            failure_probability=1.0,
            statement="‖(μ_h − μ̂_h)(V_{h+1} − V*_{h+1})‖_Λ̂ ≤ β_P2 at every h",
            assumes=REWARDS,
            given=f"the events it rests on, and β_E ≥ β_P; {FIXED}",
            regimes=("published",),
            horizon=error_horizon(constants.difference_radius),
            status=Status.CORRECTED,
            why="β_E ≥ β_P is used through Lemma A.15 and nowhere stated; false for d below 1600 unless max(β_E, β_P) is used",
            follows=(
                "measures-error",
                "threshold",
                "variance-bound",
                "planned-optimism",
                "over-optimism",
                "exploration-confidence",
                "step-measurability",
            ),
        ),
        claim(
            "both-confidences",
            confidence.both_events(),
            source="Lemma A.13",
            clause="A.13",
            failure_probability=3.0,
            statement="both events, at every k and h, with probability 1 − 3δ",
            assumes=REWARDS,
            horizon=planned,
            status=Status.CORRECTED,
            why=f"for a reward fixed before the data; {FIXED}; {HAND}",
            follows=(
                "exploration-confidence",
                "planning-confidence-1",
                "planning-confidence-2",
                "planning-confidence-sum",
                "planning-radius",
            ),
        ),
        claim("adversarial-confidence", confidence.fixed_target(constants.any_target_radius, fixed=False), source="section 3",
            clause="ANY", failure_probability=1.0, assumes=REWARDS, regimes=("published",), status=Status.OURS,
            statement="‖(μ_h − μ̂_h)V*_{h+1}‖_Λ̂ ≤ β_P1 with a net of the class of V*, for rewards chosen after the data",
            horizon=error_horizon(constants.any_target_radius), why="the goal asks for any reward; the proof is for a fixed one",
            follows=("measures-error", "weight-range", "threshold", "foresight", "step-measurability")),
        claim("planning-confidence-sum", confidence.triangle(constants.fixed_target_radius, constants.difference_radius),
            source="Lemma A.13", clause="A.13", kind=Kind.GIVEN, statement="‖(μ_h − μ̂_h)V_{h+1}‖_Λ̂ ≤ β_P1 + β_P2",
            given="the bounds of Lemmas A.11 and A.12 hold at this step", regimes=("published",), horizon=planned,
            follows=("planning-regression", *REWARDS)),
    )  # fmt: skip


def error_claims() -> tuple[Claim, ...]:
    """Lemma C.4, and what the event says of every pair."""
    same = partial(
        Claim, theorem="Errors of the estimates", kind=Kind.IDENTITY, source="Lemma C.4", clause="C.4", status=Status.CORRECTED
    )
    sign = "printed with a plus before the noise, for ε = P − δ(s′)"
    return (
        same("estimate-error", confidence.decomposition, assumes=LINEAR_MDP, why=sign,
            statement="w_h − μ_h V_{h+1} = Λ̂⁻¹(−λμ_h V_{h+1} − Σ φ(P_h V_{h+1} − V_{h+1}(s′))/σ̂²)", follows=("regression",)),
        same("measures-error", confidence.measures, assumes=LINEAR_MDP, why=sign,
            statement="μ̂_h − μ_h = Λ̂⁻¹(−λμ_h − Σ φ(P_h − δ(s′))/σ̂²), after all episodes",
            follows=(PSEUDO_CODE, "planning-gram")),
        Claim("pointwise-error", confidence.pointwise, source="section 5", theorem="Errors of the estimates", clause="A.6",
            statement="|⟨w_h, φ⟩ − P_h V_{h+1}| ≤ β_E‖φ‖ at every pair", kind=Kind.GIVEN, assumes=LINEAR_MDP,
            given="the realised error is within the radius at this plan and step",
            horizon=value_horizon(constants.exploration_radius, 1), follows=("estimate-error",)),
    )  # fmt: skip
