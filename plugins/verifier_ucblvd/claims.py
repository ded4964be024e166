"""The claims of Lifelong-LSVI (Theorem 1) and UCBlvd (Theorem 2), one per checkable clause of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from verifier import Claim, Kind, Status
from verifier.settings.lifelong import Public
from verifier_properties.episodes import regret
from verifier_properties.lifelong import distillation, optimism, potential, replay, switching
from verifier_ucblvd import constants
from verifier_ucblvd.shared_claims import (
    COMPLETE,
    EVENT,
    EVENT_COMPLETE,
    LINEAR_MDP,
    REPLAYED,
    Confidence,
    completeness_claims,
    confidence_claims,
    kronecker_claims,
    linear_mdp_claims,
    replay_claims,
)
from verifier_ucblvd.theorem_claims import (
    Optimism,
    Regret,
    gain,
    misspecified_claims,
    optimism_claims,
    planning_claims,
    potential_claims,
    regret_claims,
)


def _one(public: Public) -> float:
    return 1.0


def _L(public: Public) -> float:
    return public.L


def twice_L(public: Public) -> float:
    """2 L, what beta is multiplied by in eq. (7)."""
    return 2.0 * public.L


def lifelong_lsvi_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 1."""
    bonus = replay.phi_bonus(_one)
    formula = Claim(
        "q-formula",
        replay.q_formula(replay.ridge_mean, bonus, (), "Q = [r + ⟨θ̂, φ⟩ + β‖φ‖]⁺"),
        source="eq. (6)",
        theorem=REPLAYED,
        clause="C3",
        statement="Q_h = [r_h + ⟨θ̂_h(w_k), φ⟩ + β‖φ‖_{Λ_h⁻¹}]⁺",
        kind=Kind.IDENTITY,
        status=Status.CORRECTED,
        why="printed without the positive part, which 0 ≤ V ≤ H (Lemmas 18, 19) needs off the event",
    )
    setup = Confidence(
        lemma="Lemma 3",
        noise_lemma="Lemma 2",
        theorem_of_width="Theorem 1",
        width_statement="β = cH(d + √d′)√(log(dd′T/δ)), c = 2.5",
        width=lambda public, K: constants.beta_at(public, public.d * public.dp, K),
        noise=partial(_noise, multiplier=0.0, contexts=lambda public: public.W),
    )
    return (
        *linear_mdp_claims(),
        *replay_claims(formula),
        *confidence_claims(setup),
        *optimism_claims(
            Optimism(
                lemma="Lemma 4",
                mean=replay.ridge_mean,
                bonus=bonus,
                premise=optimism.event,
                needs=(),
                estimate="|⟨θ̂_h(w_k), φ(s,a)⟩ − P_h V_{h+1}(s,a,w_k)| ≤ β‖φ(s,a)‖_{Λ_h⁻¹}",
                statement="Q_h^k(s,a,w_k) ≥ Q*_h(s,a,w_k) for all s, a, h",
                given=EVENT,
                assumes=LINEAR_MDP,
                horizon=gain(_one, setup.width),
            )
        ),
        *potential_claims("Theorem 1: regret", 1.0),
        *regret_claims(
            Regret(
                source="Theorem 1",
                recursion="eq. (13)",
                clause="C25",
                statement="R_K ≤ 2H√(T log(dT/δ)) + 2Hβ√(2dK log(1+K/λ))",
                bound=constants.regret_bound_lsvi,
                slack=regret.phi_slack(_one),
                assumes=LINEAR_MDP,
                event=EVENT,
            )
        ),
        Claim(
            "planning-calls",
            switching.plans_every_episode,
            source="§3.2",
            theorem="Planning calls",
            clause="C38",
            statement="exactly K planning calls",
            kind=Kind.IDENTITY,
        ),
    )


def _noise(public: Public, width: float, k: float, K: float, *, multiplier: float, contexts: Callable[[Public], int]) -> float:
    """The explicit noise bound; `multiplier` times L enters the class, 0 selects the class of Lifelong-LSVI."""
    return constants.noise_bound(public, width, k, K, multiplier=multiplier * public.L, contexts=contexts(public))


