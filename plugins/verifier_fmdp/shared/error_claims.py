"""Claims about errors: of product laws and variances, the confidence events, and the optimism that follows."""

from __future__ import annotations

from functools import partial

from verifier import Claim, Kind, Property, Status
from verifier_fmdp.shared.replay_claims import ASSUMED
from verifier_properties.factored import (
    confidence,
    decomposition,
    optimism,
    regret,
)

ANY_DATA = ("published", "scaled")
"""Regimes in which the events are looked at, always with the published logarithms: behaviour differs, and they hold for any."""


def product_claims() -> tuple[Claim, ...]:
    """Lemma E.1."""
    always = partial(Claim, source="Lemma E.1", theorem="Lemma E.1: products of laws", clause="PRODUCT", kind=Kind.ALWAYS)
    return (
        always("product-distance", decomposition.distance_of_products, statement="‖P̂ − P‖₁ ≤ Σ_j ‖P̂_j − P_j‖₁",
            follows=("kernel", "product-kernel")),
        always("product-error", decomposition.error_of_products,
            statement="|(P̂ − P)V| ≤ Σ_j |(P̂_j − P_j)V| + (sp(V)/2) Σ_{i<j} ‖P̂_i − P_i‖₁‖P̂_j − P_j‖₁", status=Status.OURS,
            why="sharper than the printed ‖V‖_∞ Σ_{i≠j}, which it implies", follows=("kernel", "product-kernel")),
    )  # fmt: skip


def variance_claims() -> tuple[Claim, ...]:
    """Theorem 1 and its corollary, of the policies that are played."""
    same = partial(
        Claim, theorem="Theorem 1: variance of the return", clause="VARIANCE", kind=Kind.IDENTITY, assumes=ASSUMED,
        unbreakable="about the true values of any policy: it checks the harness's own sigma^2_i by a second route",
    )  # fmt: skip
    return (
        same("variance-recursion", decomposition.variance_recursion, source="Theorem 1",
            statement="ω²_h = Pω²_{h+1} + Σ_i σ²_{P,i}(V^π_{h+1}) + m⁻² Σ_i σ²_{R,i}"),
        same("factor-order", decomposition.factor_order, source="Theorem 1",
            statement="Σ_i σ²_{P,i}(V) = Var_P(V) in every order of the factors", status=Status.OURS,
            why="implicit in the paper, which fixes an order"),
        same("return-variance", decomposition.return_variance, source="Corollary 1.1",
            statement="Σ_h E_w[Σ_i σ²_{P,i}(V^π_{h+1}) + m⁻² Σ_i σ²_{R,i}] = Var(Σ_h r_h | s_1)", status=Status.OURS,
            why="the equality behind the printed bound"),
        same("return-variance-bound", decomposition.return_variance_bound, source="Corollary 1.1",
            statement="the same is at most H²/4", kind=Kind.ALWAYS, status=Status.OURS,
            why="sharper than the printed H²: a return in [0, H] has variance at most H²/4"),
    )  # fmt: skip


NINTH = "printed with δ/9 for each event; tested with δ, which fewer runs decide and which the printed one implies"
"""Note on how rare the proofs of Lemmas D.1 and D.2 say that an event is."""


def events(lemma: str) -> str:
    """Heading of the events of a lemma; lists of claims show it, and not why a claim differs from what is printed."""
    return f"{lemma}: events, each tested at δ (printed: δ/9)"


def confidence_claims(
    lemma: str, reward: Property, value: Property, numbers: str, formulas: tuple[str, str]
) -> tuple[Claim, ...]:
    """The events of a lemma: of the rewards, of V*, and of rows and entries."""
    likely = partial(
        Claim,
        why=NINTH,
        theorem=events(lemma),
        clause="EVENT",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=ANY_DATA,
        assumes=ASSUMED,
    )
    first, second = numbers.split()
    of_rewards, of_values = formulas
    return (
        likely("reward-confidence", reward, source=f"{lemma}, {first}", statement=of_rewards,
            follows=("rewards", "reward-visits", "no-foresight")),
        likely("value-confidence", value, source=f"{lemma}, {second}", statement=of_values,
            follows=("kernel", "visits", "no-foresight")),
        likely("row-confidence", confidence.row_distance, source=f"{lemma}, (9)",
            statement="‖P̂_j − P_j‖₁ ≤ 2√(|S_j|L/N) + 4|S_j|L/(3N) at all cells", follows=("kernel", "visits", "no-foresight")),
        likely("entry-confidence", confidence.entry_distance, source=f"{lemma}, (10)",
            statement="|P̂_j(v) − P_j(v)| ≤ √(2P_j(v)L/N) + L/(3N) at all cells and values",
            follows=("kernel", "visits", "no-foresight")),
    )  # fmt: skip


def martingale_claims() -> tuple[Claim, ...]:
    """The events (11) and (12)."""
    likely = partial(
        Claim,
        why=NINTH,
        theorem=events("Lemma D.1"),
        clause="EVENT",
        kind=Kind.PROBABILITY,
        failure_probability=1.0,
        regimes=ANY_DATA,
        assumes=ASSUMED,
    )
    return (
        likely("policy-martingale", regret.martingale_of_policy, source="Lemma D.1, (11)",
            statement="Σ_{k,h} [PF(s_h,a_h) − F(s_{h+1})] ≤ 2H√(T ln(18SAT)), F = V_{k,h+1} − V^π_{h+1}",
            follows=("value-range", "plays-policy", "no-foresight")),
        likely("optimum-martingale", regret.martingale_of_optimum, source="Lemma D.1, (12)",
            statement="the same for F = V_{k,h+1} − V*_{h+1}", follows=("value-range", "plays-policy", "no-foresight")),
    )  # fmt: skip


def coverage_claims(
    lemma: str,
    given: str,
    event: optimism.Premise,
    between: tuple[optimism.Premise, str, str] | None = None,
    *,
    uses: tuple[str, ...] = (),
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
    uses : tuple of str
        The claims that lead from the event to the bonus of the transitions.
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
            follows=(
                "reward-confidence",
                "value-confidence",
                "row-confidence",
                "product-error",
                "known",
                "reward-bonus",
                "transition-bonus",
                "width",
                "reward-width",
                *uses,
            ),
        ),
        claim("reward-coverage", optimism.reward_coverage(event), statement="|R̂ − R| ≤ (1/m) Σ_i CB^R_i", given=given,
            follows=("rewards", "reward-bonus")),
        claim("transition-coverage", optimism.transition_coverage(premise, *fields.split()),
            statement="|(P̂ − P)V*_{h+1}| ≤ Σ_j CB^P_j at every known x", given=words,
            follows=("kernel", "product-error", "known", "transition-bonus", *uses)),
    )  # fmt: skip


def optimism_claims(lemma: str, given: str, event: optimism.Premise, *needs: str) -> tuple[Claim, ...]:
    """Values are optimistic, given that the bonuses cover the errors; `needs` are the fields of plans that the event reads."""
    return (
        Claim("optimism", optimism.optimism(event, *needs), source=lemma, theorem=f"{lemma}: optimism", clause="OPT",
            statement="V_{k,h}(s) ≥ V*_h(s) for all k, h, s", kind=Kind.GIVEN, given=f"{given}, from step h on", assumes=ASSUMED,
            follows=("reward-coverage", "transition-coverage", "q-formula", "value-function")),
    )  # fmt: skip
