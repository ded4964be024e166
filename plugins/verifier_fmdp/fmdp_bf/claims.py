"""The claims of FMDP-BF."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier_fmdp.shared import constants
from verifier_fmdp.shared.clauses import LATER, SHARED, VARIANCE
from verifier_fmdp.shared.error_claims import confidence_claims, coverage_claims, optimism_claims, product_claims, variance_claims
from verifier_fmdp.shared.regret_claims import counting_claims, regret_claims
from verifier_fmdp.shared.replay_claims import (
    ASSUMED,
    REPLAYED,
    assumption_claims,
    bonus_claims,
    model_claims,
    play_claims,
    width_claims,
)
from verifier_properties.factored import confidence, decomposition, model, optimism, planning, regret

EVENT = "(13), (14) and (9) hold at the cells of x, with the widths in force"
COVERED = "(3) to (5) with the widths in force cover |R̂ − R| + |(P̂ − P)V*| at every known x"
SUMS = ("inverse-sum", "root-sum", "quarter-sum")
VARIANCES = ("return-variance", "variance-transfer")
BETWEEN = "lower_{h+1} ≤ V*_{h+1} ≤ V_{h+1} of the plan"


def moment_claims() -> tuple[Claim, ...]:
    """Variances and corrections of every plan, and its pessimistic values."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 3")
    return (
        same("reward-variance", model.reward_variance, clause="COUNT",
            statement="σ̂²_{R,i}(c): the empirical variance of the reward cell", follows=(PSEUDO_CODE, "reward-visits")),
        same("variance", model.variances, clause="MOMENTS",
            statement="σ̂²_i(V_{h+1}) = E_{1:i−1} Var_i E_{i+1:n} V_{h+1} under P̂", follows=(PSEUDO_CODE, "kernel")),
        same("variance-sum", model.variance_sum, clause="MOMENTS", statement="Σ_i σ̂²_i(V_{h+1}) = Var_P̂(V_{h+1})",
            source="Theorem 1", follows=("variance",)),
        same("correction", model.corrections, clause="MOMENTS",
            statement="u_i = E_{1:i} (E_{i+1:n}(V_{h+1} − lower_{h+1}))² under P̂", follows=(PSEUDO_CODE, "kernel")),
        same("correction-order", model.correction_order, clause="MOMENTS",
            statement="(E G)² ≤ u_1 ≤ … ≤ u_n = E G², G = V_{h+1} − lower_{h+1}", status=Status.OURS,
            why="Jensen's inequality, by a flat law", follows=("correction",)),
        same("lower-formula", planning.lower_formula, clause="Q",
            statement="lower_h(s) = max(0, R̂ − CB_h + P̂ lower_{h+1})(s, π_h(s)), 0 where that pair is unknown",
            status=Status.CORRECTED, why="the paper does not say what holds where the pair is unknown",
            follows=(PSEUDO_CODE, "known", "kernel", "rewards", "reward-bonus", "transition-bonus", "greedy")),
    )  # fmt: skip


def gap_claims() -> tuple[Claim, ...]:
    """Claims between the events and the bonus, and on the distance of the two sides."""
    claim = partial(Claim, theorem="Appendix F: the bonus", clause="GAP", assumes=ASSUMED)
    return (
        claim("product-coverage", optimism.product_error, source="Lemma F.1",
            statement="|(P̂ − P)V*| ≤ Σ_i [√(2σ_i²(V*)L/N_i) + 2HL/(3N_i)] + Σ_{i≠j} Hφ_iφ_j", kind=Kind.GIVEN, given=EVENT,
            follows=("kernel", "product-error")),
        claim("variance-error", decomposition.variance_error, source="Lemma F.6",
            statement="|σ̂²_i(V) − σ²_i(V)| ≤ 4H² Σ_j ‖P̂_j − P_j‖₁ for V = V_{h+1}", kind=Kind.ALWAYS,
            follows=("kernel", "variance", "product-distance")),
        claim(
            "deviation",
            optimism.deviation,
            source="Lemma F.7",
            statement="sd_i(V*) ≤ sd̂_i(V) + √u_i + √(4H² Σ_j ‖P̂_j − P_j‖₁)",
            kind=Kind.GIVEN,
            given=BETWEEN,
            status=Status.CORRECTED,
            why="σ_i²(V*) − 2σ̂_i²(V) ≤ u_i + … is false with the coefficient 1 of u_i; the seminorm form is what the bonus needs",
            follows=("variance", "correction", "variance-error"),
        ),
        claim("two-sided-gap", optimism.value_gap, source="Lemma F.17",
            statement="V_1 − lower_1 ≤ Σ_h E_w[2CB_h + H Σ_j ‖P̂_j − P_j‖₁], H where x is unknown", kind=Kind.ALWAYS,
            status=Status.CORRECTED,
            why="the printed radius √(2H²L/N_j) for H‖P̂_j − P_j‖₁ lacks |S_j|; the distance itself stands here",
            follows=("q-formula", "value-function", "lower-formula", "greedy")),
    )  # fmt: skip


