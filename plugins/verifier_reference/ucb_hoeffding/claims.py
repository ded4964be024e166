"""The claims of Q-learning with UCB-Hoeffding, one per checkable clause of the paper."""

from __future__ import annotations

import math
from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.episodes import regret, tabular_planning
from verifier_properties.episodic import q_learning, tabular_model
from verifier_reference.shared import q_learning as constants
from verifier_reference.shared.claims import REPLAYED, assumption_claims, play_claims

ASSUMED = ("transition-kernel", "reward-range")
EVENT = "the weighted bonuses cover the weighted errors Σᵢ αₜⁱ(P̂ − P)V*_{h+1}"
CONSTANT = "the c of the bonus, which the paper does not name, is ours: c = √2"


def _replay_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 1", follows=(PSEUDO_CODE,))
    return (
        same("initial-values", q_learning.initial_values, clause="Q", statement="Q_h(x,a) = H before the first episode"),
        same("visits", tabular_model.step_visits, clause="COUNT", statement="N_h(x,a) counts the visits at step h"),
        same(
            "learning-rate",
            q_learning.learning_rate,
            source="eq. (4.1)",
            clause="RATE",
            statement="α_t = (H+1)/(H+t)",
            follows=(PSEUDO_CODE, "visits"),
        ),
        same(
            "width",
            q_learning.width_formula(constants.hoeffding_width),
            source="Lemma 4.3",
            clause="BONUS",
            statement="b_1 = c√(H³ι), ι = log(SAT/p), c = √2",
            regimes=("published",),
            status=Status.OURS,
            why=CONSTANT,
        ),
        same(
            "bonus-formula",
            q_learning.bonus_formula,
            clause="BONUS",
            statement="b_t = c√(H³ι/t), or another width/√t",
            follows=(PSEUDO_CODE, "visits"),
        ),
        same(
            "q-formula",
            q_learning.update,
            clause="Q",
            statement="Q_h ← (1−α_t)Q_h + α_t[r_h + V_{h+1}(x_{h+1}) + b_t] at (x_h,a_h), with V of the plan in force",
            follows=(PSEUDO_CODE, "learning-rate", "bonus-formula"),
        ),
        same(
            "value-function",
            tabular_planning.value_function(lambda public: float(public.H)),
            clause="Q",
            statement="V_h = min(H, max_a Q_h), V_{H+1} = 0",
            follows=(PSEUDO_CODE, "q-formula"),
        ),
        *play_claims("Algorithm 1", "PLAY"),
        same(
            "weighted-sum",
            q_learning.unfolded,
            source="eq. (4.3)",
            clause="SUM",
            statement="Q_h^k = αₜ⁰H + Σᵢ αₜⁱ[r_h + V_{h+1}^{kᵢ}(x_{h+1}^{kᵢ}) + bᵢ]",
            follows=("initial-values", "q-formula", "plans-every-episode", "plays-policy"),
        ),
        Claim(
            "value-range",
            tabular_planning.value_range,
            source="Algorithm 1",
            theorem=REPLAYED,
            clause="Q",
            statement="0 ≤ V_h^k(x) ≤ H",
            follows=("weighted-sum", "value-function"),
            kind=Kind.ALWAYS,
            assumes=ASSUMED,
        ),
    )


def _rate_claims() -> tuple[Claim, ...]:
    always = partial(
        Claim, theorem="Lemma 4.1: learning rates", kind=Kind.ALWAYS, clause="L1", follows=("learning-rate", "visits")
    )  # fmt: skip
    return (
        always("rate-of-roots", q_learning.rate_of_roots, source="Lemma 4.1 (a)", statement="1/√t ≤ Σᵢ αₜⁱ/√i ≤ 2/√t"),
        always(
            "rate-of-squares",
            q_learning.rate_of_squares,
            source="Lemma 4.1 (b)",
            statement="maxᵢ αₜⁱ ≤ 2H/t, Σᵢ (αₜⁱ)² ≤ 2H/t",
        ),
        always("rate-total", q_learning.rate_total, source="Lemma 4.1 (c)", statement="Σ_{t≥i} αₜⁱ ≤ 1 + 1/H"),
    )


