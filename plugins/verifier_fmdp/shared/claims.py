"""Claims of FMDP-CH, FMDP-BF and flat UCBVI-CH."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from verifier import Claim, Kind, Property, Status
from verifier.base.arrays import Array
from verifier.model.horizon import Horizon
from verifier_properties.any_setting import widths
from verifier_properties.episodes import play, tabular_planning
from verifier_properties.episodes import regret as episodes_regret
from verifier_properties.factored import (
    assumptions,
    confidence,
    counting,
    decomposition,
    model,
    optimism,
    planning,
    regret,
)

ASSUMED = ("product-kernel", "reward-range")
REPLAYED = "The algorithm, replayed"
ANY_DATA = ("published", "scaled")
"""Regimes in which the events are looked at, always with the published logarithms: behaviour differs, and they hold for any."""


def assumption_claims() -> tuple[Claim, ...]:
    """A factored MDP with rewards in [0, 1]."""
    assume = partial(Claim, theorem="Assumptions", kind=Kind.ASSUMPTION, clause="MDP", source="§2")
    return (
        assume("product-kernel", assumptions.product_kernel, statement="P(s'|x) = Π_j P_j(s'[j] | x[Z_j])"),
        assume("reward-range", assumptions.reward_range, statement="0 ≤ r_i ≤ 1"),
    )


def width_claims() -> tuple[Claim, ...]:
    """What the logarithms are multiplied by."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, clause="BONUS", source="Algorithms 2, 3")
    published = partial(same, regimes=("published",))
    return (
        published("width", widths.width_formula(lambda public: 1.0), statement="L^P = ln(18nTSA/δ), times 1"),
        published(
            "reward-width", widths.width_formula(lambda public: 1.0, _reward_width), statement="L^R_i = ln(18mT|X_i|/δ), times 1"
        ),
        same("width-target", tabular_planning.asked_or_not, statement="the width of step h is asked with V_{h+1}"),
    )


def _reward_width(view: object) -> Array:
    """The width of the rewards, once for each step."""
    width: Array = view.reward_width  # type: ignore[attr-defined]  # every view of the factored setting has it
    return np.repeat(width[:, None], view.public.H, axis=1)  # type: ignore[attr-defined]  # likewise


