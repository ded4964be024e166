"""Statements of the paper of KL-UCB that are false as printed: a deviation bound for one round, and two constants of a proof."""

from __future__ import annotations

import math

from verifier.model.erratum import Erratum, Grade, Refutation


def divergence(p: float, q: float) -> float:
    """Divergence p ln(p/q) + (1-p) ln((1-p)/(1-q)), for 0 <= p < 1 and 0 < q < 1; 0 ln 0 is 0."""
    return (p * math.log(p / q) if p > 0 else 0.0) + (1 - p) * math.log((1 - p) / (1 - q))


def level(t: int) -> float:
    """Level ln t + 3 ln ln t of round t."""
    return math.log(t) + 3 * math.log(math.log(t))


def one_round() -> Refutation:
    """One coin, looked at once: the upper bound is below its mean where it pays 0."""
    mu, delta, n = 0.9, 2.0, 1
    chance = (1 - mu) * (divergence(0.0, mu) > delta)  # u(1) = 1 where it pays 1
    factor = math.ceil(delta * math.log(n))
    printed, corrected = (math.e * each * math.exp(-delta) for each in (factor, max(factor, 1)))
    return Refutation(
        printed=f"P(u(1) < mu) = {chance:.3g} <= e ceil(delta log 1) exp(-delta) = {printed:.3g}",
        printed_holds=chance <= printed,
        corrected=f"{chance:.3g} <= e max(ceil(delta log 1), 1) exp(-delta) = {corrected:.3g}",
        corrected_holds=chance <= corrected,
        instance=f"n = 1, delta = {delta:g}; X_1 is 1 with probability {mu:g}, else 0, and is counted.\n"
        f"Where it is 0, u(1) = 1 - exp(-{delta:g}) = {1 - math.exp(-delta):.3g} < {mu:g}.",
        hypotheses={"0 <= mu <= 1": 0 <= mu <= 1, "delta > 0": delta > 0, "n is a positive integer": n >= 1},
    )


def exponent() -> Refutation:
    """Two arms, and a place r between their means; epsilon is that of r."""
    mu, best, r, n = 0.5, 0.75, 0.6, 1000
    most, rest, own = divergence(mu, best), divergence(r, best), divergence(r, mu)
    epsilon = most / rest - 1
    early = math.floor((1 + epsilon) / most * level(n))
    tail = math.exp(-own * early) / (1 - math.exp(-own))
    printed, corrected = ((1 + epsilon) * each / most for each in (rest, own))
    bounds = [n**-beta / (1 - math.exp(-own)) for beta in (printed, corrected)]
    return Refutation(
        printed=f"{tail:.3g} <= C_2 / n^beta = {bounds[0]:.3g}, beta = {printed:.3g}",
        printed_holds=tail <= bounds[0],
        corrected=f"{tail:.3g} <= {bounds[1]:.3g}, beta = (1 + epsilon) d(r, mu_a) / d(mu_a, mu_1) = {corrected:.3g}",
        corrected_holds=tail <= bounds[1],
        instance=f"mu_a = {mu:g}, mu_1 = {best:g}, r = {r:g}, so that epsilon = {epsilon:.3g}; n = {n}, K_n = {early}",
        hypotheses={
            "mu_a < r < mu_1": mu < r < best,
            "epsilon > 0": epsilon > 0,
            "d(r, mu_1) = d(mu_a, mu_1) / (1 + epsilon)": math.isclose(rest, most / (1 + epsilon)),
        },
    )


def constant_of_sum() -> Refutation:
    """Three rounds, of which the last alone counts: at t = 2 the term is 0, and at t = 1 it is not defined."""
    n = 3
    term = math.e * math.ceil(math.log(n) ** 2 + 3 * math.log(n) * math.log(math.log(n))) / (n * math.log(n) ** 3)
    loglog = math.log(math.log(n))
    return Refutation(
        printed=f"the term of t = 3 is {term:.3g} <= 7 log log 3 = {7 * loglog:.3g}",
        printed_holds=term <= 7 * loglog,
        corrected=f"{term:.3g} <= 7 (1 + log log 3) = {7 * (1 + loglog):.3g}",
        corrected_holds=term <= 7 * (1 + loglog),
        instance=f"n = {n}; nothing else enters",
        hypotheses={"log log n > 0": loglog > 0},
    )


PLAYS = tuple(f"kl-ucb/plays-of-arm-{rank}" for rank in range(1, 5))

ERRATA = (
    Erratum(
        "one-round",
        "Theorem 10",
        Grade.FALSE,
        "P(u(n) < μ) ≤ e⌈δ log n⌉ exp(−δ) for all δ > 0 and n",
        "for n = 1 the bound is 0, since log 1 = 0, and the slices of the proof are none; for n ≥ 2 it is at least e · exp(−δ)",
        "e max(⌈δ log n⌉, 1) exp(−δ), the same for n ≥ 2; the rounds of Algorithm 1 with an index are among these",
        ("kl-ucb/underestimates",),
        one_round,
    ),
    Erratum(
        "exponent",
        "Lemma 8, proof",
        Grade.STEP,
        "exp(−d(r(ε), μ_a) K_n) / (1 − exp(−d(r(ε), μ_a))) ≤ C_2(ε) / n^β(ε), β(ε) = (1 + ε) d(r(ε), μ_1) / d(μ_a, μ_1)",
        "by the definition of r(ε) this β(ε) is 1 for every ε, while the proof says O(ε²); d(r(ε), μ_a) is meant",
        "β(ε) = (1 + ε) d(r(ε), μ_a) / d(μ_a, μ_1); the claims keep the left side as it is",
        ("kl-ucb/plays-of-losing-arms", *PLAYS, "kl-ucb/regret"),
        exponent,
    ),
    Erratum(
        "constant-of-sum",
        "Theorem 2, proof",
        Grade.STEP,
        "Σ_t e⌈log² t + 3 log t log log t⌉ / (t log³ t) ≤ C'_1 log log n, and C'_1 ≤ 7 is sufficient",
        "log log n is below 0.1 at n = 3, where the sum is 1.37, and it is negative at n = 2",
        "the sum itself, which the claims keep; 7 (1 + log log n) is above it from n = 3 to 10⁶",
        ("kl-ucb/underestimates", "kl-ucb/plays-of-losing-arms", *PLAYS, "kl-ucb/regret"),
        constant_of_sum,
    ),
)
