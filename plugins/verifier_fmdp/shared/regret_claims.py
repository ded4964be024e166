"""Claims about regret, and the sums over visits that bound it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from verifier import Claim, Kind, Property, Status
from verifier.model.horizon import Horizon
from verifier_fmdp.shared.error_claims import ANY_DATA, NINTH, events
from verifier_fmdp.shared.replay_claims import ASSUMED
from verifier_properties.episodes import regret as episodes_regret
from verifier_properties.factored import (
    counting,
    regret,
)


def regret_claims(theorem: str, statement: str, bound: Callable[..., float], *, uses: tuple[str, ...]) -> tuple[Claim, ...]:
    """The chain behind the regret, and an explicit bound, in (public, K, scale); `uses` are further steps of its proof."""
    return (
        Claim("regret-chain", regret.chain, source="Lemma E.3, proof", theorem=f"{theorem}: regret", clause="CHAIN",
            statement="V_{k,1} − V^{π_k}_1 ≤ Σ_h E_w[CB_h + (R̂ − R) + (P̂ − P)V_{k,h+1}], H − R − PV where x is unknown",
            kind=Kind.ALWAYS, assumes=ASSUMED, follows=("q-formula", "value-function", "greedy")),
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
            follows=("regret-chain", "optimism", "coverage", "row-confidence", "value-range", "plays-policy", *uses),
        ),
    )  # fmt: skip


def counting_claims() -> tuple[Claim, ...]:
    """Lemmas F.2 to F.5."""
    claim = partial(Claim, theorem="Appendix F: visits", assumes=ASSUMED)
    given = "(15) holds of the run"
    printed = partial(claim, kind=Kind.GIVEN, given=given)

    def proof(checked: Property) -> str:
        return counting.UNBREAKABLE[checked]

    return (
        claim("expected-visits", counting.expected_visits, source="Lemma D.2, (15)", theorem=events("Lemma D.2"), clause="EVENT",
            statement="N_{k−1}(c) ≥ W_k(c)/2 − H ln(18n|X_i|H/δ) for all k, c, of transitions and, with m for n, of rewards",
            kind=Kind.PROBABILITY, failure_probability=1.0, regimes=ANY_DATA, status=Status.CORRECTED,
            why=f"printed with N_k and the sum over episodes before k; lemmas F.4 and F.5 need N_{{k−1}}; {NINTH}",
            follows=("visits", "plays-policy", "no-foresight")),
        printed("good-visits", counting.good_visits, source="Lemma F.2", clause="VISITS",
            statement="W_k(c)/4 ≥ H ln(18n|X_i|H/δ) + H implies N_{k−1}(c) ≥ W_k(c)/4", unbreakable=proof(counting.good_visits),
            follows=("expected-visits",)),
        claim("bad-weight", counting.bad_weight, source="Lemma F.3", clause="VISITS", kind=Kind.ALWAYS,
            statement="Σ_k Σ_{c not good} w_k(c) ≤ 8H|X_i| ln(18n|X_i|H/δ)", unbreakable=proof(counting.bad_weight)),
        printed("good-sum", counting.good_sum, source="Lemma F.4", clause="VISITS",
            statement="Σ_k Σ_{c good} w_k(c)/N_{k−1}(c) ≤ 4|X_i| ln T", unbreakable=proof(counting.good_sum),
            follows=("good-visits",)),
        printed("inverse-sum", counting.inverse_sum, source="Lemma F.5, (25), (28)", clause="SUMS",
            statement="Σ w/max(1,N_i) ≤ 4|X_i| ln T + 8H|X_i| ln(18n|X_i|H/δ)", status=Status.CORRECTED,
            why="8|X_i| ln T alone is false: absorbing it needs T exponential in H", unbreakable=proof(counting.inverse_sum),
            follows=("good-sum", "bad-weight")),
        printed("root-sum", counting.root_sum, source="Lemma F.5, (26), (29)", clause="SUMS",
            statement="Σ w/√(N_iN_j) ≤ √(B_iB_j), B the bounds of (25)", status=Status.CORRECTED,
            why="the root of (26) cannot be read: with it, 8|X_i| ln T does not follow where |X_j| is larger than |X_i|",
            unbreakable=proof(counting.root_sum), follows=("inverse-sum",)),
        printed("quarter-sum", counting.quarter_sum, source="Lemma F.5, (27), (30)", clause="SUMS",
            statement="Σ w/(N_i^{1/2}N_j^{1/4}) ≤ B_i^{1/2} B_j^{1/4} T^{1/4}, B the bounds of (25)", status=Status.CORRECTED,
            why="follows from (25) as it is repaired", unbreakable=proof(counting.quarter_sum), follows=("inverse-sum",)),
    )  # fmt: skip


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
