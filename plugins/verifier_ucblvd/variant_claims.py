"""The claims of Algorithms 3, 4 and 5: what differs from Algorithm 2."""

from __future__ import annotations

import math
from functools import partial

from verifier import Claim, Kind, Status
from verifier.base.arrays import Array
from verifier.model.horizon import Horizon
from verifier.settings.lifelong import Phases, Public
from verifier_properties.any_setting import least_squares
from verifier_properties.episodes import regret
from verifier_properties.lifelong import assumptions, confidence, optimism, potential, replay, switching
from verifier_ucblvd import constants
from verifier_ucblvd.claims import Distilling, distilled_formula, distilling_claims, twice_L
from verifier_ucblvd.shared_claims import (
    ASSUMPTIONS,
    COMPLETE,
    EVENT_COMPLETE,
    LINEAR_MDP,
    REPLAYED,
    Confidence,
    kronecker_claims,
    linear_mdp_claims,
    replay_claims,
)
from verifier_ucblvd.theorem_claims import (
    Optimism,
    Regret,
    gain,
    optimism_claims,
    planning_claims,
    potential_claims,
    regret_claims,
)

SPAN = (*LINEAR_MDP, "completeness", "feature-span")


def modified_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 4 (Theorem 4)."""
    structure = Claim(
        "feature-span",
        assumptions.feature_span,
        source="Assumption 5",
        theorem=ASSUMPTIONS,
        clause="A5",
        statement="ψ(s,a,w) = Σ_j c_j(s,a,w) ψ(s,a,w^(j)), L = max Σ_j |c_j|, n ≤ d′",
        kind=Kind.ASSUMPTION,
        why="read with absolute values, which the proof of Lemma 12 needs",
    )
    return distilling_claims(
        Distilling(
            theorem="Theorem 4",
            program="eq. (39)",
            lemma="Lemma 12",
            optimism_lemma="Lemma 7",
            formula=distilled_formula(),
            reward=replay.known_reward,
            bonus=replay.phi_bonus(twice_L),
            confidence=Confidence(
                lemma="Lemma 5",
                noise_lemma="Lemma 6",
                theorem_of_width="Theorem 4",
                width_statement="β = cH(d + √d′)√(log(dd′T/δ)), c = 2.5",
                width=lambda public, K: constants.beta_at(public, public.d * public.dp, K),
                noise=lambda public, width, k, K: constants.noise_bound(
                    public, width, k, K, multiplier=twice_L(public), contexts=public.n
                ),
            ),
            regret=Regret(
                source="Theorem 4",
                recursion="eq. (25)",
                clause="C28",
                statement="R_K ≤ 2H√(T log(dT/δ)) + 8HLβ√(2dK log(1+K/λ))",
                bound=constants.regret_bound_modified,
                slack=regret.phi_slack(twice_L),
                assumes=SPAN,
                event=EVENT_COMPLETE,
                status=Status.OURS,
                why="printed with log K where the proof gives log(1 + K/λ)",
            ),
            structure=(structure,),
            complete=SPAN,
            log_dets=switching.of_phi,
            dimensions=lambda public: (public.d,),
            calls="dH log(1 + K/(dλ))",
            kronecker=False,
        )
    )


def unknown_rewards_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 3 (Theorem 3)."""

    def bonus(view: Phases) -> Array:
        return replay.phi_bonus(twice_L)(view) + replay.reward_bonus(view)

    formula = Claim(
        "q-formula",
        replay.q_formula(
            replay.distilled_mean,
            bonus,
            ("xi", "reward_estimate"),
            "Q = [⟨η̂ + ξ, ψ⟩ + 2Lβ‖φ‖ + β̃‖ψ‖]⁺",
            replay.estimated_reward,
        ),
        source="eq. (28)",
        theorem=REPLAYED,
        clause="C3",
        statement="Q_h = [⟨η̂_h + ξ̂_h, ψ⟩ + 2Lβ‖φ‖_{Λ_h⁻¹} + β̃‖ψ‖_{Λ̃_h⁻¹}]⁺",
        kind=Kind.IDENTITY,
    )
    slack = regret.phi_slack(twice_L)
    return distilling_claims(
        Distilling(
            theorem="Theorem 3",
            program="eq. (30)",
            lemma="Lemma 10",
            optimism_lemma="Lemma 11",
            formula=formula,
            reward=replay.estimated_reward,
            bonus=bonus,
            confidence=Confidence(
                lemma="Lemma 9",
                noise_lemma="Lemma 8",
                theorem_of_width="Theorem 3",
                width_statement="β = cHmd√(log(mdT/δ)), c = 5",
                width=constants.beta_unknown_rewards,
                noise=lambda public, width, k, K: constants.noise_bound_rewards(
                    public, width, k, K, multiplier=twice_L(public), contexts=public.n
                ),
            ),
            regret=Regret(
                source="Theorem 3",
                recursion="eq. (37)",
                clause="C27",
                statement="R_K ≤ 2H√(T log(dT/δ)) + √e·H√K (4Lβ√(2d log(1+K/λ)) + 2β̃√(2md log(1+K/λ)))",
                bound=constants.regret_bound_unknown_rewards,
                slack=lambda view: slack(view) + regret.reward_slack(view),
                assumes=COMPLETE,
                event=EVENT_COMPLETE + ", and the reward estimate is within its width",
                status=Status.OURS,
                why="printed with 4H√K(Lβ… + β̃…); the proof gives √e for stale matrices in both terms, the printed "
                "factor is neither "
                "proved there nor refuted",
            ),
            structure=kronecker_claims(),
            complete=COMPLETE,
            log_dets=switching.of_both,
            dimensions=lambda public: (public.d, public.dp),
            calls="dH log(1 + K/(dλ)) + mdH log(1 + K/(mdλ))",
            class_bonuses=(True, True),
            completeness_source="Assumption 4",
            extra=_reward_claims(),
        )
    )


