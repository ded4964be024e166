"""Claims of the linear-mixture instantiation (§5.2)."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.clause import Clause
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import least_squares, widths
from verifier_properties.discounted import bonus_sums, mixture_model, transition_estimate
from verifier_ravi_ucb.shared import constants
from verifier_ravi_ucb.shared.claims import assumption_claims, backup_claims, gap_claims, optimism_claims, planning_claims
from verifier_ravi_ucb.shared.clauses import SHARED_CLAUSES
from verifier_ravi_ucb.shared.stream_claims import WIDTH_KNOWN, explicit_regret_claims, regret_claims, stream_claims
from verifier_settings.discounted import Public

THEOREM = "Lemma 5.4: confidence of the regression"
SUMS = "Lemma 5.5, appendix A: sums of bonuses"
MIXTURE = ("linear-mixture", "parameter-norm", "feature-norm")


def _largest_norm(public: Public) -> float:
    """||phi|| in the norm of Lambda^{-1} is at most B H / sqrt(lambda)."""
    return public.B * public.H / float(public.ridge**0.5)


def _mixture_claims() -> tuple[Claim, ...]:
    """Assumption 5.3."""
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="A5.3", source="Assumption 5.3")
    return (
        assume("linear-mixture", mixture_model.linear_mixture, statement="P(x'|x,a) = ⟨θ, ψ(x,a,x')⟩"),
        assume("parameter-norm", mixture_model.parameter_norm, statement="‖θ‖ ≤ B"),
        assume("feature-norm", mixture_model.feature_norm, statement="‖Σ_x' ψ(x,a,x')V(x')‖ ≤ BH for all V in [0,H]^X"),
    )


def _regression_claims() -> tuple[Claim, ...]:
    """The regression replayed, and what its confidence set rests on."""
    same = partial(Claim, theorem="The planning step, replayed", kind=Kind.IDENTITY, clause="EST")
    claim = partial(Claim, theorem=THEOREM)
    return (
        same("gram", least_squares.gram_matrix(needs=("gram",)), source="Algorithm 3", statement="Λ_k = λI + Σ φ_tφ_tᵀ",
            follows=(PSEUDO_CODE,)),
        same("regression", transition_estimate.regression, source="Algorithm 3", statement="θ_k = Λ_k⁻¹ Σ φ_t V_i(x_{t+1})",
            follows=(PSEUDO_CODE, "gram")),
        claim("feature-bound", transition_estimate.feature_norm, source="Assumption 5.3", clause="A5.3",
            statement="‖φ_k(x,a)‖ ≤ BH", kind=Kind.ALWAYS, assumes=MIXTURE, follows=("value-range",)),
        claim("width", widths.width_formula(constants.MIXTURE_BETA, define={"growth": constants.growth}), source="Lemma 5.4",
            clause="5.4", statement="β = H√(2((d/2)log(1+TB²H²/(λd)) + log(1/δ))) + √λB", kind=Kind.IDENTITY,
            regimes=("published",), follows=(PSEUDO_CODE,)),
        claim(
            "confidence",
            transition_estimate.validity(discounted=False),
            source="Lemma 5.4",
            clause="5.4",
            statement="|PV_k − P̂_kV_k| ≤ β‖φ_k‖_{Λ_k⁻¹} for all k, x, a",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=MIXTURE,
            horizon=Horizon(
                lambda public, scale, T: scale * constants.mixture_beta(public, T) / (public.ridge + T) ** 0.5,
                lambda public, scale, T: public.H,
                unit="T",
            ),
            follows=("estimate", "estimate-decomposition", "noise-event", "bias", "width", "bonus", "target"),
        ),
        claim("estimate-decomposition", transition_estimate.estimate_decomposition, source="Lemma 5.4", clause="5.4",
            statement="θ_k − θ = Λ_k⁻¹(Σ φ_t noise_t − λθ)", kind=Kind.IDENTITY, assumes=MIXTURE, follows=("regression",)),
        claim("noise-event", transition_estimate.noise_event("H"), source="Theorem C.2", clause="C.2",
            statement="‖Σ φ_t noise_t‖_{Λ_k⁻¹} ≤ H√(2 log(√det Λ_k / (δ√(λ^d))))", kind=Kind.PROBABILITY, failure_probability=1.0,
            regimes=("published",), assumes=MIXTURE, follows=("gram", "value-range", "successors")),
        claim("noise-event-sharp", transition_estimate.noise_event("H / 2"), source="Theorem C.2", clause="C.2",
            statement="‖Σ φ_t noise_t‖_{Λ_k⁻¹} ≤ (H/2)√(2 log(√det Λ_k / (δ√(λ^d))))", kind=Kind.PROBABILITY,
            failure_probability=1.0, regimes=("published",), assumes=MIXTURE, status=Status.OURS,
            why="values in [0, H] are H/2-sub-Gaussian", follows=("gram", "value-range", "successors")),
        claim("bias", transition_estimate.bias, source="Lemma 5.4", clause="5.4", statement="λ‖θ‖_{Λ_k⁻¹} ≤ √λ B",
            kind=Kind.ALWAYS, assumes=MIXTURE, follows=("gram",)),
    )  # fmt: skip


def _sum_claims() -> tuple[Claim, ...]:
    """The potential of a regression frozen for an epoch, and the sum of bonuses."""
    claim = partial(Claim, theorem=SUMS, assumes=MIXTURE)
    return (
        claim("potential", bonus_sums.frozen_potential, source="Lemma A.2", clause="A2",
            statement="Σ_{k≤K} (1/L_k) Σ_t log(1 + L_k‖φ_{k,t}‖²_{Λ_k⁻¹}) ≤ log(det Λ_{K+1}/λ^d) for every K", kind=Kind.ALWAYS,
            follows=("gram",)),
        claim("determinant-trace", least_squares.determinant_trace(needs=("gram",)), source="Lemma A.2", clause="A2",
            statement="log det Λ_k ≤ d log(λ + (T_k−1)B²H²/d)", kind=Kind.ALWAYS, follows=("gram", "feature-bound")),
        claim("bad-epochs", bonus_sums.bad_epochs, source="Lemma A.3", clause="A3",
            statement="#{k ≤ K: some ‖φ_{k,t}‖_{Λ_k⁻¹} ≥ 1} ≤ (d/log 2) log(1 + B²H²T_{K+1}/(λd)) for every K", kind=Kind.ALWAYS,
            follows=("gram", "determinant-trace")),
        claim(
            "bonus-sum-expectation",
            bonus_sums.expected_sum(lambda public, width: constants.mixture_bonus_sum(public, public.T, width), _largest_norm),
            source="Lemma 5.5",
            clause="5.5",
            statement="E Σ_{t≤T⁺} CB_t ≤ C_1 + √(T+γH) C_2",
            kind=Kind.EXPECTATION,
            status=Status.CORRECTED,
            why="printed with T where sums run to T⁺; the proof takes the length of an epoch for independent of what is in it",
            regimes=WIDTH_KNOWN,
            follows=("bonus", "potential", "determinant-trace", "bad-epochs", "longest-epoch", "length-factor"),
        ),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims(),
    *_mixture_claims(),
    *planning_claims(("gram", "regression"), transition_estimate.estimate_of_mixture, transition_estimate.bonus_of_mixture),
    *_regression_claims(),
    *backup_claims(),
    *optimism_claims(),
    *gap_claims(),
    *stream_claims(),
    *regret_claims(_largest_norm),
    *_sum_claims(),
    *explicit_regret_claims(
        constants.regret_bound_mixture, "Theorem 5.6: regret", "Theorem 5.6", "√((d²H³ + B²dH + H⁴ log A) T)"
    ),
)

CLAUSES = (
    *SHARED_CLAUSES,
    Clause("A5.3", "Assumption 5.3", "linear mixture with bounded parameter and features"),
    Clause("5.4", "Lemma 5.4", "validity of the bonus with probability 1 − δ"),
    Clause("C.2", "Theorem C.2", "self-normalised concentration"),
    Clause("A2", "Lemma A.2", "potential with a matrix frozen for an epoch"),
    Clause("A3", "Lemma A.3", "epochs with a large feature"),
    Clause("5.5", "Lemma 5.5", "the sum of bonuses"),
)
