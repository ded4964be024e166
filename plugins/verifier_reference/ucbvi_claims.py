"""The claims of UCBVI, one per checkable clause of the paper."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier import Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier.settings.episodic import Public, bonuses
from verifier_properties.episodes import regret
from verifier_properties.episodic import planning as episodic_planning
from verifier_properties.episodic import tabular_model
from verifier_properties.lifelong import confidence
from verifier_reference import constants
from verifier_reference.shared_claims import REPLAYED, assumption_claims, planning_claims

ASSUMED = ("transition-kernel", "reward-range")
EVENT = "the harness's bonus covers |(P̂ − P)V*_{h+1}| at every pair, at this plan and step"


def _replay_claims(bonus: tabular_model.Bonus, source: str, width: Claim, statement: str) -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY)
    return (
        same("visits", tabular_model.visits, source="Algorithm 1", clause="COUNT", statement="N_k(s,a) counts all steps"),
        same(
            "kernel",
            tabular_model.kernel,
            source="Algorithm 2",
            clause="COUNT",
            statement="P̂_k(y|s,a) = N_k(s,a,y) / N_k(s,a) where N_k(s,a) > 0",
        ),
        width,
        same(
            "bonus-formula",
            tabular_model.bonus_formula(bonus, f"The bonuses of every plan against {source}, from the transcript."),
            source=source,
            clause="BONUS",
            statement=statement,
        ),
        same(
            "q-formula",
            tabular_model.q_formula(bonus),
            source="Algorithm 2",
            clause="Q",
            statement="Q_{k,h} = min(Q_{k−1,h}, H, r + P̂_k V_{k,h+1} + b_{k,h}), H where N_k = 0",
        ),
        *planning_claims("Algorithms 1, 2", "PLAY"),
        Claim(
            "monotone",
            tabular_model.monotone,
            source="Algorithm 2",
            theorem=REPLAYED,
            clause="Q",
            statement="Q_{k,h}(s,a) ≤ Q_{k−1,h}(s,a)",
            kind=Kind.ALWAYS,
        ),
        Claim(
            "value-range",
            episodic_planning.value_range,
            source="Algorithm 2",
            theorem=REPLAYED,
            clause="Q",
            statement="0 ≤ V_{k,h}(s) ≤ H",
            kind=Kind.ALWAYS,
            assumes=ASSUMED,
        ),
    )


def _confidence_claims() -> tuple[Claim, ...]:
    likely = partial(
        Claim,
        theorem="Appendix B: confidence",
        source="Appendix B.2",
        clause="EVENT",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=("published",),
        assumes=ASSUMED,
    )
    return (
        likely(
            "value-confidence",
            tabular_model.value_confidence,
            statement="|(P̂_k − P)V*_{h+1}| ≤ min(c₁(Var_P V*, N), c₁(Var_P̂ V*, N)), c₁(v,n) = 2√(vL/n) + 14HL/(3n)",
        ),
        likely(
            "entry-confidence",
            tabular_model.entry_confidence,
            statement="|P̂_k(y) − P(y)| ≤ c₂(P(y), N), c₂(p,n) = 2√(p(1−p)L/n) + 2L/(3n)",
        ),
        likely("row-confidence", tabular_model.row_confidence, statement="‖P̂_k − P‖₁ ≤ c₃(N), c₃(n) = 2√(SL/n)"),
    )


def _optimism_claims(bonus: tabular_model.Bonus, lemma: str) -> tuple[Claim, ...]:
    given = partial(Claim, theorem=f"{lemma}: optimism", kind=Kind.GIVEN, clause="OPT", assumes=ASSUMED)
    event = tabular_model.covered(bonus)
    return (
        given(
            "bonus-validity",
            tabular_model.bonus_validity(event),
            source=f"{lemma}, proof",
            statement="|(P̂_k − P)V*_{h+1}(s,a)| ≤ b_{k,h}(s,a) where N_k(s,a) > 0",
            given=EVENT,
        ),
        given(
            "optimism",
            episodic_planning.optimism(event, previous=True),
            source=lemma,
            statement="Q_{k,h}(s,a) ≥ Q*_h(s,a) for all s, a, h",
            given=EVENT + "s from h on, and the plan before is optimistic there",
        ),
    )


def _regret_claims(theorem: str, statement: str, bound: Callable[..., float]) -> tuple[Claim, ...]:
    claim = partial(Claim, theorem=f"{theorem}: regret")
    return (
        claim(
            "visit-sum",
            tabular_model.visit_sum,
            source="Appendix B, pigeonhole",
            clause="SUM",
            statement="Σ_{k,h} 1/√max(1, N_k(s_h,a_h)) ≤ 2HSA + 2√(2SAT)",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            why="the paper sums over episodes in which N_k is large; counts are frozen for H steps, which costs 2HSA and √2",
        ),
        claim(
            "regret-recursion",
            regret.recursion(tabular_model.model_slack),
            source="§5",
            clause="REC",
            statement="δ_h ≤ P δ_{h+1} + b_{k,h} + (P̂_k − P)V_{k,h+1} at visited pairs with N_k > 0, δ = V_k − V^{π_k}",
            kind=Kind.ALWAYS,
            assumes=ASSUMED,
        ),
        claim(
            "regret",
            regret.regret_bound(bound),
            source=theorem,
            clause="REGRET",
            statement=statement,
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=ASSUMED,
            horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K),
        ),
    )


def _clauses(theorem: str, optimism: str) -> tuple[Clause, ...]:
    return (
        Clause("MDP", "§2", "finite MDP, known deterministic rewards in [0, 1]"),
        Clause("COUNT", "Algorithms 1, 2", "counts and the empirical kernel, over all steps"),
        Clause("BONUS", "Algorithms 3, 4", "the bonus"),
        Clause("Q", "Algorithm 2", "optimistic value iteration"),
        Clause("PLAY", "Algorithms 1, 2", "greedy play, one plan per episode"),
        Clause("EVENT", "Appendix B.2", "confidence intervals of the empirical kernel"),
        Clause("OPT", optimism, "optimism"),
        Clause("SUM", "Appendix B", "sum of 1/√N"),
        Clause("REC", "§5", "recursion of the regret"),
        Clause("REGRET", theorem, "regret"),
        Clause(
            "FREEDMAN",
            "Appendix B.3",
            "martingale terms of the regret",
            "facts about any algorithm with values in [0, H]: no implementation can break them",
        ),
        Clause(
            "TYPICAL",
            "Lemma 3 and after",
            "the weighted recursion over typical episodes",
            "bookkeeping of the proof with quantities no algorithm has; what it starts from is `regret-recursion`",
        ),
        Clause("RATE", theorem, "regret grows like √K", "a rate: measured by `verifier scale`, at part of the published bonus"),
    )


def _width(statement: str, formula: Callable[[Public], float]) -> Claim:
    return Claim(
        "width",
        confidence.width_formula(formula),
        source="Algorithms 3, 4",
        theorem=REPLAYED,
        clause="BONUS",
        statement=statement,
        kind=Kind.IDENTITY,
        regimes=("published",),
    )


HOEFFDING = (
    *assumption_claims("MDP"),
    *_replay_claims(
        tabular_model.HOEFFDING,
        "Algorithm 3",
        _width("7HL, L = ln(5SAT/δ)", bonuses.hoeffding_width),
        "b_k(s,a) = 7HL / √N_k(s,a)",
    ),
    *_confidence_claims(),
    *_optimism_claims(tabular_model.HOEFFDING, "Lemma 18"),
    *_regret_claims("Theorem 1", "R_K ≤ 20H^{3/2}L√(SAK) + 250H²S²AL², L = ln(5HSAT/δ)", constants.regret_hoeffding),
)
HOEFFDING_CLAUSES = _clauses("Theorem 1", "Lemma 18")

BERNSTEIN = (
    *assumption_claims("MDP"),
    *_replay_claims(
        tabular_model.BERNSTEIN,
        "Algorithm 4",
        _width("the bonus as printed, times 1", lambda public: 1.0),
        "b_{k,h} = √(8L Var_P̂(V_{k,h+1})/N) + 14HL/(3N) + √(8 Σ_y P̂(y) min(100²H³S²AL²/N′_{h+1}(y), H²)/N)",
    ),
    *_confidence_claims(),
    *_optimism_claims(tabular_model.BERNSTEIN, "Appendix B"),
    *_regret_claims("Theorem 2", "R_K ≤ 30HL√(SAK) + 2500H²S²AL² + 4H^{3/2}√(KL), L = ln(5HSAT/δ)", constants.regret_bernstein),
)
BERNSTEIN_CLAUSES = _clauses("Theorem 2", "Appendix B")
