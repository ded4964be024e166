"""Claims about the instance, and about every line of both algorithms."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier_lsvi_rfe.shared import constants
from verifier_properties.any_setting import measurability
from verifier_properties.episodes import play
from verifier_properties.reward_free import assumptions, replay
from verifier_properties.reward_free.replay import EXPLORATION, PLANNING, Phase

ASSUMPTIONS = "Assumptions"
EXPLORED = "Algorithm 1, replayed"
PLANNED = "Algorithm 2, replayed"


def assumption_claims() -> tuple[Claim, ...]:
    """Definition 3.1."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, source="Definition 3.1", clause="MDP")
    return (
        assume("transition-kernel", assumptions.transition_kernel, statement="P_h(·|s,a) is a probability"),
        assume("linear-kernel", assumptions.linear_kernel, statement="P_h(·|s,a) = ⟨φ(s,a), μ_h(·)⟩"),
        assume("feature-norms", assumptions.feature_norms, statement="‖φ(s,a)‖ ≤ 1"),
        assume("measure-norms", assumptions.measure_norms, statement="‖μ_h v‖ ≤ √d for all |v| ≤ 1"),
        assume("reward-range", assumptions.reward_range, statement="0 ≤ r_h(s,a) ≤ 1"),
        assume("reward-norms", assumptions.reward_norms, statement="‖θ_h‖ ≤ W"),
    )


def least_squares_claims(phase: Phase, theorem: str, prefix: str, line: str, *, data: tuple[str, ...] = ()) -> tuple[Claim, ...]:
    """Lines that both phases compute alike; `data` are the lines that the matrices of a phase are taken from.

    The weights of an episode are made of the matrices before it, and go into those after it. The circle is cut at the spread,
    which is looked at as long as the matrices and estimates before were right.
    """
    same = partial(Claim, theorem=theorem, kind=Kind.IDENTITY, clause="REPLAY", source=line)
    return (
        same(f"{prefix}gram", replay.gram(phase), follows=(PSEUDO_CODE, *data), statement="Λ̂_h = λI + Σ φφᵀ/σ̂²"),
        same(f"{prefix}regression", replay.regression(phase), follows=(PSEUDO_CODE, f"{prefix}gram", f"{prefix}value-function"),
            statement="w_h = Λ̂_h⁻¹ Σ φ V_{h+1}(s′)/σ̂²"),
        same(f"{prefix}value-function", replay.value_function(phase), follows=(PSEUDO_CODE,),
            statement="V_h = min(max_a Q_h, H), V_{H+1} = 0"),
        same(f"{prefix}width-target", replay.asked(phase), follows=(PSEUDO_CODE, f"{prefix}value-function"),
            statement="the radius is that of V_{h+1}"),
        same(f"{prefix}greedy", replay.greedy(phase), follows=(PSEUDO_CODE,), statement="π_h(s) = argmax_a Q_h(s,a)"),
    )  # fmt: skip


def weight_claims(phase: Phase, prefix: str = "", where: str = "") -> tuple[Claim, ...]:
    """Lines 16 to 24 of Algorithm 1, and the matrix of the variances.

    The plan that comes next reports them. After the last episode that is the plan for a reward.
    """
    same = partial(Claim, theorem=EXPLORED, kind=Kind.IDENTITY, clause="REPLAY")
    return (
        same(f"{prefix}variance-gram", replay.variance_gram(phase), source="Algorithm 1",
            statement=f"Λ̃_h = λI + Σ φφᵀ/σ̃²{' after the last episode' if prefix else ''}",
            follows=(PSEUDO_CODE, f"{prefix}variance")),
        same(f"{prefix}spread", replay.spread(phase), source="Algorithm 1, line 16",
            statement=f"W = min(H(⟨w, φ⟩ + β_E‖φ‖ + ζ), H²){where}", follows=(PSEUDO_CODE,)),
        same(f"{prefix}variance", replay.variance(phase), source="Algorithm 1, line 17", statement=f"σ̃² = max(H, d²W/H){where}",
            follows=(PSEUDO_CODE, f"{prefix}spread")),
        same(f"{prefix}enlarged", replay.enlarged(phase), source="Algorithm 1, lines 19 to 23",
            statement=f"σ̄² = Hd³ where ‖φ/σ̃‖ > 1/d³ under Λ̃⁻¹, else H{where}",
            follows=(PSEUDO_CODE, f"{prefix}variance", "variance-gram")),
        same(f"{prefix}weight", replay.weight(phase), source="Algorithm 1, line 24", statement=f"σ̂² = max(σ̄², σ̃²){where}",
            follows=(PSEUDO_CODE, f"{prefix}variance", f"{prefix}enlarged")),
    )  # fmt: skip