def play_claims(source: str) -> tuple[Claim, ...]:
    """Values, greedy play, and when the algorithm plans."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source, clause="PLAY")
    return (
        same(
            "value-function",
            tabular_planning.value_function(lambda public: float("inf")),
            statement="V_h = max_a Q_h, V_{H+1} = 0",
        ),
        same("greedy", tabular_planning.greedy, statement="π_h(s) = argmax_a Q_h(s,a)"),
        same("plays-policy", play.plays_policy, statement="a_h^k = π_h^k(s_h^k)"),
        same("plans-every-episode", play.plans_every_episode, statement="one plan for each episode"),
        Claim(
            "value-range",
            tabular_planning.value_range,
            source=source,
            theorem=REPLAYED,
            clause="PLAY",
            statement="0 ≤ V_{k,h}(s) ≤ H",
            kind=Kind.ALWAYS,
            assumes=ASSUMED,
        ),
    )


def model_claims() -> tuple[Claim, ...]:
    """The empirical model."""
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source="§2", clause="COUNT")
    return (
        same("visits", model.visits, statement="N_{k−1}(c): visits of the cell c = x[Z_j] before episode k, of all steps"),
        same("reward-visits", model.reward_visits, statement="the same of the scopes of the rewards"),
        same("kernel", model.kernel, statement="P̂_j(v|c) = N_{k−1}(c,v) / N_{k−1}(c) where N > 0"),
        same("rewards", model.reward, statement="R̂_i(c): the mean of what was seen, 1 where nothing was"),
        Claim(
            "known",
            model.known,
            source="Algorithm 2",
            theorem=REPLAYED,
            statement="x is known where N_{k−1}(x[Z_j]) > 0 for every j",
            kind=Kind.IDENTITY,
            status=Status.CORRECTED,
            clause="KNOWN",
            why="Algorithm 2 prints the union over the factors; a row of P̂ would then be 0/0",
        ),
    )


def bonus_claims(
    source: str, reward: planning.Term, reward_formula: str, transition: planning.Term, formula: str, cross: planning.Term
) -> tuple[Claim, ...]:
    """The bonus, split by factor and before any clip, and the backup.

    Parameters
    ----------
    source : str
    reward, transition, cross : callable
        The harness's own formulas of CB^R_i, of CB^P_j, and of what of it comes from two factors.
    reward_formula, formula : str
        The same in words.
    """
    same = partial(Claim, theorem=REPLAYED, kind=Kind.IDENTITY, source=source)
    return (
        same("reward-bonus", planning.reward_bonus(reward), clause="BONUS", statement=reward_formula),
        same("transition-bonus", planning.transition_bonus(transition), clause="BONUS", statement=formula),
        same("cross-term", planning.cross_term(cross), clause="BONUS", statement="its part from the errors of two factors"),
        same(
            "q-formula",
            planning.q_formula,
            clause="Q",
            statement="Q_h = min(H, R̂ + (1/m)Σ CB^R_i + Σ CB^P_j + P̂V_{h+1}) where x is known, else H",
        ),
    )


def product_claims() -> tuple[Claim, ...]:
    """Lemma E.1."""
    always = partial(Claim, source="Lemma E.1", theorem="Lemma E.1: products of laws", clause="PRODUCT", kind=Kind.ALWAYS)
    return (
        always("product-distance", decomposition.distance_of_products, statement="‖P̂ − P‖₁ ≤ Σ_j ‖P̂_j − P_j‖₁"),
        always(
            "product-error",
            decomposition.error_of_products,
            statement="|(P̂ − P)V| ≤ Σ_j |(P̂_j − P_j)V| + (sp(V)/2) Σ_{i<j} ‖P̂_i − P_i‖₁‖P̂_j − P_j‖₁",
            status=Status.OURS,
            why="sharper than the printed ‖V‖_∞ Σ_{i≠j}, which it implies",
        ),
    )


def variance_claims() -> tuple[Claim, ...]:
    """Theorem 1 and its corollary, of the policies that are played."""
    same = partial(
        Claim, theorem="Theorem 1: variance of the return", clause="VARIANCE", kind=Kind.IDENTITY, assumes=ASSUMED,
        unbreakable="about the true values of any policy: it checks the harness's own sigma^2_i by a second route",
    )  # fmt: skip
    return (
        same(
            "variance-recursion",
            decomposition.variance_recursion,
            source="Theorem 1",
            statement="ω²_h = Pω²_{h+1} + Σ_i σ²_{P,i}(V^π_{h+1}) + m⁻² Σ_i σ²_{R,i}",
        ),
        same(
            "factor-order",
            decomposition.factor_order,
            source="Theorem 1",
            statement="Σ_i σ²_{P,i}(V) = Var_P(V) in every order of the factors",
            status=Status.OURS,
            why="implicit in the paper, which fixes an order",
        ),
        same(
            "return-variance",
            decomposition.return_variance,
            source="Corollary 1.1",
            statement="Σ_h E_w[Σ_i σ²_{P,i}(V^π_{h+1}) + m⁻² Σ_i σ²_{R,i}] = Var(Σ_h r_h | s_1)",
            status=Status.OURS,
            why="the equality behind the printed bound",
        ),
        same(
            "return-variance-bound",
            decomposition.return_variance_bound,
            source="Corollary 1.1",
            statement="the same is at most H²/4",
            kind=Kind.ALWAYS,
            status=Status.OURS,
            why="sharper than the printed H²: a return in [0, H] has variance at most H²/4",
        ),
    )


def confidence_claims(
    lemma: str, reward: Property, value: Property, numbers: str, formulas: tuple[str, str]
) -> tuple[Claim, ...]:
    """The events of a lemma: of the rewards, of V*, and of rows and entries."""
    likely = partial(
        Claim,
        theorem=f"{lemma}: events",
        clause="EVENT",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=ANY_DATA,
        assumes=ASSUMED,
    )
    first, second = numbers.split()
    of_rewards, of_values = formulas
    return (
        likely("reward-confidence", reward, source=f"{lemma}, {first}", statement=of_rewards),
        likely("value-confidence", value, source=f"{lemma}, {second}", statement=of_values),
        likely(
            "row-confidence",
            confidence.row_distance,
            source=f"{lemma}, (9)",
            statement="‖P̂_j − P_j‖₁ ≤ 2√(|S_j|L/N) + 4|S_j|L/(3N) at all cells",
        ),
        likely(
            "entry-confidence",
            confidence.entry_distance,
            source=f"{lemma}, (10)",
            statement="|P̂_j(v) − P_j(v)| ≤ √(2P_j(v)L/N) + L/(3N) at all cells and values",
        ),
    )


def martingale_claims() -> tuple[Claim, ...]:
    """The events (11) and (12)."""
    likely = partial(
        Claim,
        theorem="Lemma D.1: events",
        clause="EVENT",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=ANY_DATA,
        assumes=ASSUMED,
    )
    return (
        likely(
            "policy-martingale",
            regret.martingale_of_policy,
            source="Lemma D.1, (11)",
            statement="Σ_{k,h} [PF(s_h,a_h) − F(s_{h+1})] ≤ 2H√(T ln(18SAT)), F = V_{k,h+1} − V^π_{h+1}",
        ),
        likely(
            "optimum-martingale",
            regret.martingale_of_optimum,
            source="Lemma D.1, (12)",
            statement="the same for F = V_{k,h+1} − V*_{h+1}",
        ),
    )


def coverage_claims(
    lemma: str, given: str, event: optimism.Premise, between: tuple[optimism.Premise, str, str] | None = None
) -> tuple[Claim, ...]:
    """The bonuses cover the errors.

    Parameters
    ----------
    lemma : str
    given : str
        The event in words.
    event : callable
    between : (callable, str, str), optional
        For the transitions, where more is needed than the event: that, in words, and the plan field it reads.
    """
    claim = partial(
        Claim, source=lemma, theorem=f"{lemma}: the bonus covers the error", clause="COVER", kind=Kind.GIVEN, assumes=ASSUMED
    )
    premise, words, fields = between or (event, given, "")
    return (
        Claim(
            "coverage",
            optimism.coverage,
            source=lemma,
            theorem=f"{lemma}: the bonus covers the error",
            clause="COVER",
            statement="|R̂ − R| + |(P̂ − P)V*_{h+1}| ≤ CB_h at every known x, for all k, h",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=ASSUMED,
        ),
        claim("reward-coverage", optimism.reward_coverage(event), statement="|R̂ − R| ≤ (1/m) Σ_i CB^R_i", given=given),
        claim(
            "transition-coverage",
            optimism.transition_coverage(premise, *fields.split()),
            statement="|(P̂ − P)V*_{h+1}| ≤ Σ_j CB^P_j at every known x",
            given=words,
        ),
    )


def optimism_claims(lemma: str, given: str, event: optimism.Premise) -> tuple[Claim, ...]:
    """Values are optimistic, given that the bonuses cover the errors."""
    return (
        Claim(
            "optimism",
            optimism.optimism(event),
            source=lemma,
            theorem=f"{lemma}: optimism",
            clause="OPT",
            statement="V_{k,h}(s) ≥ V*_h(s) for all k, h, s",
            kind=Kind.GIVEN,
            given=f"{given}, from step h on",
            assumes=ASSUMED,
        ),
    )


def regret_claims(theorem: str, statement: str, bound: Callable[..., float]) -> tuple[Claim, ...]:
    """The chain behind the regret, and an explicit bound, in (public, K, scale)."""
    return (
        Claim(
            "regret-chain",
            regret.chain,
            source="Lemma E.3, proof",
            theorem=f"{theorem}: regret",
            clause="CHAIN",
            statement="V_{k,1} − V^{π_k}_1 ≤ Σ_h E_w[CB_h + (R̂ − R) + (P̂ − P)V_{k,h+1}], H − R − PV where x is unknown",
            kind=Kind.ALWAYS,
            assumes=ASSUMED,
        ),
        Claim(
            "regret",
            episodes_regret.regret_bound(bound),
            source=theorem,
            theorem=f"{theorem}: regret",
            clause="REGRET",
            statement=statement,
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=("published",),
            assumes=ASSUMED,
            status=Status.OURS,
            why="the paper's constants are hidden; an explicit bound by ‖P̂_j − P_j‖₁, so with √|S_j| more in the leading term",
            horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: float(public.H * K)),
        ),
    )


def counting_claims() -> tuple[Claim, ...]:
    """Lemmas F.2 to F.5."""
    claim = partial(Claim, theorem="Appendix F: visits", assumes=ASSUMED)
    given = "(15) holds of the run"
    printed = partial(claim, kind=Kind.GIVEN, given=given)

    def proof(checked: Property) -> str:
        return counting.UNBREAKABLE[checked]

    return (
        claim(
            "expected-visits",
            counting.expected_visits,
            source="Lemma D.2, (15)",
            clause="EVENT",
            statement="N_{k−1}(c) ≥ W_k(c)/2 − H ln(18n|X_i|H/δ) for all k, c",
            kind=Kind.PROBABILITY,
            failure_probability=1.0,
            regimes=ANY_DATA,
            status=Status.CORRECTED,
            why="printed with N_k and the sum over episodes before k; lemmas F.4 and F.5 need N_{k−1}",
        ),
        printed(
            "good-visits",
            counting.good_visits,
            source="Lemma F.2",
            clause="VISITS",
            statement="W_k(c)/4 ≥ H ln(18n|X_i|H/δ) + H implies N_{k−1}(c) ≥ W_k(c)/4",
            unbreakable=proof(counting.good_visits),
        ),
        claim(
            "bad-weight",
            counting.bad_weight,
            source="Lemma F.3",
            clause="VISITS",
            kind=Kind.ALWAYS,
            statement="Σ_k Σ_{c not good} w_k(c) ≤ 8H|X_i| ln(18n|X_i|H/δ)",
            unbreakable=proof(counting.bad_weight),
        ),
        printed(
            "good-sum",
            counting.good_sum,
            source="Lemma F.4",
            clause="VISITS",
            statement="Σ_k Σ_{c good} w_k(c)/N_{k−1}(c) ≤ 4|X_i| ln T",
            unbreakable=proof(counting.good_sum),
        ),
        printed(
            "inverse-sum",
            counting.inverse_sum,
            source="Lemma F.5, (25), (28)",
            clause="SUMS",
            statement="Σ w/max(1,N_i) ≤ 4|X_i| ln T + 8H|X_i| ln(18n|X_i|H/δ)",
            status=Status.CORRECTED,
            why="8|X_i| ln T alone is false: absorbing it needs T exponential in H",
            unbreakable=proof(counting.inverse_sum),
        ),
        printed(
            "root-sum",
            counting.root_sum,
            source="Lemma F.5, (26), (29)",
            clause="SUMS",
            statement="Σ w/√(N_iN_j) ≤ √(B_iB_j), B the bounds of (25)",
            status=Status.CORRECTED,
            why="8|X_i| ln T is false where |X_j| is larger than |X_i|",
            unbreakable=proof(counting.root_sum),
        ),
        printed(
            "quarter-sum",
            counting.quarter_sum,
            source="Lemma F.5, (27), (30)",
            clause="SUMS",
            statement="Σ w/(N_i^{1/2}N_j^{1/4}) ≤ B_i^{1/2} B_j^{1/4} T^{1/4}, B the bounds of (25)",
            status=Status.CORRECTED,
            why="follows from (25) as it is repaired",
            unbreakable=proof(counting.quarter_sum),
        ),
    )


def visit_sum_claims() -> tuple[Claim, ...]:
    """The counting of Lemma E.3."""
    return (
        Claim(
            "visit-sum",
            counting.visit_sum,
            source="Lemma E.3, counting",
            theorem="Theorem 5: regret",
            clause="SUMS",
            statement="Σ_{k,h} 1/√max(1, N_{k−1}(c_kh)) ≤ 2√(2|X_i|T) + 2H|X_i|",
            kind=Kind.ALWAYS,
            status=Status.CORRECTED,
            why="the printed constant lacks the 2 of Σ v^{-1/2} ≤ 2√N, and √2 and 2H|X_i| for counts frozen during an episode",
            unbreakable=counting.UNBREAKABLE[counting.visit_sum],
        ),
    )