def transfer_claims() -> tuple[Claim, ...]:
    """Lemma F.8."""
    claim = partial(
        Claim, source="Lemma F.8", theorem="Appendix F: regret", clause="TRANSFER8", kind=Kind.ALWAYS, assumes=ASSUMED
    )
    return (
        claim(
            "variance-transfer",
            regret.variance_gap,
            statement="Σ w Σ_i [σ_i²(V*) − σ_i²(V^π)] ≤ 2H²(V*_1 − V^π_1)",
            unbreakable="about the true values of any policy: Var f − Var g ≤ 2H E(f − g) for f ≥ g in [0, H]",
        ),
        claim("optimistic-variance-transfer", regret.optimistic_variance_gap,
            statement="Σ w Σ_i [σ_i²(V_{h+1}) − σ_i²(V^π_{h+1})] ≤ 2H Σ w |V − V^π|_{h+1}", status=Status.CORRECTED,
            why="the printed right side needs E_w(V_h − V^π_h) ≤ V_1 − V^π_1, which can fail after the clip at H",
            follows=("value-range",)),
    )  # fmt: skip


def pessimism_claims() -> tuple[Claim, ...]:
    """The lower side."""
    return (
        Claim("pessimism", optimism.pessimism(optimism.bernstein_covers), source="Lemmas F.10 to F.12",
            theorem="Lemmas F.10 to F.12: optimism", clause="OPT", statement="lower_{k,h}(s) ≤ V*_h(s) for all k, h, s",
            kind=Kind.GIVEN, given=f"{COVERED}, from step h on", assumes=ASSUMED,
            follows=("reward-coverage", "transition-coverage", "lower-formula")),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims(),
    *model_claims("Algorithm 3"),
    *width_claims(),
    *moment_claims(),
    *bonus_claims(
        "Algorithm 3, (3) to (5)",
        planning.bernstein_reward,
        "CB^R_i = √(2σ̂²_{R,i}L^R_i/N) + 8L^R_i/(3N)",
        planning.bernstein,
        "CB^P_i = √(4σ̂²_i(V_{h+1})L/N_i) + √(2u_iL/N_i) + η_i",
        planning.eta,
        moments=(("reward-variance",), ("variance", "correction")),
    ),
    *play_claims("Algorithms 1, 3"),
    *variance_claims(),
    *product_claims(),
    *confidence_claims(
        "Lemma D.2",
        confidence.reward_bernstein,
        confidence.value_bernstein,
        "(13) (14)",
        (
            "|R̂_i − R̄_i| ≤ √(2σ̂²_iL^R_i/N) + 8L^R_i/(3N) at all cells",
            "|(P̂_j − P_j) Π_{l≠j} P_l V*_h| ≤ √(2σ_j²(V*)L/N_j) + 2HL/(3N_j) at all x, h",
        ),
    ),
    *counting_claims(),
    *gap_claims(),
    *coverage_claims(
        "Lemma F.9",
        EVENT,
        optimism.bernstein_event,
        (optimism.bernstein_and_between, f"{EVENT}; {BETWEEN}", "lower"),
        uses=("product-coverage", "deviation"),
    ),
    *optimism_claims("Lemmas F.10 to F.12", COVERED, optimism.bernstein_covers, "lower"),
    *pessimism_claims(),
    *transfer_claims(),
    *regret_claims(
        "Theorems 2, 6",
        "R_K at most an explicit bound of the order √T",
        constants.regret_bernstein,
        uses=("two-sided-gap", "pessimism", "entry-confidence", "optimistic-variance-transfer", *SUMS, *VARIANCES),
    ),
)
CLAUSES = (
    *SHARED,
    VARIANCE,
    Clause("MOMENTS", "§4.2, Algorithm 3", "variances and corrections, factor by factor"),
    Clause("VISITS", "Lemmas F.2 to F.4", "visits and expected visits"),
    Clause("GAP", "Lemmas F.1, F.6, F.7, F.17", "what lies between the events and the bonus"),
    Clause("TRANSFER8", "Lemma F.8", "variances of V* and of V against those of V^pi"),
    *LATER,
)
