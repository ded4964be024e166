"""Claims about the instance, about what the algorithm computes, and about its confidence sets."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Property, Status
from verifier.base.arrays import Array
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import least_squares, widths
from verifier_properties.episodes import play
from verifier_properties.lifelong import assumptions, confidence, norms, replay
from verifier_settings.lifelong import Public

ASSUMPTIONS = "Assumptions"
REPLAYED = "The algorithm, replayed"
LINEAR_MDP = ("transition-kernel", "reward-range", "linear-rewards", "feature-norms", "parameter-norms")
COMPLETE = (*LINEAR_MDP, "completeness", "span", "kronecker")
UNPRINTED = "printed with an unnamed constant c; this one covers all constants of the proof"
EVENT = "the estimates of the targets are within the width at this plan and step"
EVENT_COMPLETE = EVENT + ", and Assumption 2 holds for this V_{h+1}"


_ADDED = "5/2 * H * (d + sqrt(dp))"
OF_FEATURES, OF_KRONECKER, OF_PSI = (_ADDED, "d * dp"), (_ADDED, "dp"), ("5 * H * dp", "dp")
"""Widths of Theorems 1 and 4, of 2, and of 3 and 5: what stands before the root, and beside T in its logarithm."""


def width_formula(factor: str, dimensions: str) -> Property:
    """The width handed out: its factor times √(λ log(dimensions T/δ)), λ where it is above 1 and the logarithm where that is."""
    inside = f"max(ridge, 1) * max(log({dimensions} * T / delta), 1)"
    return widths.width_formula(f"{factor} * sqrt({inside})")


def kernel_claims() -> tuple[Claim, ...]:
    """Assumption 1, without its norms."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="A1", source="Assumption 1")
    return (
        assume("transition-kernel", assumptions.transition_kernel, statement="P_h(·|s,a) = ⟨φ(s,a), μ_h(·)⟩ is a probability"),
        assume("reward-range", assumptions.reward_range, statement="0 ≤ r_h(s,a,w) ≤ 1"),
        assume("linear-rewards", assumptions.linear_rewards, statement="r_h(s,a,w) = ⟨η_h, ψ(s,a,w)⟩"),
    )


def norm_claims() -> tuple[Claim, ...]:
    """The norms of Assumption 1."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="A1", source="Assumption 1")
    return (
        assume("feature-norms", assumptions.feature_norms, statement="‖φ‖ ≤ 1, ‖ψ‖ ≤ 1"),
        assume(
            "parameter-norms",
            assumptions.parameter_norms,
            statement="‖η_h‖ ≤ √d′, ‖|μ_h|(S)‖ ≤ √d",
            status=Status.CORRECTED,
            why="printed pointwise as ‖μ_h(s)‖ ≤ √d; Lemma 18 needs the total mass",
        ),
    )


def completeness_claims(source: str, *, phi: bool, psi: bool) -> tuple[Claim, ...]:
    """Assumption 2 (or 4), whose class F has a bonus on phi, on psi, or both."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION)
    residual, norm = assumptions.completeness_of(phi=phi, psi=psi)
    return (
        assume("completeness", residual, source=source, clause="A2",
            statement="P_h f(·,w)(s,a) = ⟨ξ, ψ(s,a,w)⟩ for all f in F, probed at 48 of them and not shown for all"),
        assume("completeness-norm", norm, source=source, clause="A2",
            statement="‖ξ‖ ≤ H√d′ for all f in F, probed at 48 of them and not shown for all"),
        assume("realisable", assumptions.realisable, source="§4.1", clause="A2q", statement="Q*_h is linear in ψ"),
    )  # fmt: skip


def kronecker_claims() -> tuple[Claim, ...]:
    """Assumption 3."""
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, source="Assumption 3", clause="A3")
    return (
        assume(
            "span",
            assumptions.span,
            statement="ρ(w) = Σ_j c_j(w) ρ(w^(j)), L = max_w Σ_j |c_j(w)|",
            why="read with absolute values, which the proof of Lemma 1 needs",
        ),
        assume("kronecker", assumptions.kronecker, statement="ψ = φ ⊗ ρ, n ≤ m"),
    )


def regression_claims() -> tuple[Claim, ...]:
    """The regression on phi against the harness's own."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        same("gram", least_squares.gram_matrix(), source="eq. (5)", clause="C1", statement="Λ_h = λI + Σ_{t<k} φ_t φ_tᵀ"),
        same("regression", replay.regression, source="eq. (5)", clause="C2",
            statement="θ̂_h(w) = Λ_h⁻¹ Σ_{t<k} φ_t V_{h+1}(s′_t, w)", follows=(PSEUDO_CODE, "gram", "value-function")),
    )  # fmt: skip


def target_claims() -> tuple[Claim, ...]:
    """Claims on the target of the regression."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        same("value-function", replay.value_function, source="eq. (5)", clause="C2",
            statement="V_{h+1} in the regression is min(max_a Q_{h+1}, H)"),
    )  # fmt: skip