def _reward_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="Eq. (31): reward estimate", clause="C32")
    return (
        Claim(
            "psi-gram",
            least_squares.gram_matrix(least_squares.of_psi, ("psi_gram",)),
            source="eq. (29)",
            theorem=REPLAYED,
            clause="C1",
            statement="Λ̃_h = λI + Σ_{t<k} ψ_t ψ_tᵀ",
            kind=Kind.IDENTITY,
        ),
        Claim(
            "reward-regression",
            replay.reward_regression,
            source="eq. (29)",
            theorem=REPLAYED,
            clause="C2",
            statement="η̂_h = Λ̃_h⁻¹ Σ_{t<k} ψ_t r_t",
            kind=Kind.IDENTITY,
        ),
        claim(
            "reward-width",
            confidence.width_formula(constants.reward_width, confidence.reward_width),
            source="Theorem 3",
            statement="β̃ = √(λmd)",
            kind=Kind.IDENTITY,
            regimes=("published",),
        ),
        claim(
            "reward-confidence",
            confidence.reward_confidence,
            source="eq. (31)",
            statement="‖η̂_h − η_h‖_Λ̃ ≤ √(λmd) = β̃",
            kind=Kind.ALWAYS,
            assumes=LINEAR_MDP,
        ),
        claim(
            "reward-error",
            confidence.reward_error_identity,
            source="eq. (31)",
            statement="η̂_h − η_h = −λ Λ̃_h⁻¹ η_h",
            kind=Kind.IDENTITY,
            status=Status.OURS,
            assumes=LINEAR_MDP,
            why="rewards come without noise",
        ),
    )


SHARING = ("transition-kernel", "reward-range", "linear-rewards", "reward-norms", "completeness")
EVENT_PSI = "ν̂_h is within the width of ν_h at this plan and step, and Assumption 6 holds for this V_{h+1}"