@dataclass(frozen=True)
class Distilling:
    """What differs between the algorithms that distil (Algorithms 2, 3 and 4).

    Parameters
    ----------
    theorem : str
        Where the regret bound stands.
    program, lemma, optimism_lemma : str
        Where the program, the error of the distillation and optimism stand.
    formula : Claim
        The action values.
    reward : callable
        The reward term of the action values.
    bonus : callable
        All of the bonus.
    confidence : Confidence
    regret : Regret
    structure : tuple of Claim
        The assumptions that replace or follow Assumption 2.
    complete : tuple of str
        Names of all assumptions of the theorem.
    log_dets : callable
        What the trigger watches.
    dimensions : callable
        The dimensions of the bound on planning calls.
    calls : str
        That bound, without ``log``'s argument spelt out differently for K-1.
    kronecker : bool
        Whether rho exists.
    class_bonuses : (bool, bool)
        Whether the class F of the completeness assumption has a bonus on phi, on psi.
    completeness_source : str
        Which assumption that is.
    extra : tuple of Claim
    """

    theorem: str
    program: str
    lemma: str
    optimism_lemma: str
    formula: Claim
    reward: replay.Term
    bonus: replay.Term
    confidence: Confidence
    regret: Regret
    structure: tuple[Claim, ...]
    complete: tuple[str, ...]
    log_dets: switching.LogDets
    dimensions: Callable[[Public], tuple[int, ...]]
    calls: str
    kronecker: bool = True
    class_bonuses: tuple[bool, bool] = (True, False)
    completeness_source: str = "Assumption 2"
    extra: tuple[Claim, ...] = ()


def distilled_formula() -> Claim:
    """Eq. (7), of Algorithms 2 and 4."""
    return Claim(
        "q-formula",
        replay.q_formula(replay.distilled_mean, replay.phi_bonus(twice_L), ("xi",), "Q = [r + ⟨ξ, ψ⟩ + 2Lβ‖φ‖]⁺"),
        source="eq. (7)",
        theorem=REPLAYED,
        clause="C3",
        statement="Q_h = [r_h + ⟨ξ̂_h, ψ⟩ + 2Lβ‖φ‖_{Λ_h⁻¹}]⁺, Λ_h of the plan in force",
        kind=Kind.IDENTITY,
    )


def ucblvd_claims() -> tuple[Claim, ...]:
    """The claims of Algorithm 2."""
    return distilling_claims(
        Distilling(
            theorem="Theorem 2",
            program="eq. (8)",
            lemma="Lemma 1",
            optimism_lemma="Lemma 7",
            formula=distilled_formula(),
            reward=replay.known_reward,
            bonus=replay.phi_bonus(twice_L),
            confidence=Confidence(
                lemma="Lemma 5",
                noise_lemma="Lemma 6",
                theorem_of_width="Theorem 2",
                width_statement="β = cH(d + √(md))√(log(mdT/δ)), c = 2.5",
                width=lambda public, K: constants.beta_at(public, public.dp, K),
                noise=partial(_noise, multiplier=2.0, contexts=lambda public: public.n),
            ),
            regret=Regret(
                source="Theorem 2",
                recursion="eq. (25)",
                clause="C26",
                statement="R_K ≤ 2H√(T log(dT/δ)) + 8HLβ√(2dK log(1+K/λ))",
                bound=constants.regret_bound_ucblvd,
                slack=regret.phi_slack(twice_L),
                assumes=COMPLETE,
                event=EVENT_COMPLETE,
            ),
            structure=kronecker_claims(),
            complete=COMPLETE,
            log_dets=switching.of_phi,
            dimensions=lambda public: (public.d,),
            calls="dH log(1 + K/(dλ))",
        )
    )


