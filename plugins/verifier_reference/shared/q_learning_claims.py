"""Claims of Q-learning with either bonus."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.statement import Formula
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import q_learning, tabular_model
from verifier_properties.episodic.updates import Updates, logarithm
from verifier_reference.shared.claims import REPLAYED, TABULAR, play_claims

ASSUMED = TABULAR
Bonus = type[Updates]
"""Class of the updates of a run."""


def table_claims(source: str, updates: Bonus) -> tuple[Claim, ...]:
    """Claims on the content of the tables and on play, but for the bonus.

    Parameters
    ----------
    source : str
        The algorithm of the paper.
    updates : type of Updates
        With the harness's own bonus.
    """
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, follows=(PSEUDO_CODE,))
    return (
        same("initial-values", q_learning.initial_values, clause="Q", statement="Q_h(x,a) = H before the first episode"),
        same("visits", tabular_model.step_visits, clause="COUNT", statement="N_h(x,a) counts the visits at step h"),
        same("learning-rate", q_learning.learning_rate(updates), source="eq. (4.1)", clause="RATE", statement="α_t = (H+1)/(H+t)",
            follows=(PSEUDO_CODE, "visits")),
        same("q-formula", q_learning.update(updates), clause="Q",
            statement="Q_h ← (1−α_t)Q_h + α_t[r_h + V_{h+1}(x_{h+1}) + b_t] at (x_h,a_h), with V of the plan in force",
            follows=(PSEUDO_CODE, "learning-rate", "bonus-formula")),
        same("value-function", tabular_planning.value_function("H"), clause="Q",
            statement="V_h = min(H, max_a Q_h), V_{H+1} = 0", follows=(PSEUDO_CODE, "q-formula")),
        *play_claims(source, "PLAY"),
        same("weighted-sum", q_learning.unfolded(updates), source="eq. (4.3)", clause="SUM",
            statement="Q_h^k = αₜ⁰H + Σᵢ αₜⁱ[r_h + V_{h+1}^{kᵢ}(x_{h+1}^{kᵢ}) + bᵢ]",
            follows=("initial-values", "q-formula", "plans-every-episode", "plays-policy")),
        Claim("value-range", tabular_planning.value_range, source=source, theorem=REPLAYED, clause="Q",
            statement="0 ≤ V_h^k(x) ≤ H", follows=("weighted-sum", "value-function"), kind=Kind.ALWAYS, assumes=ASSUMED),
    )  # fmt: skip


def width_claims(formula: Formula, source: str, statement: str, clause: str, why: str = "") -> tuple[Claim, ...]:
    """Claims on the width, a formula of iota = log(SAT/p)."""
    return (
        Claim("width", q_learning.width_formula(formula, {"iota": logarithm}),
            theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause=clause, statement=statement, regimes=("published",),
            status=Status.OURS if why else Status.PRINTED, why=why, follows=(PSEUDO_CODE,)),
    )  # fmt: skip


def rate_claims(updates: Bonus) -> tuple[Claim, ...]:
    """Lemma 4.1."""
    always = partial(
        Claim, theorem="Lemma 4.1: learning rates", kind=Kind.ALWAYS, clause="L1", follows=("learning-rate", "visits")
    )  # fmt: skip
    return (
        always("rate-of-roots", q_learning.rate_of_roots(updates), source="Lemma 4.1 (a)", statement="1/√t ≤ Σᵢ αₜⁱ/√i ≤ 2/√t"),
        always("rate-of-squares", q_learning.rate_of_squares(updates), source="Lemma 4.1 (b)",
            statement="maxᵢ αₜⁱ ≤ 2H/t, Σᵢ (αₜⁱ)² ≤ 2H/t"),
        always("rate-total", q_learning.rate_total(updates), source="Lemma 4.1 (c)", statement="Σ_{t≥i} αₜⁱ ≤ 1 + 1/H"),
    )  # fmt: skip


def error_claims(lemma: str, event: str, updates: Bonus) -> tuple[Claim, ...]:
    """The recursion of the error, and what follows where the bonuses cover the noise; `lemma` says so, `event` in words."""
    claim = partial(Claim, theorem=f"{lemma}: optimism", source=lemma, clause="OPT", assumes=ASSUMED)
    return (
        claim(
            "error-recursion",
            q_learning.error_recursion(updates),
            source="Lemma 4.2",
            theorem="Lemma 4.2: recursion of the error",
            clause="L2",
            kind=Kind.IDENTITY,
            statement="Q_h^k − Q*_h = αₜ⁰(H − Q*_h) + Σᵢ αₜⁱ[φ_{h+1}^{kᵢ} + (P̂^{kᵢ} − P)V*_{h+1} + bᵢ], φ = (V − V*)(x_{h+1})",
            follows=("weighted-sum",),
        ),
        claim("optimism", q_learning.optimism(updates), kind=Kind.GIVEN, given=event + " at all earlier updates from step h on",
            statement="Q_h^k(x,a) ≥ Q*_h(x,a) for all x, a, h, k", follows=("error-recursion", "value-function")),
        claim("overestimate", q_learning.overestimate(updates), kind=Kind.GIVEN, given=event + " after this update",
            statement="(Q_h^k − Q*_h)(x,a) ≤ αₜ⁰H + Σᵢ αₜⁱ(V_{h+1}^{kᵢ} − V*_{h+1})(x_{h+1}^{kᵢ}) + β_t",
            follows=("error-recursion",)),
    )  # fmt: skip


def regret_step_claims(theorem: str, section: str, event: str, updates: Bonus) -> tuple[Claim, ...]:
    """The steps of the proof of a theorem, which has them in a section."""
    claim = partial(Claim, theorem=f"{theorem}: regret", source=section, clause="REC", assumes=ASSUMED)
    return (
        claim("visit-sum", q_learning.visit_sum, source="§4.2, pigeonhole", clause="PIGEON", kind=Kind.ALWAYS, assumes=(),
            status=Status.OURS, why="printed as O(1) Σ √(H³ι/n) ≤ O(√(H²SATι)), here for one step and with its constant",
            statement="Σ_{k: N_h^k > 0} 1/√N_h^k(x_h^k,a_h^k) ≤ 2√(SAK) for each h", follows=("visits",)),
        claim("regret-recursion", q_learning.regret_recursion(updates), kind=Kind.GIVEN,
            given=event + " after the last update of the pair",
            statement="δ_h^k ≤ αₜ⁰H + Σᵢ αₜⁱφ_{h+1}^{kᵢ} + β_t − φ_{h+1}^k + δ_{h+1}^k + ξ_{h+1}^k at (x_h^k,a_h^k)",
            follows=("overestimate", "value-function", "greedy", "plays-policy")),
        claim("carried-error", q_learning.carried(updates), kind=Kind.GIVEN, given="no φ_{h+1}^k is negative, as optimism has it",
            statement="Σ_k Σᵢ αₜⁱφ_{h+1}^{kᵢ} ≤ (1 + 1/H) Σ_k φ_{h+1}^k for each h", follows=("rate-total", "optimism")),
        claim("pathwise-regret", q_learning.pathwise(updates), kind=Kind.GIVEN, given=event + " at all updates before",
            status=Status.OURS, why="the recursion unfolded with its factors, and with the terms that the run realises",
            statement="R_k ≤ Σ_h (1+1/H)^{h−1} Σ_{j≤k} [αₜ⁰H + β_t + ξ_{h+1}^j] for every prefix k",
            follows=("regret-recursion", "carried-error", "optimism")),
    )  # fmt: skip


def q_learning_clauses(algorithm: str, bonus: str, optimism: str, section: str, theorem: str) -> tuple[Clause, ...]:
    """Clauses of the paper on either algorithm, with their places."""
    return (
        Clause("MDP", "§2", "finite MDP whose kernels and deterministic rewards in [0, 1] may depend on the step"),
        Clause("COUNT", algorithm, "visits, counted for each step"),
        Clause("RATE", "eq. (4.1)", "the learning rate"),
        Clause("BONUS", bonus, "the bonus"),
        Clause("Q", algorithm, "the update of Q and V"),
        Clause("PLAY", algorithm, "greedy play"),
        Clause("SUM", "eq. (4.3)", "Q as a weighted sum of targets"),
        Clause("L1", "Lemma 4.1", "sums of learning rates"),
        Clause("L2", "Lemma 4.2", "recursion of the error"),
        Clause("OPT", optimism, "the event, optimism, and how much Q exceeds Q*"),
        Clause("PIGEON", "§4.2", "sum of 1/√n"),
        Clause("REC", section, "recursion of the regret over steps"),
        Clause("REGRET", theorem, "regret"),
        Clause("AZUMA", section, "sum of the martingale ξ", "a fact about any algorithm: no implementation can break it"),
        Clause("GROWTH", theorem, "regret grows like √T", "a rate: measured by `verifier scale`, at part of the published width"),
        Clause("SPACE", "§3", "O(SAH) space, O(1) time a step", "resources, which only the published code could settle"),
        Clause("EPSILON", "§1, footnote", "ε-greedy exploration needs exponentially many episodes", "about another algorithm"),
        Clause("LOWER", "Theorem 3", "no algorithm does better than Ω(√(H²SAT))", "about all algorithms: none can break it"),
    )