def sharing_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 5 (Theorem 5)."""
    formula = Claim(
        "q-formula",
        replay.q_formula(replay.psi_mean, replay.psi_bonus, ("psi_estimate",), "Q = [r + ⟨ν̂, ψ⟩ + β‖ψ‖]⁺"),
        source="eq. (48)",
        theorem=REPLAYED,
        clause="C3",
        statement="Q_h = [r_h + ⟨ν̂_h, ψ⟩ + β‖ψ‖_{Λ̃_h⁻¹}]⁺, Λ̃_h of the plan in force",
        kind=Kind.IDENTITY,
    )
    calls = partial(Claim, theorem="Theorem 5: planning calls")
    return (
        *_sharing_assumptions(),
        *_sharing_replay(formula),
        *_sharing_confidence(),
        *optimism_claims(
            Optimism(
                lemma="Lemma 15",
                mean=replay.psi_mean,
                bonus=replay.psi_bonus,
                premise=optimism.event_and_completeness,
                needs=("psi_estimate",),
                estimate="|⟨ν̂_h, ψ(s,a,w)⟩ − P_h V_{h+1}(s,a,w)| ≤ β‖ψ(s,a,w)‖_{Λ̃_h⁻¹}",
                statement="Q_h^k(s,a,w) ≥ Q*_h(s,a,w) for all s, a, w, h",
                given=EVENT_PSI,
                assumes=SHARING,
                horizon=gain(lambda public: 1.0, constants.beta_sharing),
            )
        ),
        *potential_claims("Theorem 5: regret", math.e, potential.PSI),
        *regret_claims(
            Regret(
                source="Theorem 5",
                recursion="eq. (55)",
                clause="C29",
                statement="R_K ≤ 2H√(T log(d′T/δ)) + 4Hβ√(2d′K log(1+K/λ))",
                bound=constants.regret_bound_sharing,
                slack=regret.psi_slack,
                assumes=SHARING,
                event=EVENT_PSI,
                status=Status.OURS,
                why="printed with log K where the proof gives log(1 + K/λ)",
            )
        ),
        *planning_claims(
            calls, "Theorem 5", switching.of_psi, lambda public: (public.dp,), "d′H log(1 + K/(d′λ))", ("reward-norms",)
        ),
    )


def _sharing_assumptions() -> tuple[Claim, ...]:
    residual, norm = assumptions.completeness_of(phi=False, psi=True)
    keep = {"transition-kernel", "reward-range", "linear-rewards"}
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION)
    return (
        *(claim for claim in linear_mdp_claims() if claim.name in keep),
        assume("reward-norms", assumptions.reward_norms, source="Assumption 7", clause="A7", statement="‖ψ‖ ≤ 1, ‖η_h‖ ≤ √d′"),
        assume(
            "completeness",
            residual,
            source="Assumption 6",
            clause="A6",
            statement="P_h f(·,w)(s,a) = ⟨ν, ψ(s,a,w)⟩ for all f in F",
        ),
        assume("completeness-norm", norm, source="Assumption 6", clause="A6", statement="‖ν‖ ≤ H√d′ for all f in F"),
    )


def _sharing_replay(formula: Claim) -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY)
    shared = {"value-function", "value-range", "greedy", "plays-policy"}
    return (
        same(
            "psi-gram",
            least_squares.gram_matrix(least_squares.of_psi, ("psi_gram",)),
            source="eq. (49)",
            clause="C1",
            statement="Λ̃_h = λI + Σ_{t<k} ψ_t ψ_tᵀ",
        ),
        same(
            "psi-regression",
            replay.psi_regression,
            source="eq. (49)",
            clause="C2",
            statement="ν̂_h = Λ̃_h⁻¹ Σ_{t<k} ψ_t V_{h+1}(s′_t, w_t)",
        ),
        formula,
        *(claim for claim in replay_claims(formula) if claim.name in shared),
    )


def _sharing_confidence() -> tuple[Claim, ...]:
    return (
        Claim(
            "width",
            confidence.width_formula(lambda public: constants.beta_sharing(public, public.K)),
            source="Theorem 5",
            theorem="Lemma 14: confidence",
            clause="C10",
            statement="β = cd′H√(log(d′T/δ)), c = 5",
            kind=Kind.IDENTITY,
            regimes=("published",),
        ),
        Claim(
            "confidence-event",
            confidence.psi_confidence_event,
            source="Lemma 14",
            theorem="Lemma 14: confidence",
            clause="C10",
            statement="‖ν_h − ν̂_h‖_Λ̃ ≤ β at every plan and step",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=SHARING,
            horizon=Horizon(
                lambda public, scale, K: scale * constants.beta_sharing(public, K),
                _largest_psi_error,
            ),
        ),
    )


def _largest_psi_error(public: Public, scale: float, K: float) -> float:
    return public.H * (math.sqrt(public.ridge * public.dp) + math.sqrt(K))