def _optimism_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="Lemma 4.3: optimism", assumes=ASSUMED)
    return (
        claim(
            "error-recursion",
            q_learning.error_recursion,
            source="Lemma 4.2",
            theorem="Lemma 4.2: recursion of the error",
            clause="L2",
            kind=Kind.IDENTITY,
            statement="Q_h^k − Q*_h = αₜ⁰(H − Q*_h) + Σᵢ αₜⁱ[φ_{h+1}^{kᵢ} + (P̂^{kᵢ} − P)V*_{h+1} + bᵢ], φ = (V − V*)(x_{h+1})",
            follows=("weighted-sum",),
        ),
        claim(
            "confidence-event",
            q_learning.confidence(constants.hoeffding_width),
            source="Lemma 4.3, proof",
            clause="L3",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            status=Status.OURS,
            why=CONSTANT,
            regimes=("published",),
            statement="|Σᵢ αₜⁱ(P̂^{kᵢ} − P)V*_{h+1}(x,a)| ≤ c√(H³ι/t) for all x, a, h, k",
            follows=("learning-rate", "rate-of-squares", "no-foresight"),
            horizon=Horizon(
                lambda public, scale, K: constants.hoeffding_width(public, K) / math.sqrt(K),
                lambda public, scale, K: public.H - 1.0,
            ),
        ),
        claim(
            "bonus-sum",
            q_learning.bonus_sum,
            source="Lemma 4.3",
            clause="L3",
            kind=Kind.ALWAYS,
            regimes=("published", "scaled"),
            statement="c√(H³ι/t) ≤ Σᵢ αₜⁱbᵢ = β_t/2 ≤ 2c√(H³ι/t)",
            follows=("bonus-formula", "rate-of-roots"),
        ),
        claim(
            "optimism",
            q_learning.optimism,
            source="Lemma 4.3",
            clause="L3",
            kind=Kind.GIVEN,
            given=EVENT + " at all earlier updates from step h on",
            statement="Q_h^k(x,a) ≥ Q*_h(x,a) for all x, a, h, k",
            follows=("error-recursion", "value-function"),
        ),
        claim(
            "overestimate",
            q_learning.overestimate,
            source="Lemma 4.3",
            clause="L3",
            kind=Kind.GIVEN,
            given=EVENT + " after this update",
            statement="(Q_h^k − Q*_h)(x,a) ≤ αₜ⁰H + Σᵢ αₜⁱ(V_{h+1}^{kᵢ} − V*_{h+1})(x_{h+1}^{kᵢ}) + β_t",
            follows=("error-recursion",),
        ),
    )


