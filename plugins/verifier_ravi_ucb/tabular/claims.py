"""Claims of the tabular instantiation (§5.1)."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Kind, Status
from verifier.model.clause import Clause
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import widths
from verifier_properties.discounted import bonus_sums, transition_estimate
from verifier_ravi_ucb.shared import constants
from verifier_ravi_ucb.shared.claims import MODEL, assumption_claims, backup_claims, gap_claims, optimism_claims, planning_claims
from verifier_ravi_ucb.shared.clauses import SHARED_CLAUSES
from verifier_ravi_ucb.shared.stream_claims import WIDTH_KNOWN, explicit_regret_claims, regret_claims, stream_claims

THEOREM = "§5.1: tabular MDPs"


def _count_claims() -> tuple[Claim, ...]:
    """The counts, replayed."""
    claim = partial(Claim, theorem="The planning step, replayed", kind=Kind.IDENTITY)
    return (
        claim("visits", transition_estimate.visits, source="Algorithm 2", clause="EST",
            statement="N_k(x,a) = 1 + visits in epochs < k", follows=(PSEUDO_CODE,)),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    """Lemma 5.1."""
    claim = partial(Claim, theorem=THEOREM, source="Lemma 5.1", clause="5.1", regimes=("published",))
    return (
        claim("width", widths.width_formula(constants.TABULAR_BETA, define={"L": constants.log_term}),
            statement="β = 8H√(X log(XAT/δ))", kind=Kind.IDENTITY, follows=(PSEUDO_CODE,)),
        claim(
            "confidence",
            transition_estimate.validity(discounted=True),
            statement="γ|PV_k − P̂_kV_k| ≤ β/√N_k for all k, x, a",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            horizon=Horizon(
                lambda public, scale, T: scale * constants.tabular_beta(public, T) / (1.0 + T) ** 0.5,
                lambda public, scale, T: public.gamma * public.H,
                unit="T",
            ),
            follows=("estimate", "bonus", "width", "target", "value-range", *MODEL),
        ),
    )  # fmt: skip


def _sum_claims() -> tuple[Claim, ...]:
    """Lemma 5.2."""
    claim = partial(Claim, theorem=THEOREM, source="Lemma 5.2", clause="5.2", status=Status.CORRECTED)
    return (
        claim("bonus-sum", bonus_sums.visit_sum, statement="Σ_{t≤T⁺} 1/√N_k(X_t,A_t) ≤ (1+√2)√(XA(T⁺+XA)) + (2+√2)XA max_k L_k",
            kind=Kind.ALWAYS, why="printed as O(√(XAT)), which fails for large H: counts are frozen for a whole epoch",
            follows=("visits",)),
        claim(
            "bonus-sum-expectation",
            bonus_sums.expected_sum(
                lambda public, width: constants.tabular_bonus_sum(public, public.T, width), lambda public: 1.0
            ),
            statement="E Σ_{t≤T⁺} CB_t ≤ β[(1+√2)√(XA(T+γH+XA)) + (2+√2)XA·H(2+log T)]",
            kind=Kind.EXPECTATION,
            why="printed as O(β√(XAT))",
            regimes=WIDTH_KNOWN,
            follows=("bonus", "bonus-sum", "longest-epoch"),
        ),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims(),
    *planning_claims(("visits",), transition_estimate.estimate, transition_estimate.bonus_formula),
    *_count_claims(),
    *backup_claims(),
    *_confidence_claims(),
    *optimism_claims(),
    *gap_claims(),
    *stream_claims(),
    *regret_claims(lambda public: 1.0),
    *_sum_claims(),
    *explicit_regret_claims(constants.regret_bound_tabular, THEOREM, "§5.1", "XH√(AT) + H²√(T log A)"),
)
CLAUSES = (
    *SHARED_CLAUSES,
    Clause("5.1", "Lemma 5.1", "validity of the tabular bonus with probability 1 − δ"),
    Clause("5.2", "Lemma 5.2", "the sum of tabular bonuses"),
)