def formula_claims(
    formula: Property,
    *,
    source: str,
    statement: str,
    uses: tuple[str, ...],
    status: Status = Status.PRINTED,
    why: str = "",
) -> tuple[Claim, ...]:
    """The optimistic action values against a formula of what is reported and of the harness's bonus; `uses` are other lines."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    lines = (PSEUDO_CODE, *uses)
    return (same("q-formula", formula, source=source, clause="C3", statement=statement, status=status, why=why, follows=lines),)


def policy_claims() -> tuple[Claim, ...]:
    """Values in range, and greedy play."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        Claim("value-range", replay.value_range, source="§3.1", theorem=REPLAYED, clause="C3", statement="0 ≤ V_h(s,w) ≤ H",
            follows=("value-function",), kind=Kind.ALWAYS),
        same("greedy", replay.greedy_policy, source="Line 8/11", clause="C4", statement="π(s,w) = argmax_a Q_h(s,a,w)"),
        same("plays-policy", play.plays_policy, source="Line 8/11", clause="C4", statement="a_h^k = π_k(s_h^k, w_k)"),
    )  # fmt: skip


def confidence_claims(
    *,
    lemma: str,
    noise_lemma: str,
    theorem: str,
    statement: str,
    contexts: str,
    width: Callable[[Public, float], float],
    formula: tuple[str, str],
    noise: Callable[[Public, float, Array, float], Array],
    cover: tuple[str, ...] = (),
) -> tuple[Claim, ...]:
    """Norms, the confidence event and its noise.

    Parameters
    ----------
    lemma, noise_lemma : str
        Where the event and its noise stand.
    theorem, statement : str
        Where the width stands, and what it is.
    contexts : str
        For which contexts the estimates are compared, in words.
    width : callable
        (public, K) to the published width.
    formula : (str, str)
        The same, as `width_formula` takes it.
    noise : callable
        (public, width, episodes seen, K) to the explicit noise bound.
    cover : tuple of str
        What bounds the other parameters of the values that are covered.
    """
    claim = partial(Claim, theorem=f"Lemmas {lemma.split()[1]}, {noise_lemma.split()[1]}: confidence")
    return (
        claim("parameter-norm", norms.parameter_norm, source="Lemma 18", clause="C5", statement="‖θ_h(w)‖ ≤ H√d",
            follows=("value-range",), kind=Kind.ALWAYS, status=Status.CORRECTED, assumes=LINEAR_MDP,
            why="printed for any values and for ‖μ_h(s)‖ ≤ √d; it needs 0 ≤ V ≤ H and the total mass ‖|μ_h|(S)‖ ≤ √d"),
        claim("estimate-norm", norms.estimate_norm, source=f"{noise_lemma} (used)", clause="C6",
            statement="‖θ̂_h(w)‖ ≤ H√(d(k−1)/λ)", follows=("gram", "regression", "value-range"), kind=Kind.ALWAYS,
            status=Status.OURS, assumes=LINEAR_MDP, why="the covers of the appendix bound ‖θ‖ ≤ H√d where θ̂ enters"),
        claim("width", width_formula(*formula), source=theorem, clause="C10",
            statement=statement, kind=Kind.IDENTITY, status=Status.OURS, regimes=("published",), why=UNPRINTED,
            follows=(PSEUDO_CODE,)),
        claim(
            "confidence-event",
            confidence.confidence_event,
            source=lemma,
            clause="C10",
            statement="‖θ_h(w) − θ̂_h(w)‖_Λ ≤ β at every plan and step",
            follows=("error-decomposition", "noise-event", "width"),
            kind=Kind.PROBABILITY,
            status=Status.OURS,
            failure_probability=1.0,
            regimes=("published",),
            assumes=LINEAR_MDP,
            why=f"{UNPRINTED}; printed for one fixed w, here for {contexts} at once, with λ ≥ 1 under the root",
            horizon=Horizon(
                lambda public, scale, K: scale * width(public, K),
                lambda public, scale, K: public.H * (math.sqrt(public.ridge * public.d) + math.sqrt(K)),
            ),
        ),
        claim(
            "noise-event",
            confidence.noise_event(lambda public, k: noise(public, width(public, public.K), k, public.K)),
            source=noise_lemma,
            clause="C11",
            statement="‖Σ φ_t [V(s′_t,w) − P_h V(s_t,a_t,w)]‖_{Λ⁻¹} ≤ its bound with all constants",
            follows=("gram", "q-formula", "value-range", "estimate-norm", "width", *cover),
            kind=Kind.PROBABILITY,
            status=Status.CORRECTED,
            failure_probability=1.0,
            regimes=("published",),
            assumes=LINEAR_MDP,
            why="printed with an unnamed constant, for one w and one (h, k); here the union over steps and contexts "
            "is in the bound",
        ),
        claim("error-decomposition", confidence.error_decomposition, source=f"{lemma}, proof", clause="C12",
            statement="‖θ̂ − θ‖_Λ ≤ H√(λd) + ‖Σ φ_t [V − P V]‖_{Λ⁻¹}", follows=("gram", "regression", "parameter-norm"),
            kind=Kind.ALWAYS, assumes=LINEAR_MDP),
    )  # fmt: skip
