"""The claims of LSVI-UCB, one per checkable clause of the paper."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import least_squares, widths
from verifier_properties.episodes import potential, regret, tabular_planning
from verifier_properties.episodic import assumptions as episodic_assumptions
from verifier_properties.episodic import planning as episodic_planning
from verifier_reference.shared import constants
from verifier_reference.shared.claims import ASSUMPTIONS, REPLAYED, assumption_claims, planning_claims, regret_bound_claims

LINEAR_MDP = ("transition-kernel", "reward-range", "linear-kernel", "linear-rewards", "feature-norms", "parameter-norms")
CONSTANT = "the c of β, which the paper does not name, is ours: c = 5.5"
EVENT = "the estimate is within the width at this plan and step"


def _linear_claims() -> tuple[Claim, ...]:
    assume = partial(Claim, theorem=ASSUMPTIONS, kind=Kind.ASSUMPTION, clause="MDP", source="Assumption A")
    return (
        assume("linear-kernel", episodic_assumptions.linear_kernel, statement="P(·|s,a) = ⟨φ(s,a), μ(·)⟩"),
        assume("linear-rewards", episodic_assumptions.linear_rewards, statement="r(s,a) = ⟨θ, φ(s,a)⟩"),
        assume("feature-norms", episodic_assumptions.feature_norms, statement="‖φ‖ ≤ 1"),
        assume(
            "parameter-norms",
            episodic_assumptions.parameter_norms,
            statement="‖θ‖ ≤ √d, ‖|μ|(S)‖ ≤ √d",
            status=Status.CORRECTED,
            why="printed as ‖μ(S)‖ ≤ √d, which signed measures can meet while Lemma B.1 fails",
        ),
    )


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        same("gram", least_squares.gram_matrix(needs=("gram",)), source="Line 4", clause="REG",
            statement="Λ_h = λI + Σ_{τ<k} φ_τ φ_τᵀ"),
        same("regression", episodic_planning.regression, source="Line 5", clause="REG",
            statement="w_h = Λ_h⁻¹ Σ_{τ<k} φ_τ [r_τ + max_a Q_{h+1}(s′_τ, a)]", follows=(PSEUDO_CODE, "gram")),
        same("q-formula", episodic_planning.linear_q_formula, source="Line 6", clause="Q",
            statement="Q_h = min(⟨w_h, φ⟩ + β‖φ‖_{Λ_h⁻¹}, H)", follows=(PSEUDO_CODE, "gram", "regression")),
        *planning_claims("Algorithm 1", "PLAY"),
        Claim("value-cap", tabular_planning.value_cap, source="Line 6", theorem=REPLAYED, clause="Q", statement="V_h(s) ≤ H",
            follows=("q-formula", "value-function"), kind=Kind.ALWAYS),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="Lemmas B.1 to B.4: confidence", assumes=LINEAR_MDP)
    return (
        claim("parameter-norm", episodic_planning.parameter_norm, source="Lemma B.1", clause="B1",
            statement="‖θ + ∫V_{h+1} dμ‖ ≤ 2H√d", follows=("value-cap",), kind=Kind.GIVEN,
            given="V_{h+1} ≥ −H, which the minimum with H alone does not ensure"),
        claim("estimate-norm", episodic_planning.estimate_norm, source="Lemma B.2", clause="B2",
            statement="‖w_h^k‖ ≤ 2H√(d(k−1)/λ)", follows=("regression", "leverage", "value-cap"), kind=Kind.GIVEN,
            given="V_{h+1} ≥ −H, which the minimum with H alone does not ensure"),
        claim("width",
            widths.width_formula("5.5 * d * H * sqrt(iota)", define={"iota": lambda d, T, delta: np.log(2 * d * T / delta)}),
            source="Theorem 3.1", clause="B4", statement="β = c·dH√(log(2dT/p)), c = 5.5", kind=Kind.IDENTITY, status=Status.OURS,
            why=CONSTANT, regimes=("published",), follows=(PSEUDO_CODE,)),
        claim(
            "noise-event",
            episodic_planning.noise_event(lambda public, k: constants.noise_bound(public, constants.beta(public), k, public.K)),
            source="Lemma B.3",
            clause="B3",
            statement="‖Σ φ_τ [V_{h+1}(s′_τ) − P V_{h+1}]‖_{Λ⁻¹} ≤ its bound with all constants",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            status=Status.OURS,
            why=f"printed with an unnamed constant, which is written out here; {CONSTANT}",
            regimes=("published",),
            follows=("gram", "q-formula", "width", "estimate-norm", "value-cap", "no-foresight"),
            horizon=Horizon(
                lambda public, scale, K: float(constants.noise_bound(public, constants.beta(public, K), K, K)),
                lambda public, scale, K: public.H * math.sqrt(K),
            ),
        ),
        claim(
            "confidence-event",
            episodic_planning.confidence,
            source="Lemma B.4",
            clause="B4",
            statement="‖w_h − (θ + ∫V_{h+1} dμ)‖_Λ ≤ β at every plan and step",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            status=Status.OURS,
            why=CONSTANT,
            regimes=("published",),
            follows=("regression", "parameter-norm", "noise-event", "width"),
            horizon=Horizon(
                lambda public, scale, K: scale * constants.beta(public, K),
                lambda public, scale, K: public.H * (2 * math.sqrt(public.ridge * public.d) + math.sqrt(K)),
            ),
        ),
    )  # fmt: skip


def _optimism_claims() -> tuple[Claim, ...]:
    horizon = Horizon(
        lambda public, scale, K: scale * constants.beta(public, K) / math.sqrt(public.ridge + K),
        lambda public, scale, K: float(public.H),
    )
    given = partial(
        Claim, theorem="Lemma B.5: optimism", kind=Kind.GIVEN, given=EVENT, assumes=LINEAR_MDP, horizon=horizon
    )  # fmt: skip
    return (
        given("bonus-validity", episodic_planning.linear_validity, source="Lemma B.4", clause="B4",
            statement="|⟨w_h, φ⟩ − r − P V_{h+1}| ≤ β‖φ‖_{Λ_h⁻¹}", follows=("regression", "q-formula")),
        given("optimism", episodic_planning.optimism(episodic_planning.regression_event), source="Lemma B.5", clause="B5",
            statement="Q_h(s,a) ≥ Q*_h(s,a) for all s, a, h", follows=("bonus-validity", "q-formula", "value-function")),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="Theorem 3.1: regret")
    always = partial(claim, source="Theorem 3.1, proof", clause="D2", kind=Kind.ALWAYS, assumes=("feature-norms",))
    given = partial(claim, clause="B6", kind=Kind.GIVEN, assumes=LINEAR_MDP)
    slack = regret.phi_slack(lambda public: 1.0)
    return (
        always("potential", potential.potential(1.0, potential.REPORTED), source="Lemma D.2",
            statement="Σ_k min(1, ‖φ_h^k‖²) ≤ 2 log(det Λ_h^{K+1} / det Λ_h^1)", follows=("gram", "plans-every-episode")),
        claim("leverage", episodic_planning.leverage, source="Lemma D.1", clause="D1", statement="Σ_{τ<k} φ_τᵀ(Λ_h^k)⁻¹φ_τ ≤ d",
            kind=Kind.ALWAYS, follows=("gram",)),
        always("sum-of-bonuses", potential.sum_of_norms(1.0, potential.REPORTED),
            statement="Σ_k ‖φ_h^k‖ ≤ √(2dK log(1 + K/(dλ)))", follows=("potential", "determinant-trace")),
        always("determinant-trace", least_squares.determinant_trace(needs=("gram",)),
            statement="log det Λ_h^k ≤ d log(λ + (k−1)/d)", follows=("gram",)),
        given("regret-recursion", regret.recursion(slack, "gram"), source="Lemma B.6",
            statement="δ_h^k ≤ P δ_{h+1}^k + 2β‖φ_h^k‖", given=EVENT,
            follows=("bonus-validity", "q-formula", "value-function", "greedy", "plays-policy")),
        given("pathwise-regret", regret.pathwise(slack, "gram"), source="Theorem 3.1, proof",
            statement="R_k ≤ Σ ζ + Σ 2β‖φ‖ for every prefix k", given=EVENT + ", at all plans and steps so far",
            follows=("regret-recursion", "optimism"), status=Status.OURS),
        *regret_bound_claims(
            "Theorem 3.1",
            constants.regret_linear,
            "R_K ≤ 2H√(T log(2dT/p)) + 2βH√(2dK log(1 + K/(dλ)))",
            f"printed as O(√(d³H³Tι²)); this is the last line of its proof, and {CONSTANT}",
            ("pathwise-regret", "confidence-event", "sum-of-bonuses", "value-cap", "no-foresight"),
            LINEAR_MDP,
        ),
        claim(
            "uniform-policy",
            regret.uniform_policy(constants.regret_linear),
            source="Theorem 3.1, remark",
            clause="PAC",
            statement="a policy drawn from π_1..π_K loses at most 3R̄_K/K with probability 2/3, R̄_K the bound of `regret`",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            status=Status.OURS,
            why=f"the remark has Õ(√(d³H⁴/K)) and some constant probability; {CONSTANT}",
            regimes=("published",),
            assumes=LINEAR_MDP,
            follows=("regret",),
            horizon=Horizon(
                lambda public, scale, K: 3 * constants.regret_linear(public, K, scale) / K,
                lambda public, scale, K: float(public.H),
            ),
        ),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims("MDP"),
    *_linear_claims(),
    *_replay_claims(),
    *_confidence_claims(),
    *_optimism_claims(),
    *_regret_claims(),
)
CLAUSES = (
    Clause("MDP", "Assumption A", "linear MDP with bounded features, parameters and rewards"),
    Clause("REG", "Algorithm 1", "least squares on r + V"),
    Clause("Q", "Algorithm 1", "optimistic action values, cut at H"),
    Clause("PLAY", "Algorithm 1", "greedy play, one plan per episode"),
    Clause("B1", "Lemma B.1", "norm of the true parameter"),
    Clause("B2", "Lemma B.2", "norm of the estimate"),
    Clause("B3", "Lemma B.3", "self-normalised noise"),
    Clause("B4", "Lemma B.4", "error of the estimate"),
    Clause("B5", "Lemma B.5", "optimism"),
    Clause("B6", "Lemma B.6", "recursion of the regret"),
    Clause("D1", "Lemma D.1", "leverage of past features"),
    Clause("D2", "Lemma D.2", "elliptical potential"),
    Clause("REGRET", "Theorem 3.1", "regret"),
    Clause("PAC", "Theorem 3.1, remark", "the policy of a random episode is nearly optimal"),
    Clause("D3", "Lemmas D.3, D.4", "self-normalised noise of a fixed function, and of a class of them",
        "facts about any process with bounded noise, which no implementation can break; what they give here is Lemma B.3"),
    Clause("D6", "Lemmas D.5, D.6", "covering numbers", "mathematics that no run can refute"),
    Clause("AZUMA", "Theorem 3.1, proof", "martingale term", "a fact about any algorithm with values in [0, H]"),
    Clause("RATE", "Theorem 3.1", "regret grows like √T", "a rate: measured by `verifier scale`, at part of the published width"),
    Clause("MIS", "Theorem 3.2", "misspecified linear MDPs", "another algorithm: its bonus knows the misspecification"),
)  # fmt: skip
