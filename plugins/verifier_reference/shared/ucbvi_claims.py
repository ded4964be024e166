"""Claims of UCBVI with either bonus."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import widths
from verifier_properties.episodes import regret, tabular_planning
from verifier_properties.episodic import planning as episodic_planning
from verifier_properties.episodic import tabular_confidence, tabular_model
from verifier_reference.shared.claims import REPLAYED, model_claims, planning_claims
from verifier_settings.episodic import bonuses

ASSUMED = ("transition-kernel", "reward-range")
EVENT = "the harness's bonus covers |(P̂ − P)V*_{h+1}| at every pair, at this plan and step"


def replay_claims(
    bonus: tabular_model.Bonus,
    source: str,
    statement: str,
    *,
    uses: tuple[str, ...],
    width: str,
    width_statement: str,
) -> tuple[Claim, ...]:
    """The model, the bonus and the plan, recomputed from the transcript.

    Parameters
    ----------
    bonus : Bonus
        The harness's own.
    source, statement : str
        Where the bonus stands, and what it is.
    uses : tuple of str
        The lines it is computed from.
    width : str
        What the bonus is a multiple of, at the published constants: a formula, in which L is ln(5SAT/δ).
    width_statement : str
    """
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, follows=(PSEUDO_CODE,))
    return (
        *model_claims("Algorithm 1", "Algorithm 2", "COUNT"),
        same("width", widths.width_formula(width, define={"L": tabular_model.log_term}), source="Algorithms 3, 4", clause="BONUS",
            statement=width_statement, regimes=("published",)),
        same("bonus-formula",
            tabular_model.bonus_formula(bonus, f"The bonuses of every plan against {source}, from the transcript.", width),
            source=source, clause="BONUS", statement=statement, follows=(PSEUDO_CODE, *uses)),
        same("q-formula", tabular_model.q_formula(bonus, width=width), source="Algorithm 2", clause="Q",
            statement="Q_{k,h} = min(Q_{k−1,h}, H, r + P̂_k V_{k,h+1} + b_{k,h}), H where N_k = 0",
            follows=(PSEUDO_CODE, "visits", "kernel", "bonus-formula", "width-target")),
        *planning_claims("Algorithms 1, 2", "PLAY"),
        Claim("monotone", tabular_model.monotone, source="Algorithm 2", theorem=REPLAYED, clause="Q",
            statement="Q_{k,h}(s,a) ≤ Q_{k−1,h}(s,a)", follows=("q-formula",), kind=Kind.ALWAYS),
        Claim("value-range", tabular_planning.value_range, source="Algorithm 2", theorem=REPLAYED, clause="Q",
            statement="0 ≤ V_{k,h}(s) ≤ H", follows=("q-formula", "value-function"), kind=Kind.ALWAYS, assumes=ASSUMED),
    )  # fmt: skip


def confidence_claims() -> tuple[Claim, ...]:
    """Confidence intervals of the empirical kernel."""
    likely = partial(
        Claim,
        theorem="Appendix B: confidence",
        source="Appendix B.2",
        clause="EVENT",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=("published",),
        assumes=ASSUMED,
        follows=("visits", "kernel", "no-foresight"),
    )
    return (
        likely(
            "value-confidence",
            tabular_confidence.value_confidence,
            statement="|(P̂_k − P)V*_{h+1}| ≤ min(c₁(Var_P V*, N), c₁(Var_P̂ V*, N)), c₁(v,n) = 2√(vL/n) + 14HL/(3n)",
        ),
        likely(
            "entry-confidence",
            tabular_confidence.entry_confidence,
            statement="|P̂_k(y) − P(y)| ≤ c₂(P(y), N), c₂(p,n) = 2√(p(1−p)L/n) + 2L/(3n)",
        ),
        likely("row-confidence", tabular_confidence.row_confidence, statement="‖P̂_k − P‖₁ ≤ c₃(N), c₃(n) = 2√(SL/n)"),
    )


def correction_claims() -> tuple[Claim, ...]:
    """Claims behind the last term of the bonus of Algorithm 4."""
    return (
        Claim(
            "value-gap",
            tabular_confidence.value_gap,
            source="Appendix B",
            theorem="Appendix B: optimism",
            clause="GAP",
            statement="V_{k,h+1}(y) − V*_{h+1}(y) ≤ min(100√(H³S²AL²/N′_{k,h+1}(y)), H) for all k, h, y",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=ASSUMED,
            follows=("monotone", "optimism", "regret-recursion", "visit-sum", "entry-confidence", "value-confidence"),
            horizon=Horizon(
                lambda public, scale, K: float(
                    tabular_confidence.value_gap_bound(public.H, public.S, public.A, bonuses.log_term(public, K), K)
                ),
                lambda public, scale, K: float(public.H),
            ),
        ),
    )


def optimism_claims(
    bonus: tabular_model.Bonus, lemma: str, horizon: Horizon | None = None, *, uses: tuple[str, ...] = ()
) -> tuple[Claim, ...]:
    """The bonus covers the error, and so the values are optimistic.

    Parameters
    ----------
    bonus : Bonus
        The harness's own.
    lemma : str
        Where it is proved.
    horizon : Horizon, optional
        That of a bonus after K visits.
    uses : tuple of str
        What the proof that the bonus covers the error uses beside the confidence interval of (P̂ − P)V*.
    """
    given = partial(Claim, theorem=f"{lemma}: optimism", kind=Kind.GIVEN, clause="OPT", assumes=ASSUMED)
    event = tabular_confidence.covered(bonus)
    return (
        Claim("coverage", tabular_confidence.bonus_validity(None), source=lemma, theorem=f"{lemma}: optimism", clause="OPT",
            statement="|(P̂_k − P)V*_{h+1}(s,a)| ≤ b_{k,h}(s,a) for all k, h, s, a with N_k(s,a) > 0", kind=Kind.PROBABILITY,
            failure_probability=1.0, regimes=("published",), assumes=ASSUMED,
            follows=("value-confidence", "width", "bonus-formula", *uses), horizon=horizon),
        given("bonus-validity", tabular_confidence.bonus_validity(event), source=f"{lemma}, proof",
            statement="|(P̂_k − P)V*_{h+1}(s,a)| ≤ b_{k,h}(s,a) where N_k(s,a) > 0", given=EVENT,
            follows=("kernel", "bonus-formula")),
        given("optimism", episodic_planning.optimism(event, previous=True), source=lemma,
            statement="Q_{k,h}(s,a) ≥ Q*_h(s,a) for all s, a, h",
            given=EVENT + "s from h on, and the plan before is optimistic there",
            follows=("bonus-validity", "q-formula", "value-function")),
    )  # fmt: skip


def regret_claims(theorem: str, statement: str, bound: Callable[..., float], *, uses: tuple[str, ...] = ()) -> tuple[Claim, ...]:
    """The bound of a theorem, in (public, K, scale), and the steps of its proof; `uses` are further ones."""
    claim = partial(Claim, theorem=f"{theorem}: regret")
    return (
        claim("visit-sum", tabular_model.visit_sum(), source="Appendix B, pigeonhole", clause="SUM",
            statement="Σ_{k,h} 1/√max(1, N_k(s_h,a_h)) ≤ 2HSA + 2√(2SAT)", kind=Kind.ALWAYS, status=Status.OURS,
            why="the paper sums over episodes in which N_k is large; counts are frozen for H steps, which costs 2HSA and √2",
            follows=("visits", "plans-every-episode")),
        claim("regret-recursion", regret.recursion(
                tabular_model.model_slack, "kernel", "bonus", replaceable=tabular_model.REPLACEABLE), source="§5", clause="REC",
            statement="δ_h ≤ P δ_{h+1} + b_{k,h} + (P̂_k − P)V_{k,h+1} at visited pairs with N_k > 0, δ = V_k − V^{π_k}",
            kind=Kind.ALWAYS, assumes=ASSUMED, follows=("q-formula", "value-function", "greedy", "plays-policy")),
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
            follows=(
                "coverage",
                "optimism",
                "regret-recursion",
                "visit-sum",
                "value-confidence",
                "entry-confidence",
                "row-confidence",
                "value-range",
                *uses,
            ),
            horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K),
        ),
    )  # fmt: skip


def ucbvi_clauses(theorem: str, optimism: str) -> tuple[Clause, ...]:
    """Clauses of the paper; `optimism` is where it proves that."""
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
        Clause("FREEDMAN", "Appendix B.3", "martingale terms of the regret",
            "facts about any algorithm with values in [0, H]: no implementation can break them"),
        Clause("TYPICAL", "Lemma 3 and after", "the weighted recursion over typical episodes",
            "bookkeeping of the proof with quantities no algorithm has; what it starts from is `regret-recursion`"),
        Clause("RATE", theorem, "regret grows like √K", "a rate: measured by `verifier scale`, at part of the published bonus"),
    )  # fmt: skip