def exploration_claims() -> tuple[Claim, ...]:
    """The lines of Algorithm 1."""
    same = partial(Claim, theorem=EXPLORED, kind=Kind.IDENTITY, clause="REPLAY")
    return (
        *least_squares_claims(EXPLORATION, EXPLORED, "", "Algorithm 1", data=("weight",)),
        same("reward", replay.exploration_reward, source="Algorithm 1, line 8", statement="r_{k,h} = β_E‖φ‖",
            follows=(PSEUDO_CODE, "gram")),
        same("bonus", replay.bonus(EXPLORATION), source="Algorithm 1", statement="b_{k,h} = 2β_E‖φ‖",
            follows=(PSEUDO_CODE, "gram")),
        same("q-formula", replay.q_formula(EXPLORATION), source="Algorithm 1",
            statement="Q_{k,h} = r_{k,h} + ⟨w_h, φ⟩ + b_{k,h}, not cut",
            follows=(PSEUDO_CODE, "regression", "reward", "bonus", "width-target")),
        *weight_claims(EXPLORATION),
        same("plays-policy", play.plays_policy, source="Algorithm 1", statement="a_h = π_h(s_h)", follows=(PSEUDO_CODE,)),
        same("plans-every-episode", play.plans_every_episode, source="Algorithm 1", statement="one planning pass per episode",
            follows=(PSEUDO_CODE,)),
    )  # fmt: skip


def planning_claims() -> tuple[Claim, ...]:
    """The weights of the last episode, which planning is the first to use, and the lines of Algorithm 2."""
    same = partial(Claim, theorem=PLANNED, kind=Kind.IDENTITY, clause="REPLAY")
    return (
        *weight_claims(PLANNING, "last-", " in the last episode"),
        *least_squares_claims(PLANNING, PLANNED, "planning-", "Algorithm 2", data=("gram", "last-weight")),
        same("planning-bonus", replay.bonus(PLANNING), source="Algorithm 2", statement="b_h = β_P‖φ‖",
            follows=(PSEUDO_CODE, "planning-gram")),
        same("planning-q-formula", replay.q_formula(PLANNING), source="Algorithm 2",
            statement="Q_h = r_h + ⟨w_h, φ⟩ + b_h, not cut",
            follows=(PSEUDO_CODE, "planning-regression", "planning-bonus", "planning-width-target")),
    )  # fmt: skip


def radius_claims() -> tuple[Claim, ...]:
    """The published radii, against their formulas."""
    least = partial(
        Claim, theorem="Radii", kind=Kind.ALWAYS, clause="RADII", regimes=("published",), status=Status.CORRECTED
    )  # fmt: skip
    return (
        least(
            "exploration-radius",
            replay.radius(EXPLORATION, constants.exploration_radius),
            source="eq. (20)",
            statement="β_E is at least the right side of eq. (20) with B_E = 3β_E",
            why="printed with an open B_E on both sides: this is the least solution, and any larger β_E is that of a larger B_E",
            follows=(PSEUDO_CODE,),
        ),
        least(
            "planning-radius",
            replay.radius(PLANNING, constants.planning_radius),
            source="Theorem 4.2",
            statement="β_P is at least β_P1 + β_P2 with B_P = β_P",
            why="printed with an open B_P on both sides: this is the least solution, and any larger β_P is that of a larger B_P",
            follows=(PSEUDO_CODE,),
        ),
    )


def measurability_claims() -> tuple[Claim, ...]:
    """Definition A.1: what is known when."""
    claim = partial(Claim, theorem="Measurability", clause="MEAS", source="Definition A.1", kind=Kind.ALWAYS)
    return (
        claim("foresight", measurability.foresight, statement="π_k and all actions depend on what was seen before only",
            follows=(PSEUDO_CODE,)),
        claim("reward-free", measurability.without_what_is_revealed, source="section 3",
            statement="exploration does not depend on the rewards that are revealed after it", follows=(PSEUDO_CODE,)),
        claim("step-measurability", measurability.played_steps("spread", "variance", "weight", "enlarged"),
            statement="W, σ̃, σ̂ of step h of episode k do not depend on s_{h+1}^k", follows=(PSEUDO_CODE,)),
        claim("plans-before-start", measurability.planned_before_start, statement="Q_{k,h}, V_{k,h}, π_k do not depend on s_1^k",
            follows=(PSEUDO_CODE,)),
    )  # fmt: skip
