"""The claims of UCBlvd with unknown rewards (Theorem 3), one per checkable clause of the paper."""

from __future__ import annotations

import math
from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.base.arrays import Array
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import least_squares, widths
from verifier_properties.episodes import potential, regret
from verifier_properties.lifelong import confidence, replay, switching
from verifier_properties.lifelong import regret as lifelong_regret
from verifier_settings.lifelong import Public, Run
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.claims import (
    COMPLETE,
    EVENT_COMPLETE,
    LINEAR_MDP,
    OF_PSI,
    REPLAYED,
    UNPRINTED,
    completeness_claims,
    confidence_claims,
    formula_claims,
    kernel_claims,
    kronecker_claims,
    norm_claims,
    policy_claims,
    regression_claims,
    target_claims,
)
from verifier_ucblvd.shared.clauses import DISTILLED, KRONECKER
from verifier_ucblvd.shared.distillation_claims import (
    PHI_BONUS,
    distilled_optimism_claims,
    misspecified_claims,
    program_claims,
    twice_L,
)
from verifier_ucblvd.shared.theorem_claims import planning_claims, potential_claims, regret_claims, stale_claims

_PHI_SLACK = regret.phi_slack(twice_L)


def _slack(view: Run) -> Array:
    return _PHI_SLACK(view) + lifelong_regret.reward_slack(view)


def _noise(public: Public, width: float, k: Array | float, K: float) -> Array:
    return constants.noise_bound_rewards(public, width, k, K, multiplier=twice_L(public), contexts=public.n)


def _reward_claims() -> tuple[Claim, ...]:
    """The regression of the rewards, and its confidence set, which rests on no chance."""
    claim = partial(Claim, theorem="Eq. (31): reward estimate", clause="C32")
    return (
        Claim("psi-gram", least_squares.gram_matrix(least_squares.of_psi, ("psi_gram",)), source="eq. (29)", theorem=REPLAYED,
            clause="C1", statement="Λ̃_h = λI + Σ_{t<k} ψ_t ψ_tᵀ", follows=(PSEUDO_CODE,), kind=Kind.IDENTITY),
        Claim("reward-regression", replay.reward_regression, source="eq. (29)", theorem=REPLAYED, clause="C2",
            statement="η̂_h = Λ̃_h⁻¹ Σ_{t<k} ψ_t r_t", follows=(PSEUDO_CODE, "psi-gram"), kind=Kind.IDENTITY),
        claim("reward-width", widths.width_formula("sqrt(ridge * dp)", confidence.REWARD_WIDTH), source="Theorem 3",
            statement="β̃ = √(λmd)", follows=(PSEUDO_CODE,), kind=Kind.IDENTITY, regimes=("published",)),
        claim("reward-confidence", confidence.reward_confidence, source="eq. (31)", statement="‖η̂_h − η_h‖_Λ̃ ≤ √(λmd) = β̃",
            follows=("reward-error", "reward-regression", "psi-gram"), kind=Kind.ALWAYS, assumes=LINEAR_MDP),
        claim("reward-error", confidence.reward_error_identity, source="eq. (31)", statement="η̂_h − η_h = −λ Λ̃_h⁻¹ η_h",
            follows=("reward-regression", "psi-gram"), kind=Kind.IDENTITY, status=Status.OURS, assumes=LINEAR_MDP,
            why="rewards come without noise"),
    )  # fmt: skip


def _printed_regret_claims() -> tuple[Claim, ...]:
    """The bound of Theorem 3 with the factors that are printed."""
    bound = constants.printed_regret_bound_unknown_rewards
    return (
        Claim("regret-printed", regret.regret_bound(bound), source="Theorem 3", theorem="Theorem 3: regret", clause="C27",
            statement="R_K ≤ 2H√(T log(dT/δ)) + 4H√K (Lβ√(2d log(1+K/λ)) + β̃√(2md log(1+K/λ)))",
            follows=("pathwise-regret", "confidence-event", "martingale-sum", "sum-of-bonuses", "psi-sum-of-bonuses"),
            kind=Kind.PROBABILITY, status=Status.OURS, failure_probability=2.0, regimes=("published",), assumes=COMPLETE,
            why=f"{UNPRINTED}; with the printed factors, which its proof does not give",
            horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K)),
    )  # fmt: skip


CLAIMS = (
    *kernel_claims(),
    *norm_claims(),
    *completeness_claims("Assumption 4", phi=True, psi=True),
    *kronecker_claims(),
    *regression_claims(),
    *target_claims(),
    *formula_claims(replay.estimated_reward_q, source="eq. (28)",
        uses=("gram", "psi-gram", "reward-regression", "norm-constraint"),
        statement="Q_h = [⟨η̂_h + ξ̂_h, ψ⟩ + 2Lβ‖φ‖_{Λ_h⁻¹} + β̃‖ψ‖_{Λ̃_h⁻¹}]⁺"),
    *policy_claims(),
    *confidence_claims(lemma="Lemma 9", noise_lemma="Lemma 8", theorem="Theorem 3", statement="β = cHmd√(log(mdT/δ)), c = 5",
        contexts="all representatives", width=constants.beta_psi, formula=OF_PSI,
        noise=_noise, cover=("norm-constraint", "reward-confidence")),
    *program_claims("eq. (30)", "Lemma 10", values="eqs. (21), (22)", complete=COMPLETE),
    *distilled_optimism_claims(
        "eq. (30)",
        "Lemma 10",
        "Lemma 11",
        bonus=PHI_BONUS,
        complete=COMPLETE,
        width=constants.beta_psi,
        rewards=("reward-confidence",),
    ),
    *misspecified_claims(
        constants.regret_bound_unknown_rewards,
        sums=("sum-of-bonuses", "psi-sum-of-bonuses"),
        rewards=("reward-confidence",),
    ),
    *potential_claims("Theorem 3: regret", math.e),
    *potential_claims("Theorem 3: regret", math.e, potential.PSI, prefix="psi-"),
    *stale_claims("Theorem 3"),
    *stale_claims("Theorem 3", potential.PSI, prefix="psi-"),
    *regret_claims(
        "Theorem 3",
        recursion="eq. (37)",
        clause="C27",
        statement="R_K ≤ 2H√(T log(dT/δ)) + √e·H√K (4Lβ√(2d log(1+K/λ)) + 2β̃√(2md log(1+K/λ)))",
        bound=constants.regret_bound_unknown_rewards,
        slack=_slack,
        assumes=COMPLETE,
        event=EVENT_COMPLETE + ", and the reward estimate is within its width",
        validity="distillation-error",
        sums=("sum-of-bonuses", "psi-sum-of-bonuses"),
        rewards=("reward-confidence",),
        why=f"{UNPRINTED}; printed with 4H√K(Lβ… + β̃…): "
        "the proof gives √e for stale matrices in both terms, the printed factor is neither "
        "proved there nor refuted",
    ),
    *_printed_regret_claims(),
    *planning_claims(
        "Theorem 3",
        switching.of_both,
        lambda public: (public.d, public.dp),
        "dH log(1 + K/(dλ)) + mdH log(1 + K/(mdλ))",
        grams=("gram", "psi-gram"),
        traces=("determinant-trace", "psi-determinant-trace"),
    ),
    *_reward_claims(),
)  # fmt: skip
CLAUSES = (
    *DISTILLED,
    *KRONECKER,
    Clause("C27", "Theorem 3", "regret"),
    Clause("C32", "eq. (31)", "error of the reward estimate"),
)
