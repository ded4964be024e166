"""The claims of Lifelong-LSVI with computation sharing (Theorem 5), one per checkable clause of the paper."""

from __future__ import annotations

import math
from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import least_squares
from verifier_properties.episodes import potential
from verifier_properties.lifelong import assumptions, confidence, optimism, replay, switching
from verifier_properties.lifelong import regret as lifelong_regret
from verifier_settings.lifelong import Public
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.claims import (
    ASSUMPTIONS,
    OF_PSI,
    REPLAYED,
    UNPRINTED,
    formula_claims,
    kernel_claims,
    policy_claims,
    target_claims,
    width_formula,
)
from verifier_ucblvd.shared.clauses import ALL, RARE
from verifier_ucblvd.shared.theorem_claims import (
    gain,
    optimism_claims,
    planning_claims,
    potential_claims,
    regret_claims,
    stale_claims,
)

SHARING = ("transition-kernel", "reward-range", "linear-rewards", "reward-norms", "completeness")
EVENT_PSI = "ν̂_h is within the width of ν_h at this plan and step, and Assumption 6 holds for this V_{h+1}"


def _assumption_claims() -> tuple[Claim, ...]:
    """Assumptions 6 and 7."""
    residual, norm = assumptions.completeness_of(phi=False, psi=True)
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION)
    return (
        assume("reward-norms", assumptions.reward_norms, source="Assumption 7", clause="A7", statement="‖ψ‖ ≤ 1, ‖η_h‖ ≤ √d′"),
        assume("completeness", residual, source="Assumption 6", clause="A6",
            statement="P_h f(·,w)(s,a) = ⟨ν, ψ(s,a,w)⟩ for all f in F"),
        assume("completeness-norm", norm, source="Assumption 6", clause="A6", statement="‖ν‖ ≤ H√d′ for all f in F"),
    )  # fmt: skip


def _regression_claims() -> tuple[Claim, ...]:
    """The regression on psi against the harness's own."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        same("psi-gram", least_squares.gram_matrix(least_squares.of_psi, ("psi_gram",)), source="eq. (49)", clause="C1",
            statement="Λ̃_h = λI + Σ_{t<k} ψ_t ψ_tᵀ"),
        same("psi-regression", replay.psi_regression, source="eq. (49)", clause="C2",
            statement="ν̂_h = Λ̃_h⁻¹ Σ_{t<k} ψ_t V_{h+1}(s′_t, w_t)", follows=(PSEUDO_CODE, "psi-gram", "value-function")),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    """Lemmas 13 and 14."""
    every = partial(Claim, theorem="Lemmas 14, 13: confidence")
    claim = partial(every, clause="C10", regimes=("published",))
    return (
        claim("width", width_formula(*OF_PSI), source="Theorem 5",
            statement="β = cd′H√(log(d′T/δ)), c = 5", follows=(PSEUDO_CODE,), kind=Kind.IDENTITY, status=Status.OURS,
            why=UNPRINTED),
        claim("confidence-event", confidence.psi_confidence_event, source="Lemma 14",
            statement="‖ν_h − ν̂_h‖_Λ̃ ≤ β at every plan and step", follows=("error-decomposition", "noise-event", "width"),
            kind=Kind.PROBABILITY, status=Status.OURS, failure_probability=1.0, assumes=SHARING,
            why=f"{UNPRINTED}, for λ ≥ 1 under the root",
            horizon=Horizon(lambda public, scale, K: scale * constants.beta_psi(public, K), _largest_psi_error)),
        every(
            "noise-event",
            confidence.psi_noise_event(
                lambda public, k: constants.noise_bound_psi(public, constants.beta_psi(public, public.K), k, public.K)
            ),
            source="Lemma 13",
            clause="C11s",
            statement="‖Σ ψ_t [V(s′_t,w_t) − P_h V(s_t,a_t,w_t)]‖_{Λ̃⁻¹} ≤ its bound with all constants",
            follows=("psi-gram", "psi-regression", "q-formula", "value-range", "width"),
            kind=Kind.PROBABILITY,
            status=Status.CORRECTED,
            failure_probability=1.0,
            regimes=("published",),
            assumes=SHARING,
            why="printed with an unnamed constant, for one (h, k); here the union over steps is in the bound",
        ),
        every("error-decomposition", confidence.psi_error_decomposition, source="Lemma 14, proof", clause="C12",
            statement="‖ν̂ − ν‖_Λ̃ ≤ H√(λd′) + ‖Σ ψ_t [V − P V]‖_{Λ̃⁻¹}", follows=("psi-gram", "psi-regression", "value-range"),
            kind=Kind.GIVEN, given="Assumption 6 holds for this V_{h+1}", assumes=SHARING),
    )  # fmt: skip


def _largest_psi_error(public: Public, scale: float, K: float) -> float:
    return public.H * (math.sqrt(public.ridge * public.dp) + math.sqrt(K))


CLAIMS = (
    *kernel_claims(),
    *_assumption_claims(),
    *_regression_claims(),
    *formula_claims(replay.psi_q, source="eq. (48)", uses=("psi-gram", "psi-regression"),
        statement="Q_h = [r_h + ⟨ν̂_h, ψ⟩ + β‖ψ‖_{Λ̃_h⁻¹}]⁺, Λ̃_h of the plan in force"),
    *target_claims(),
    *policy_claims(),
    *_confidence_claims(),
    *optimism_claims(
        "Lemma 15",
        mean=replay.psi_mean,
        bonus=replay.psi_bonus,
        premise=optimism.event_and_completeness,
        needs=("psi_estimate",),
        estimate="|⟨ν̂_h, ψ(s,a,w)⟩ − P_h V_{h+1}(s,a,w)| ≤ β‖ψ(s,a,w)‖_{Λ̃_h⁻¹}",
        statement="Q_h^k(s,a,w) ≥ Q*_h(s,a,w) for all s, a, w, h",
        given=EVENT_PSI,
        assumes=SHARING,
        horizon=gain(lambda public: 1.0, constants.beta_psi),
        regression="psi-regression",
    ),
    *potential_claims("Theorem 5: regret", math.e, potential.PSI, norms="reward-norms"),
    *stale_claims("Theorem 5", potential.PSI, norms="reward-norms"),
    *regret_claims("Theorem 5", recursion="eq. (55)", clause="C29", statement="R_K ≤ 2H√(T log(d′T/δ)) + 4Hβ√(2d′K log(1+K/λ))",
        bound=constants.regret_bound_sharing, slack=lifelong_regret.psi_slack, assumes=SHARING, event=EVENT_PSI,
        validity="bonus-validity", features=potential.PSI,
        why=f"{UNPRINTED}; printed with log K where the proof gives log(1 + K/λ)"),
    *planning_claims(
        "Theorem 5",
        switching.of_psi,
        lambda public: (public.dp,),
        "d′H log(1 + K/(d′λ))",
        assumes=("reward-norms",),
        grams=("psi-gram",),
    ),
)  # fmt: skip
CLAUSES = (
    *ALL,
    *RARE,
    Clause("A1", "Assumption 6", "kernel and rewards"),
    Clause("A6", "Assumption 6", "completeness"),
    Clause("A7", "Assumption 7", "norms"),
    Clause("C13", "Lemma 15", "bonus validity"),
    Clause("C11s", "Lemma 13", "self-normalised noise"),
    Clause("C12", "Lemma 14", "bias and noise"),
    Clause("C20", "Theorem 5", "stale bonus"),
    Clause("C29", "Theorem 5", "regret"),
)
