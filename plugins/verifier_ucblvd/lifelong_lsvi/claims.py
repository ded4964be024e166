"""The claims of Lifelong-LSVI (Theorem 1), one per checkable clause of the paper."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.base.arrays import Array
from verifier_properties.episodes import play, regret
from verifier_properties.lifelong import optimism, replay
from verifier_settings.lifelong import Public
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.claims import (
    EVENT,
    LINEAR_MDP,
    OF_FEATURES,
    confidence_claims,
    formula_claims,
    kernel_claims,
    norm_claims,
    policy_claims,
    regression_claims,
    target_claims,
)
from verifier_ucblvd.shared.clauses import ALL, FIGURE_1A, LINEAR
from verifier_ucblvd.shared.theorem_claims import gain, optimism_claims, potential_claims, regret_claims


def _one(public: Public) -> float:
    return 1.0


def _noise(public: Public, width: float, k: Array | float, K: float) -> Array:
    return constants.noise_bound(public, width, k, K, multiplier=0.0, contexts=public.W)


_BONUS = replay.phi_bonus(_one)


def _planning_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem="Planning calls", kind=Kind.IDENTITY, source="§3.2", clause="C38", follows=(PSEUDO_CODE,))
    return (same("planning-calls", play.plans_every_episode, statement="exactly K planning calls"),)


CLAIMS = (
    *kernel_claims(),
    *norm_claims(),
    *regression_claims(),
    *target_claims(),
    *formula_claims(replay.ridge_q, source="eq. (6)", statement="Q_h = [r_h + ⟨θ̂_h(w_k), φ⟩ + β‖φ‖_{Λ_h⁻¹}]⁺", uses=("gram",),
        status=Status.CORRECTED, why="printed without the positive part, which 0 ≤ V ≤ H (Lemmas 18, 19) needs off the event"),
    *policy_claims(),
    *confidence_claims(lemma="Lemma 3", noise_lemma="Lemma 2", theorem="Theorem 1",
        statement="β = cH(d + √d′)√(log(dd′T/δ)), c = 2.5", contexts="all contexts",
        width=constants.beta_features, formula=OF_FEATURES, noise=_noise),
    *optimism_claims(
        "Lemma 4",
        mean=replay.ridge_mean,
        bonus=_BONUS,
        premise=optimism.event,
        needs=(),
        estimate="|⟨θ̂_h(w_k), φ(s,a)⟩ − P_h V_{h+1}(s,a,w_k)| ≤ β‖φ(s,a)‖_{Λ_h⁻¹}",
        statement="Q_h^k(s,a,w_k) ≥ Q*_h(s,a,w_k) for all s, a, h",
        given=EVENT,
        assumes=LINEAR_MDP,
        horizon=gain(_one, constants.beta_features),
    ),
    *potential_claims("Theorem 1: regret", 1.0),
    *regret_claims("Theorem 1", recursion="eq. (13)", clause="C25", statement="R_K ≤ 2H√(T log(dT/δ)) + 2Hβ√(2dK log(1+K/λ))",
        bound=constants.regret_bound_lsvi, slack=regret.phi_slack(_one), assumes=LINEAR_MDP, event=EVENT,
        validity="bonus-validity"),
    *_planning_claims(),
)  # fmt: skip
CLAUSES = (
    *ALL,
    *LINEAR,
    Clause("C13", "Lemma 4", "bonus validity"),
    Clause("C25", "Theorem 1", "regret"),
    Clause("C38", "§3.2", "K planning calls"),
    FIGURE_1A,
)
