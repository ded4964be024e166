"""Claims of the algorithms that distil (Algorithms 2, 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.base.arrays import Array
from verifier.model.horizon import Horizon
from verifier_properties.lifelong import distillation, optimism, replay
from verifier_properties.lifelong import regret as lifelong_regret
from verifier_settings.lifelong import Public
from verifier_ucblvd.shared import constants
from verifier_ucblvd.shared.claims import COMPLETE, EVENT, EVENT_COMPLETE, LINEAR_MDP, formula_claims
from verifier_ucblvd.shared.theorem_claims import gain


def twice_L(public: Public) -> float:
    """2 L, what beta is multiplied by in eq. (7)."""
    return 2.0 * public.L


def distilled_noise(public: Public, width: float, k: Array | float, K: float) -> Array:
    """Lemma 6: the noise of the regressions of Algorithms 2 and 4."""
    return constants.noise_bound(public, width, k, K, multiplier=twice_L(public), contexts=public.n)


PHI_BONUS = replay.phi_bonus(twice_L)
"""2 L beta ||phi||."""


def distilled_formula_claims() -> tuple[Claim, ...]:
    """Eq. (7), of Algorithms 2 and 4."""
    return formula_claims(replay.distilled_q, source="eq. (7)", uses=("gram", "norm-constraint"),
        statement="Q_h = [r_h + ⟨ξ̂_h, ψ⟩ + 2Lβ‖φ‖_{Λ_h⁻¹}]⁺, Λ_h of the plan in force")  # fmt: skip


def program_claims(
    program: str, lemma: str, *, values: str, complete: tuple[str, ...], kronecker: bool = True
) -> tuple[Claim, ...]:
    """The program that distils: feasibility, its value, and what its solution combines.

    Parameters
    ----------
    program, lemma : str
        Where the program and the error of the distillation stand.
    values : str
        Where it is shown that the value is 0.
    complete : tuple of str
        Names of all assumptions of the theorem.
    kronecker : bool
        Whether rho exists.
    """
    claim = partial(Claim, theorem=f"{program.capitalize()}, {lemma}: distillation")
    return (
        claim("ball-constraint", distillation.ball_constraint, source=program, clause="C7",
            statement="‖θ^(j) − θ̂_h(w^(j))‖_Λ ≤ β", follows=(PSEUDO_CODE, "gram", "regression"), kind=Kind.ALWAYS),
        claim("norm-constraint", distillation.norm_constraint, source=program, clause="C7", statement="‖ξ̂_h‖ ≤ H√d′",
            follows=(PSEUDO_CODE,), kind=Kind.ALWAYS),
        claim("program-value", distillation.zero_value, source=values, clause="C8",
            statement="⟨θ^(j), φ(s,a)⟩ = ⟨ξ̂_h, ψ(s,a,w^(j))⟩ for all s, a, j",
            follows=(PSEUDO_CODE, "ball-constraint", "norm-constraint"), kind=Kind.GIVEN, given=EVENT_COMPLETE, assumes=complete),
        *(_kronecker_claims(claim) if kronecker else ()),
        claim("backup-combination", distillation.backup_combination, source="eq. (23)", clause="C9",
            statement="P_h V(·,w) = Σ_j c_j P_h V(·,w^(j)) for every w that is no representative",
            follows=("q-formula", "value-range"), kind=Kind.ALWAYS, assumes=complete),
    )  # fmt: skip


def _kronecker_claims(claim: Callable[..., Claim]) -> tuple[Claim, ...]:
    return (
        claim("program-value-any", distillation.zero_value_from_norm, source="eq. (8)", clause="C8'",
            statement="the same, whether or not Assumption 2 holds", follows=(PSEUDO_CODE, "regression", "norm-constraint"),
            kind=Kind.GIVEN, given="independent ρ(w^(j)) and ‖Θ̂R⁻¹‖ ≤ H√(md)", status=Status.OURS, assumes=("kronecker",),
            why="so a program value of zero is no evidence for Assumption 2"),
        claim(
            "distillation-error-half",
            optimism.bonus_validity(
                replay.distilled_mean,
                replay.phi_bonus(lambda public: public.L),
                optimism.honest_distillation,
                ("xi", "theta"),
                "|⟨ξ, ψ⟩ − P_h V_{h+1}| against Lβ‖φ‖.",
            ),
            source="Lemma 1",
            clause="C14'",
            statement="the bound of Lemma 1 with Lβ‖φ(s,a)‖ when θ^(j) = θ̂_h(w^(j))",
            follows=("program-value", "backup-combination", "regression"),
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE + ", and the minimiser keeps the estimates",
            status=Status.OURS,
            assumes=COMPLETE,
        ),
    )  # fmt: skip


def distilled_optimism_claims(
    program: str,
    lemma: str,
    optimism_lemma: str,
    *,
    bonus: replay.Term,
    complete: tuple[str, ...],
    width: Callable[[Public, float], float],
    rewards: tuple[str, ...] = (),
) -> tuple[Claim, ...]:
    """The bonus pays for the error of the distillation, and so the values are optimistic.

    Parameters
    ----------
    program, lemma, optimism_lemma : str
        Where the program, the error of the distillation and optimism stand.
    bonus : callable
        What is added to the distilled values.
    complete : tuple of str
        Names of all assumptions of the theorem.
    width : callable
        (public, K) to the published width.
    rewards : tuple of str
        What the proof uses of the estimate of the rewards, where they are not known.
    """
    distil = partial(Claim, theorem=f"{program.capitalize()}, {lemma}: distillation")
    horizon = gain(twice_L, width)
    return (
        distil(
            "distillation-error",
            optimism.bonus_validity(
                replay.distilled_mean,
                bonus,
                optimism.event_and_completeness,
                ("xi", "theta"),
                "|⟨ξ, ψ⟩ − P_h V_{h+1}| against the bonus the algorithm adds.",
            ),
            source=lemma,
            clause="C14",
            statement="|⟨ξ̂_h, ψ(s,a,w)⟩ − P_h V_{h+1}(s,a,w)| ≤ 2Lβ‖φ(s,a)‖ for all s, a, w",
            follows=("program-value", "ball-constraint", "backup-combination", "q-formula"),
            kind=Kind.GIVEN,
            given=EVENT_COMPLETE,
            assumes=complete,
            horizon=horizon,
        ),
        Claim("optimism", optimism.optimism(optimism.event_and_completeness, ("xi", "theta")), source=optimism_lemma,
            theorem=f"{optimism_lemma}: optimism", clause="C15", statement="Q_h^k(s,a,w) ≥ Q*_h(s,a,w) for all s, a, h and all w",
            follows=("distillation-error", "q-formula", "value-function", *rewards), kind=Kind.GIVEN, given=EVENT_COMPLETE,
            assumes=complete, horizon=horizon),
    )  # fmt: skip


def misspecified_claims(
    bound: Callable[..., float], *, sums: tuple[str, ...] = ("sum-of-bonuses",), rewards: tuple[str, ...] = ()
) -> tuple[Claim, ...]:
    """Remark 4, with the realised completeness error of every plan as zeta: it applies where Assumption 2 fails, too.

    `sums` are the claims that bound the sums of bonuses, `rewards` is what the proof uses of the estimate of the rewards.
    """
    exact = "the program has value 0, and the least ξ of P_h V_{h+1} is within its norm bound"
    claim = partial(
        Claim,
        theorem="Lemmas 16, 17: misspecification",
        kind=Kind.GIVEN,
        status=Status.CORRECTED,
        given=f"{EVENT}, {exact}",
        assumes=LINEAR_MDP,
        why="printed with (2L + L_φ√(md))ζ; a program of value 0 needs (1+L)ζ, any other (1 + L + L·L_φ√(nd))ζ",
    )
    return (
        claim("misspecified-error", optimism.misspecified_error(replay.distilled_mean, PHI_BONUS), source="Lemma 16",
            clause="C30'", statement="|⟨ξ̂_h, ψ⟩ − P_h V_{h+1}| ≤ (1+L)ζ_h + 2Lβ‖φ‖, ζ_h the realised completeness error",
            follows=("ball-constraint", "norm-constraint", "gram", "regression")),
        claim("misspecified-optimism", optimism.misspecified_optimism, source="Lemma 17", clause="C30''",
            statement="Q_h + (1+L) Σ_{i≥h} ζ_i ≥ Q*_h for all s, a, w",
            follows=("misspecified-error", "q-formula", "value-function", *rewards)),
        Claim(
            "misspecified-regret",
            lifelong_regret.misspecified_regret_bound(bound),
            source="Theorem 6",
            theorem="Lemmas 16, 17: misspecification",
            clause="C30",
            statement="R_K ≤ 2(1+L) Σ_{k,h} ζ_h^k + the bound under Assumption 2",
            follows=(
                "misspecified-error",
                "misspecified-optimism",
                "confidence-event",
                "martingale-sum",
                *sums,
                "greedy",
                "plays-policy",
                *rewards,
            ),
            kind=Kind.PROBABILITY,
            status=Status.CORRECTED,
            failure_probability=2.0,
            regimes=("published",),
            given=f"{exact}, in every plan; a run where this fails counts as one where the bound holds",
            assumes=LINEAR_MDP,
            why="printed with (4L + 2L_φ√(md))HKζ; a program of value 0 needs 2(1+L) per step. The constant c of the bound under "
            "Assumption 2 is ours",
            horizon=Horizon(
                lambda public, scale, K: bound(public, K, scale),
                lambda public, scale, K: public.H * K,
            ),
        ),
    )  # fmt: skip
