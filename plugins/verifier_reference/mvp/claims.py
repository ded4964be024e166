"""The claims of MVP, one per checkable clause of the paper."""

from __future__ import annotations

from functools import partial

from verifier import PSEUDO_CODE, Claim, Clause, Kind, Status
from verifier_properties.any_setting import widths
from verifier_properties.episodes import tabular_planning
from verifier_properties.episodic import doubled_confidence, doubled_model, doubling, monotone_bonus, tabular_model
from verifier_properties.episodic import planning as episodic_planning
from verifier_reference.shared.claims import REPLAYED, TABULAR, assumption_claims, planning_claims, regret_bound_claims
from verifier_reference.shared.mvp import logarithm, regret

EVENT = "F(V*_{h+1}) ≥ r + PV*_{h+1} with the harness's own r̂ and P̂ at every pair seen, at this plan and step"
IOTA = "ι = log(9S²AH(1+log₂T)/δ)"
COUNTED = "the paper has one ι for each inequality and counts them in the end; here δ is what all of them fail with, and " + IOTA
UNITS = "printed with rewards that add up to 1; here values are in [0, H]"
F = "F(v) = r̂ + c₂√(Hr̂ι/n) + 16Hι/n + P̂v + max{(20/3)√(Var_P̂(v)ι/n), (400/9)Hι/n}"


def _model_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 1", clause="MODEL", follows=(PSEUDO_CODE,))
    return (
        same("visits", doubled_model.visits, statement="n(s,a) is the largest power of two that N(s,a) has reached"),
        same("kernel", doubled_model.kernel, statement="P̂(y|s,a) = N(s,a,y)/N(s,a) when N(s,a) last reached a power of two",
            follows=(PSEUDO_CODE, "visits")),
        same("reward", doubled_model.reward,
            statement="r̂(s,a) = 2θ/n, θ the sum of the rewards of visits n/2 + 1 to n; the first reward where n = 1",
            follows=(PSEUDO_CODE, "visits")),
    )  # fmt: skip


def _planning_claims() -> tuple[Claim, ...]:
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="Algorithm 1", follows=(PSEUDO_CODE,))
    return (
        same("width", widths.width_formula("log(9 * S**2 * A * H * (1 + log(T) / log(2)) / delta)"), clause="IOTA",
            statement=IOTA, regimes=("published",), status=Status.OURS, why=COUNTED),
        same(
            "bonus-formula",
            tabular_model.bonus_formula(
                monotone_bonus.MONOTONE, "The bonuses of every plan against the formula, from the transcript."
            ),
            clause="BONUS",
            statement="b_h = c₁√(Var_P̂(V_{h+1})ι/n) + c₂√(Hr̂ι/n) + c₃Hι/n, (c₁, c₂, c₃) = (460/9, 2√2, 544/9)",
            follows=(PSEUDO_CODE, "visits", "kernel", "reward", "width-target"),
            status=Status.OURS,
            why=UNITS,
        ),
        same("q-formula", tabular_model.q_formula(monotone_bonus.MONOTONE, monotone=False), clause="Q",
            statement="Q_h = min(r̂ + P̂V_{h+1} + b_h, H), H where nothing was seen",
            follows=(PSEUDO_CODE, "visits", "kernel", "reward", "bonus-formula", "width-target"), status=Status.OURS, why=UNITS),
        *planning_claims(
            "Algorithm 1",
            "PLAY",
            (
                "plans-when-triggered",
                doubled_model.plans_when_triggered,
                "a plan after each episode in which some N(s,a) reached a power of two, and no other",
            ),
        ),
        Claim("value-range", tabular_planning.value_range, source="Algorithm 1", theorem=REPLAYED, clause="Q",
            statement="0 ≤ V_h(s) ≤ H", follows=("q-formula", "value-function"), kind=Kind.ALWAYS, assumes=TABULAR),
    )  # fmt: skip


def _monotone_claims() -> tuple[Claim, ...]:
    return (
        Claim("propagation", monotone_bonus.propagation, source="Lemma 14", theorem="Lemma 14: propagation is monotone",
            clause="MONOTONE", statement=f"Q_h ≥ min(F(v), H) for all v ≤ V_{{h+1}}; {F}", kind=Kind.ALWAYS, assumes=TABULAR,
            follows=("q-formula", "bonus-formula", "value-range"), status=Status.OURS,
            why="the lemma is about the maximum in F alone; " + UNITS),
    )  # fmt: skip


