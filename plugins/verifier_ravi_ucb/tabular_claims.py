"""Claims of the tabular instantiation (§5.1)."""

from __future__ import annotations

from verifier import Claim, Kind, Status
from verifier.model.clause import Clause
from verifier.model.horizon import Horizon
from verifier_properties.discounted import bonus_sums, transition_estimate
from verifier_properties.lifelong import confidence
from verifier_ravi_ucb import claims, constants, stream_claims
from verifier_ravi_ucb.clauses import CLAUSES as CLAUSES_OF_THE_PAPER

THEOREM = "§5.1: tabular MDPs"

CLAIMS = (
    *claims.assumption_claims(),
    *claims.planning_claims(),
    Claim(
        "visits",
        transition_estimate.visits,
        source="Algorithm 2",
        theorem="The planning step, replayed",
        clause="EST",
        statement="N_k(x,a) = 1 + visits in epochs < k",
        kind=Kind.IDENTITY,
    ),
    *claims.backup_claims(),
    Claim(
        "width",
        confidence.width_formula(lambda public: constants.tabular_beta(public, public.T)),
        source="Lemma 5.1",
        theorem=THEOREM,
        clause="5.1",
        statement="β = 8H√(X log(XAT/δ))",
        kind=Kind.IDENTITY,
        regimes=("published",),
    ),
    Claim(
        "confidence",
        transition_estimate.validity(discounted=True),
        source="Lemma 5.1",
        theorem=THEOREM,
        clause="5.1",
        statement="γ|PV_k − P̂_kV_k| ≤ β/√N_k for all k, x, a",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=("published",),
        horizon=Horizon(
            lambda public, scale, T: scale * constants.tabular_beta(public, T) / (1.0 + T) ** 0.5,
            lambda public, scale, T: public.gamma * public.H,
            unit="T",
        ),
    ),
    *claims.optimism_claims(),
    *claims.gap_claims(),
    *stream_claims.stream_claims(),
    *stream_claims.regret_claims(lambda public: 1.0),
    Claim(
        "bonus-sum",
        bonus_sums.visit_sum,
        source="Lemma 5.2",
        theorem=THEOREM,
        clause="5.2",
        statement="Σ_{t≤T⁺} 1/√N_k(X_t,A_t) ≤ (1+√2)√(XA(T⁺+XA)) + (2+√2)XA max_k L_k",
        kind=Kind.ALWAYS,
        status=Status.CORRECTED,
        why="printed as O(√(XAT)), which fails for large H: counts are frozen for a whole epoch",
    ),
    Claim(
        "bonus-sum-expectation",
        bonus_sums.expected_sum(lambda public, width: constants.tabular_bonus_sum(public, public.T, width), lambda public: 1.0),
        source="Lemma 5.2",
        theorem=THEOREM,
        clause="5.2",
        statement="E Σ_{t≤T⁺} CB_t ≤ β[(1+√2)√(XA(T+γH+XA)) + (2+√2)XA·H(2+log T)]",
        kind=Kind.EXPECTATION,
        status=Status.CORRECTED,
        why="printed as O(β√(XAT))",
        regimes=stream_claims.WIDTH_KNOWN,
    ),
    *stream_claims.explicit_regret_claims(constants.regret_bound_tabular, THEOREM, "§5.1", "XH√(AT) + H²√(T log A)"),
)

CLAUSES = (
    *CLAUSES_OF_THE_PAPER,
    Clause("5.1", "Lemma 5.1", "validity of the tabular bonus with probability 1 − δ"),
    Clause("5.2", "Lemma 5.2", "the sum of tabular bonuses"),
)