def distilling_claims(a: Distilling) -> tuple[Claim, ...]:
    """The claims of an algorithm that distils."""
    mean = replay.distilled_mean
    distil = partial(Claim, theorem=f"{a.program.capitalize()}, {a.lemma}: distillation")
    calls = partial(Claim, theorem=f"{a.theorem}: planning calls")
    horizon = gain(twice_L, a.confidence.width)
    return (
        *linear_mdp_claims(),
        *completeness_claims(a.structure, a.class_bonuses, a.completeness_source),
        *replay_claims(a.formula),
        *confidence_claims(a.confidence),
        distil(
            "ball-constraint",
            distillation.ball_constraint,
            source=a.program,
            clause="C7",
            statement="‖θ^(j) − θ̂_h(w^(j))‖_Λ ≤ β",
            kind=Kind.ALWAYS,
        ),
        distil(
            "norm-constraint",
            distillation.norm_constraint,
            source=a.program,
            clause="C7",
            statement="‖ξ̂_h‖ ≤ H√d′",
            kind=Kind.ALWAYS,
        ),
        distil(
            "program-value",
            distillation.zero_value,
            source="eqs. (21), (22)" if a.kronecker else "eq. (42)",
            clause="C8",
            statement="⟨θ^(j), φ(s,a)⟩ = ⟨ξ̂_h, ψ(s,a,w^(j))⟩ for all s, a, j",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=a.complete,
        ),
        *(_kronecker_only(distil) if a.kronecker else ()),
        distil(
            "backup-combination",
            distillation.backup_combination,
            source="eq. (23)",
            clause="C9",
            statement="P_h V(·,w) = Σ_j c_j P_h V(·,w^(j)) for every w that is no representative",
            kind=Kind.ALWAYS,
            assumes=a.complete,
        ),
        distil(
            "distillation-error",
            optimism.bonus_validity(
                mean,
                optimism.added_bonus(mean, replay.phi_bonus(twice_L), a.reward)
                if a.reward is replay.known_reward
                else replay.phi_bonus(twice_L),
                optimism.event_and_completeness,
                ("xi", "theta"),
                "|⟨ξ, ψ⟩ − P_h V_{h+1}| against the bonus the algorithm adds.",
            ),
            source=a.lemma,
            clause="C14",
            statement="|⟨ξ̂_h, ψ(s,a,w)⟩ − P_h V_{h+1}(s,a,w)| ≤ 2Lβ‖φ(s,a)‖ for all s, a, w",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=a.complete,
            horizon=horizon,
        ),
        Claim(
            "optimism",
            optimism.optimism(optimism.event_and_completeness, ("xi", "theta")),
            source=a.optimism_lemma,
            theorem=f"{a.optimism_lemma}: optimism",
            clause="C15",
            statement="Q_h^k(s,a,w) ≥ Q*_h(s,a,w) for all s, a, h and all w",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=a.complete,
            horizon=horizon,
        ),
        *misspecified_claims(twice_L, a.regret.bound),
        *potential_claims(f"{a.theorem}: regret", math.e),
        Claim(
            "stale-bonus",
            potential.stale_norm(),
            source="eq. (27)",
            theorem=f"{a.theorem}: regret",
            clause="C20",
            statement="‖φ_h^k‖² under Λ of the plan in force ≤ e·‖φ_h^k‖² under Λ_h^k",
            kind=Kind.ALWAYS,
            assumes=("feature-norms",),
        ),
        *regret_claims(a.regret),
        *planning_claims(calls, a.theorem, a.log_dets, a.dimensions, a.calls),
        *a.extra,
    )


def _kronecker_only(distil: Callable[..., Claim]) -> tuple[Claim, ...]:
    return (
        distil(
            "program-value-any",
            distillation.zero_value_from_norm,
            source="eq. (8)",
            clause="C8'",
            statement="the same, whether or not Assumption 2 holds",
            kind=Kind.GIVEN,
            given="independent ρ(w^(j)) and ‖Θ̂R⁻¹‖ ≤ H√(md)",
            status=Status.OURS,
            assumes=("kronecker",),
            why="so a program value of zero is no evidence for Assumption 2",
        ),
        distil(
            "distillation-error-half",
            optimism.bonus_validity(
                replay.distilled_mean,
                replay.phi_bonus(_L),
                optimism.honest_distillation,
                ("xi", "theta"),
                "|⟨ξ, ψ⟩ − P_h V_{h+1}| against Lβ‖φ‖.",
            ),
            source="Lemma 1",
            clause="C14'",
            statement="the bound of Lemma 1 with Lβ‖φ(s,a)‖ when θ^(j) = θ̂_h(w^(j))",
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE + ", and the minimiser keeps the estimates",
            status=Status.OURS,
            assumes=COMPLETE,
        ),
    )
