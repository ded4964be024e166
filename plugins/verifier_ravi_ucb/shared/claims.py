"""Claims of RAVI-UCB about plans, which do not depend on how transitions are estimated."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Property, Status
from verifier_properties.discounted import average_optimism, mirror_descent, mixture_model, transition_estimate
from verifier_ravi_ucb.shared import constants

EVENT = "eq. (2), γ|PV_k − P̂_kV_k| ≤ CB_k, held at all (x,a) in every epoch so far"
MODEL = ("transition-kernel", "reward-range")
SHARPER = "the paper's constant is larger than its proof needs"


def assumption_claims() -> tuple[Claim, ...]:
    """Assumptions of section 2 on the instance."""
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="setting")
    return (
        assume("transition-kernel", mixture_model.transition_kernel, source="§2", statement="P(·|x,a) is a probability"),
        assume("reward-range", mixture_model.reward_range, source="§2", statement="0 ≤ r(x,a) ≤ 1"),
        assume("uniform-start", mixture_model.uniform_start, source="Theorem 4.1", statement="π_0 is uniform",
            status=Status.CORRECTED, why="printed for any π_0; log|A| needs H(π*‖π_0) ≤ log|A|"),
    )  # fmt: skip


def planning_claims(statistics: tuple[str, ...], estimate: Property, bonus: Property) -> tuple[Claim, ...]:
    """The planning step, replayed: exponential weights and backups, with the formulas of an estimate and its bonus.

    `statistics` are the lines these are made from.
    """
    same = partial(Claim, theorem="The planning step, replayed", kind=Kind.IDENTITY)
    return (
        same("initial-values", mirror_descent.initial_values, source="Algorithm 1", clause="INIT", statement="V_1 = 0",
            follows=(PSEUDO_CODE, "log-sum-exp")),
        same("initial-policy", mirror_descent.initial_policy, source="Algorithm 1", clause="INIT", statement="π_1 = π_0",
            follows=(PSEUDO_CODE, "policy-update")),
        same("learning-rate", mirror_descent.learning_rate(constants.ETA), source="Theorem 4.1", clause="ETA",
            statement="η = √(2 log|A| / (H²T)); any η > 0 if |A| = 1", follows=(PSEUDO_CODE,)),
        same("log-sum-exp", mirror_descent.log_sum_exp, source="Algorithm 1", clause="C1",
            statement="V_k = (1/η) log Σ_a π_{k−1} exp(ηQ_k), k ≥ 2", follows=(PSEUDO_CODE,)),
        same("normalised-policy", mirror_descent.normalised_policy, source="Algorithm 1", clause="C1",
            statement="Σ_a π_k(a|x) = 1", follows=("log-sum-exp", "policy-update", "initial-policy")),
        same("policy-update", mirror_descent.policy_update, source="Lemma C.1", clause="C1",
            statement="π_k = π_{k−1} exp(η(Q_k − V_k)), k ≥ 2", follows=(PSEUDO_CODE, "log-sum-exp")),
        same("regularised-value", mirror_descent.regularised_value, source="Lemma C.1", clause="C1",
            statement="V_k = ⟨π_k, Q_k⟩ − KL(π_k‖π_{k−1})/η",
            follows=("log-sum-exp", "policy-update", "initial-values", "initial-policy")),
        Claim("variational-value", mirror_descent.variational_value, source="Lemma C.1", theorem="The planning step, replayed",
            clause="C1", statement="V_k ≥ ⟨p, Q_k⟩ − KL(p‖π_{k−1})/η for deterministic and uniform p", kind=Kind.ALWAYS,
            follows=("log-sum-exp", "initial-policy")),
        same("accumulated-value", mirror_descent.accumulated_value, source="Lemma C.1", clause="C1",
            statement="Σ_{i≤k} V_i = (1/η) log Σ_a π_0 exp(η Σ_{i≤k} Q_i)",
            follows=("log-sum-exp", "policy-update", "initial-values", "initial-policy", "learning-rate")),
        same("backup", average_optimism.backup_formula, source="Algorithm 1", clause="Q",
            statement="Q_{k+1} = Π_H[r + CB_k + γ P̂_kV_k]", follows=(PSEUDO_CODE, "estimate", "bonus")),
        same("target", transition_estimate.target, source="Algorithm 1", clause="Q", statement="CB_k is the bonus for V_k",
            follows=(PSEUDO_CODE,)),
        same("estimate", estimate, source="§5", clause="EST", statement="P̂_kV_k from the data of epochs < k",
            follows=(PSEUDO_CODE, *statistics)),
        same("bonus", bonus, source="§5", clause="BON", statement="CB_k = β times its norm",
            follows=(PSEUDO_CODE, "target", *statistics)),
    )  # fmt: skip


def backup_claims() -> tuple[Claim, ...]:
    """Ranges, eq. (2) where the bonus is made for it, and Lemma 4.2."""
    claim = partial(Claim, theorem="Lemma 4.2: optimistic backups")
    return (
        claim("value-range", average_optimism.value_range, source="§3", clause="R", statement="0 ≤ V_k ≤ H", kind=Kind.ALWAYS,
            follows=("log-sum-exp", "initial-values", "action-value-range", "normalised-policy")),
        claim("action-value-range", average_optimism.action_value_range, source="§3", clause="R", statement="0 ≤ Q_k ≤ H",
            kind=Kind.ALWAYS, follows=("backup",)),
        claim("validity", transition_estimate.validity(discounted=True), source="eq. (2)", clause="EQ2",
            statement="γ|PV_k − P̂_kV_k| ≤ CB_k where the width is the realised error", kind=Kind.ALWAYS, regimes=("oracle",),
            follows=("estimate", "bonus")),
        claim("backup-from-below", average_optimism.backup_from_below, source="Lemma 4.2", clause="4.2",
            statement="r + γPV_k ≤ Q_{k+1}", kind=Kind.GIVEN, given="γ(PV_k − P̂_kV_k) ≤ CB_k at this (x,a)",
            follows=("backup", "value-range", *MODEL)),
        claim("backup-from-above", average_optimism.backup_from_above(sharp=False), source="Lemma 4.2", clause="4.2",
            statement="Q_{k+1} ≤ r + 2CB_k + γPV_k", kind=Kind.GIVEN, given="γ(P̂_kV_k − PV_k) ≤ CB_k at this (x,a)",
            follows=("backup", "value-range", *MODEL)),
        claim("backup-from-above-sharp", average_optimism.backup_from_above(sharp=True), source="Lemma 4.2", clause="4.2",
            statement="Q_{k+1} ≤ r + min(2CB_k, H) + γPV_k", kind=Kind.GIVEN, given="γ(P̂_kV_k − PV_k) ≤ CB_k at this (x,a)",
            status=Status.OURS, why="what exceeds H is clipped", follows=("backup", "value-range", *MODEL)),
    )  # fmt: skip


def optimism_claims() -> tuple[Claim, ...]:
    """Equations (4) to (7): optimism on average, and what it costs."""
    claim = partial(Claim, theorem="Eqs. (4)-(7): optimism on average")
    always = partial(claim, kind=Kind.ALWAYS)
    return (
        claim("optimism-identity", average_optimism.optimism_identity, source="eq. (4)", clause="EQ4",
            statement="⟨μ*,r⟩ − (1−γ)⟨ν_0,V_k⟩ = ⟨μ*, r + γPV_k⟩ − ⟨ν*,V_k⟩", kind=Kind.IDENTITY,
            unbreakable="it is the flow equation of μ*, ν* = (1−γ)ν_0 + γP⊤μ*, multiplied by V_k: true of any V_k"),
        claim("average-optimism", average_optimism.average_optimism, source="eq. (5)", clause="EQ5",
            statement="Σ_{k≤K} [⟨μ*,r⟩ − (1−γ)⟨ν_0,V_k⟩] ≤ H(π*‖π_0)/η + ⟨ν*,V_{K+1}⟩ for every K", kind=Kind.GIVEN,
            given="no backup so far was below r + γPV_k where π* goes",
            follows=("optimism-identity", "backup-from-below", "accumulated-value", "initial-values", "learning-rate")),
        claim(
            "deviation",
            average_optimism.deviation,
            source="eq. (6)",
            clause="EQ6",
            statement="(1−γ)⟨ν_0,V_k⟩ − ⟨μ^k,r⟩ ≤ ⟨ν^k,V_k⟩ − ⟨ν^{k+1},V_{k+1}⟩ + ⟨μ^{k+1}−μ^k,Q_{k+1}⟩ "
            "− H(π_{k+1}‖π_k)/η + 2⟨μ^k,CB_k⟩",
            kind=Kind.GIVEN,
            given="no backup of this epoch exceeds r + 2CB_k + γPV_k",
            unbreakable="with V_{k+1} and π_{k+1} one exact planning step of the harness from any plan, right minus left is "
            "⟨μ^k, r + 2CB_k + γPV_k − Q_{k+1}⟩, which the premise makes positive",
            follows=("backup-from-above", "regularised-value", "policy-update"),
        ),
        claim("total-deviation", average_optimism.total_deviation, source="eq. (7)", clause="EQ7",
            statement="Σ_{k≤K} [(1−γ)⟨ν_0,V_k⟩ − ⟨μ^k,r⟩] ≤ KηH³/2 − ⟨ν^{K+1},V_{K+1}⟩ + 2Σ⟨μ^k,CB_k⟩ for every K",
            kind=Kind.GIVEN, given="no backup so far exceeded r + 2CB_k + γPV_k",
            follows=("deviation", "stability", "initial-values")),
        always("change-of-policy", mirror_descent.change_of_policy(2.0), source="proof of Lemma 4.3", clause="PIN",
            statement="⟨μ^{k+1}−μ^k, Q_{k+1}⟩ ≤ H√(2 KL(μ^{k+1}‖μ^k))", follows=("action-value-range",)),
        always("change-of-policy-sharp", mirror_descent.change_of_policy(0.5), source="proof of Lemma 4.3", clause="PIN",
            statement="⟨μ^{k+1}−μ^k, Q_{k+1}⟩ ≤ H√(KL(μ^{k+1}‖μ^k)/2)", status=Status.OURS, why=SHARPER,
            follows=("action-value-range",)),
        always("occupancy-entropy", mirror_descent.occupancy_entropy, source="Lemma A.1", clause="A1",
            statement="KL(μ^{k+1}‖μ^k) ≤ H · H(π_{k+1}‖π_k)",
            unbreakable="by the chain rule and the data processing of the relative entropy it holds for any two policies"),
        always("stability", mirror_descent.stability(0.5), source="proof of Lemma 4.3", clause="STAB",
            statement="⟨μ^{k+1}−μ^k, Q_{k+1}⟩ − H(π_{k+1}‖π_k)/η ≤ ηH³/2", follows=("change-of-policy", "occupancy-entropy")),
        always("stability-sharp", mirror_descent.stability(0.125), source="proof of Lemma 4.3", clause="STAB",
            statement="⟨μ^{k+1}−μ^k, Q_{k+1}⟩ − H(π_{k+1}‖π_k)/η ≤ ηH³/8", status=Status.OURS, why=SHARPER,
            follows=("change-of-policy-sharp", "occupancy-entropy")),
    )  # fmt: skip


def gap_claims() -> tuple[Claim, ...]:
    """Lemma 4.3 and its sharper forms, on every path and for every prefix of the run."""
    claim = partial(Claim, theorem="Lemma 4.3: gaps of all epochs", clause="4.3", source="Lemma 4.3", kind=Kind.GIVEN)
    return (
        claim("gap-sum", average_optimism.gap_sum("gap-sum", "played_bonus", 2.0, 2.0, 0.5, "invalid"),
            statement="Σ_{k≤K} ⟨μ*−μ^k,r⟩ ≤ 2Σ⟨μ^k,CB_k⟩ + 2H + H(π*‖π_0)/η + KηH³/2 for every K", given=EVENT,
            follows=("average-optimism", "total-deviation")),
        claim("gap-sum-sharp", average_optimism.gap_sum("gap-sum-sharp", "played_bonus", 2.0, 1.0, 0.125, "invalid"),
            statement="Σ_{k≤K} ⟨μ*−μ^k,r⟩ ≤ 2Σ⟨μ^k,CB_k⟩ + H + H(π*‖π_0)/η + KηH³/8 for every K", given=EVENT, status=Status.OURS,
            why=SHARPER, follows=("average-optimism", "deviation", "stability-sharp", "initial-values")),
        claim("gap-sum-by-residuals",
            average_optimism.gap_sum("gap-sum-by-residuals", "residual", 1.0, 1.0, 0.125, "pessimistic_on_optimal"),
            statement="Σ_{k≤K} ⟨μ*−μ^k,r⟩ ≤ Σ⟨μ^k, Q_{k+1}−r−γPV_k⟩ + H + H(π*‖π_0)/η + KηH³/8 for every K",
            given="no backup so far was below r + γPV_k where π* goes", status=Status.OURS,
            why="with the realised residual in place of 2CB_k, the tightest certificate the proof gives",
            follows=("average-optimism", "regularised-value", "policy-update", "stability-sharp", "initial-values")),
    )  # fmt: skip