def _confidence_claims() -> tuple[Claim, ...]:
    likely = partial(
        Claim,
        theorem="Theorem 1, proof: confidence",
        source="Theorem 1, proof",
        clause="EVENT",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        status=Status.OURS,
        why=COUNTED,
        regimes=("published",),
        assumes=TABULAR,
    )
    return (
        likely("value-confidence", doubled_confidence.value_confidence(logarithm),
            statement="|(P̂ − P)V*_{h+1}| ≤ min{2√(Var_P̂(V*)ι/n) + 14Hι/(3n), √(2Var_P(V*)ι/n) + Hι/(3n)}",
            follows=("visits", "kernel", "no-foresight")),
        likely("reward-confidence", doubled_confidence.reward_confidence(logarithm),
            statement="|r̂ − r| ≤ 2√(2Hr̂ι/n) + 28Hι/(3n)", follows=("visits", "reward", "no-foresight")),
        likely("entry-confidence", doubled_confidence.entry_confidence(logarithm),
            statement="|P̂(y) − P(y)| ≤ √(2P(y)ι/n) + ι/(3n)", follows=("visits", "kernel", "no-foresight")),
        likely("coverage", monotone_bonus.coverage, theorem="Theorem 1, proof: optimism", clause="OPT",
            statement=f"F(V*_{{h+1}}) ≥ r + PV*_{{h+1}} at all pairs seen, plans and steps; {F}",
            follows=("value-confidence", "reward-confidence", "width", "visits", "kernel", "reward")),
        Claim("optimism", episodic_planning.optimism(monotone_bonus.covered), source="Theorem 1, proof",
            theorem="Theorem 1, proof: optimism", clause="OPT", statement="Q_h(s,a) ≥ Q*_h(s,a) for all s, a, h", kind=Kind.GIVEN,
            given=EVENT, assumes=TABULAR, follows=("propagation", "q-formula", "value-function")),
    )  # fmt: skip


def _regret_claims() -> tuple[Claim, ...]:
    claim = partial(Claim, theorem="Theorem 1: regret", source="Theorem 1, proof", kind=Kind.ALWAYS, status=Status.OURS)
    return (
        claim("planning-calls", doubling.planning_calls, clause="CALLS", statement="at most SA log₂(8T/(SA)) plans, for T ≥ SA",
            why="the paper has SA times the number of triggers; a pair that is visited less often has fewer",
            follows=("plans-when-triggered",)),
        claim("visit-sum", doubled_model.visit_sum, clause="SUM",
            statement="Σ_{k,h} 1/max(1, n_k(s_h,a_h)) ≤ SA(3H − 2 + log₂(8T/(SA))), for T ≥ SA",
            why="the paper leaves out what is played in an episode after a trigger; this is for all steps, with constants",
            follows=("visits", "plans-when-triggered")),
        claim("regret-recursion", monotone_bonus.recursion, clause="REC",
            statement="δ_h ≤ Pδ_{h+1} + r̂ − r + b_h + (P̂ − P)V_{h+1} at visited pairs with n > 0, δ = V − V^π",
            why="one step of the proof, with what the plans report", assumes=TABULAR,
            follows=("q-formula", "value-function", "greedy", "plays-policy")),
    )  # fmt: skip


CLAIMS = (
    *assumption_claims("MDP"),
    *_model_claims(),
    *_planning_claims(),
    *_monotone_claims(),
    *_confidence_claims(),
    *_regret_claims(),
    *regret_bound_claims(
        "Theorem 1",
        regret,
        "R_K ≤ H(2B + 3G/2 + 8(e−2)ι), G = SA log₂(8T/(SA)), √B = y + √(y² + x), see `shared/mvp`; (4a+16)H√(ιGK) at the end",
        f"printed as O(√(SAKι) + S²Aι) up to logarithms; this is the end of a proof with all constants. {UNITS}",
        (
            "optimism",
            "coverage",
            "regret-recursion",
            "visit-sum",
            "planning-calls",
            "value-confidence",
            "reward-confidence",
            "entry-confidence",
            "value-range",
            "no-foresight",
        ),
    ),
)
_TEXT = "only the published text could settle"
CLAUSES = (
    Clause("MDP", "§2", "finite MDP with one kernel for all steps; rewards in [0, 1], with noise or not"),
    Clause("MODEL", "Algorithm 1", "the model of a pair changes when its count reaches a power of two"),
    Clause("IOTA", "Algorithm 1", "the logarithm"),
    Clause("BONUS", "Algorithm 1", "the bonus"),
    Clause("Q", "Algorithm 1", "optimistic value iteration, cut at the largest value"),
    Clause("PLAY", "Algorithm 1", "greedy play; planning when the model has changed"),
    Clause("MONOTONE", "Lemma 14", "a lower bound of the update that does not decrease in the next values"),
    Clause("EVENT", "Theorem 1, proof", "confidence intervals of the model"),
    Clause("OPT", "Theorem 1, proof", "optimism"),
    Clause("CALLS", "Theorem 1, proof", "number of plans"),
    Clause("SUM", "Theorem 1, proof", "sum of 1/n"),
    Clause("REC", "Theorem 1, proof", "one step of the regret"),
    Clause("REGRET", "Theorem 1", "regret"),
    Clause("RATE", "Theorem 1", "regret grows like √K",
        "a rate: measured by `verifier scale`, at part of the published logarithm"),
    Clause("VARIANCES", "Theorem 1, proof", "sums of the variances of V, V − V* and V − V^π",
        "facts about any algorithm whose values lie in [0, H] and are optimistic; `shared/mvp` derives them with constants"),
    Clause("TRIGGERS", "Algorithm 1", "which powers of two are triggers",
        f"all here; whether the last one, above KH/2, is one is what {_TEXT}: it is reached by one pair at most"),
    Clause("UPDATE", "Lemma 14 and before", "whether the update itself is said not to decrease when the next values rise",
        f"{_TEXT} that: with the sum in b it may decrease, and no step of the proof needs more than F"),
    Clause("HORIZON", "Theorem 1", "the bound has no factor that grows with H but logarithms, where rewards add up to 1",
        "a comparison of instances, whose rewards here grow with H; the rest of the bound is what `regret` has"),
)  # fmt: skip