def _regret_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="Theorem 1: regret", assumes=ASSUMED)
    return (
        claim(
            "visit-sum",
            q_learning.visit_sum,
            source="§4.2, pigeonhole",
            clause="PIGEON",
            kind=Kind.ALWAYS,
            assumes=(),
            status=Status.OURS,
            why="printed as O(1) Σ √(H³ι/n) ≤ O(√(H²SATι)), here for one step and with its constant",
            statement="Σ_{k: N_h^k > 0} 1/√N_h^k(x_h^k,a_h^k) ≤ 2√(SAK) for each h",
            follows=("visits",),
        ),
        claim(
            "regret-recursion",
            q_learning.regret_recursion,
            source="§4.2",
            clause="REC",
            kind=Kind.GIVEN,
            given=EVENT + " after the last update of the pair",
            statement="δ_h^k ≤ αₜ⁰H + Σᵢ αₜⁱφ_{h+1}^{kᵢ} + β_t − φ_{h+1}^k + δ_{h+1}^k + ξ_{h+1}^k at (x_h^k,a_h^k)",
            follows=("overestimate", "value-function", "greedy", "plays-policy"),
        ),
        claim(
            "carried-error",
            q_learning.carried,
            source="§4.2",
            clause="REC",
            kind=Kind.GIVEN,
            given="no φ_{h+1}^k is negative, as optimism has it",
            statement="Σ_k Σᵢ αₜⁱφ_{h+1}^{kᵢ} ≤ (1 + 1/H) Σ_k φ_{h+1}^k for each h",
            follows=("rate-total", "optimism"),
        ),
        claim(
            "pathwise-regret",
            q_learning.pathwise,
            source="§4.2",
            clause="REC",
            kind=Kind.GIVEN,
            given=EVENT + " at all updates before",
            status=Status.OURS,
            why="the recursion unfolded with its factors, and with the terms that the run realises",
            statement="R_k ≤ Σ_h (1+1/H)^{h−1} Σ_{j≤k} [αₜ⁰H + β_t + ξ_{h+1}^j] for every prefix k",
            follows=("regret-recursion", "carried-error", "optimism"),
        ),
        claim(
            "regret",
            regret.regret_bound(constants.regret),
            source="Theorem 1",
            clause="REGRET",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            status=Status.OURS,
            why=f"printed as O(√(H⁴SATι)); this is the end of its proof with all constants, and {CONSTANT}",
            regimes=("published",),
            statement="R_K ≤ Σ_h w_h[SAH + 8c√(H³ι)√(SAK)] + H√(K Σ_h w_h² log(2/p)/2), w_h = (1+1/H)^{h−1}",
            follows=("pathwise-regret", "confidence-event", "bonus-sum", "visit-sum", "no-foresight"),
            horizon=Horizon(lambda public, scale, K: constants.regret(public, K, scale), lambda public, scale, K: public.H * K),
        ),
    )


CLAIMS = (
    *assumption_claims("MDP"),
    *_replay_claims(),
    *_rate_claims(),
    *_optimism_claims(),
    *_regret_claims(),
)
CLAUSES = (
    Clause("MDP", "§2", "finite MDP whose kernels and deterministic rewards in [0, 1] may depend on the step"),
    Clause("COUNT", "Algorithm 1", "visits, counted for each step"),
    Clause("RATE", "eq. (4.1)", "the learning rate"),
    Clause("BONUS", "Algorithm 1, Lemma 4.3", "the bonus"),
    Clause("Q", "Algorithm 1", "the update of Q and V"),
    Clause("PLAY", "Algorithm 1", "greedy play"),
    Clause("SUM", "eq. (4.3)", "Q as a weighted sum of targets"),
    Clause("L1", "Lemma 4.1", "sums of learning rates"),
    Clause("L2", "Lemma 4.2", "recursion of the error"),
    Clause("L3", "Lemma 4.3", "the event, optimism, and how much Q exceeds Q*"),
    Clause("PIGEON", "§4.2", "sum of 1/√n"),
    Clause("REC", "§4.2", "recursion of the regret over steps"),
    Clause("REGRET", "Theorem 1", "regret"),
    Clause("AZUMA", "§4.2", "sum of the martingale ξ", "a fact about any algorithm: no implementation can break it"),
    Clause("GROWTH", "Theorem 1", "regret grows like √T", "a rate: measured by `verifier scale`, at part of the published width"),
    Clause("SPACE", "§3", "O(SAH) space, O(1) time a step", "resources, which only the published code could settle"),
    Clause("EPSILON", "§1, footnote", "ε-greedy exploration needs exponentially many episodes", "about another algorithm"),
    Clause("LOWER", "Theorem 3", "no algorithm does better than Ω(√(H²SAT))", "about all algorithms: none can break it"),
    Clause("BERNSTEIN", "Theorem 2", "regret of UCB-Bernstein", "another algorithm: its bonus is from an empirical variance"),
)
