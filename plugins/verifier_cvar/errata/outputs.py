"""Errata of what is returned after K iterations: the policy that is drawn, and the mixture of all."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import accumulate

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws, are_within

Law = dict[Fraction, Fraction]
"""Probability by value."""


def cvar(law: Law, tau: Fraction) -> Fraction:
    """The mean of the worst tau of a law, in fractions."""
    left, total = tau, Fraction(0)
    for value, chance in sorted(law.items()):
        taken = min(left, chance)
        total += taken * value
        left -= taken
    return total / tau


def mixture(laws: list[Law]) -> Law:
    """The law of a draw from one of these, chosen uniformly."""
    out: Law = {}
    for law in laws:
        for value, chance in law.items():
            out[value] = out.get(value, Fraction(0)) + chance / len(laws)
    return out


def uniform_mixture() -> Refutation:
    """A safe and a risky action, both optimal: no regret at all, and a mixture that is not optimal."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    laws = {"½": {half: Fraction(1)}, "1, or 0 with probability ¼": {Fraction(0): quarter, Fraction(1): 1 - quarter}}
    values = [cvar(law, half) for law in laws.values()]
    mixed = cvar(mixture(list(laws.values())), half)
    best, average = max(values), sum(values, Fraction(0)) / len(values)
    instance = prose(
        "H = 1, one state, τ = ½, two actions; iterations take turns, so that every π^k is optimal and the regret is zero "
        "for every K:"
    ) + table(("action pays", "CVaR"), [*zip(laws, values, strict=True), ("uniform mixture: 0, ½, 1 with 1/8, 1/2, 3/8", mixed)])
    holds = best - mixed <= 0
    return Refutation(
        f"CVaR* − CVaR(mixture) = {best - mixed} {sign(holds)} ε = 0 = (1/K) Σ_k [CVaR* − CVaR(π^k)]",
        holds,
        f"CVaR* − (1/K) Σ_k CVaR(π^k) = {best - average} ≤ ε = 0, and CVaR(mixture) = {mixed} ≤ {average} (convexity in the law)",
        best - average <= 0 and mixed <= average,
        instance,
        {
            "(1/K) Σ_k gaps ≤ ε = 0": best - average <= 0,
            "rewards have laws on [0, 1]": are_laws([list(law.values()) for law in laws.values()])
            and all(are_within(list(law), 0, 1) for law in laws.values()),
            "0 < τ ≤ 1": 0 < half <= 1,
        },
    )


def beyond(K: int, times: Fraction) -> Fraction:
    """The share of k = 1, ..., K with 1/sqrt(k) > times * 2/sqrt(K): those with 4 k times^2 < K."""
    return Fraction(sum(1 for k in range(1, K + 1) if 4 * k * times**2 < K), K)


def drawn() -> Refutation:
    """Gaps that shrink like 1/sqrt(k) meet the regret bound at every K, and a quarter of them exceeds its average."""
    delta = Fraction(1, 10)
    rows = [(K, beyond(K, Fraction(1)), beyond(K, 1 / delta)) for K in (40, 400, 4000)]
    instance = prose(
        "Gaps CVaR* − CVaR(π^k) = c/√k. Their sum over k ≤ K is at most 2c√K for every K, so that a bound 2c√K on the regret "
        "holds with certainty, and ε = 2c/√K is what it gives for the average. k is drawn uniformly, δ = 1/10:"
    ) + table(
        ("K", "P(gap_k > ε)", "P(gap_k > ε/δ)"), [(K, f"{p} = {show(float(p))}", f"{q} = {show(float(q))}") for K, p, q in rows]
    )
    worst, after = max(p for _, p, _ in rows), max(q for _, _, q in rows)
    return Refutation(
        f"P(gap_k > ε) = {', '.join(show(float(p)) for _, p, _ in rows)}, {show(float(worst))} {sign(worst <= delta)} δ = "
        f"{delta}, "
        "however large K is",
        all(p <= delta for _, p, _ in rows),
        f"E gap_k ≤ ε; P(gap_k > ε/δ) = {show(float(after))} ≤ δ (Markov)",
        after <= delta,
        instance,
        {
            # c = 1; sums over k <= K by the integral of 1/sqrt(k), checked at every K up to the largest
            "the regret bound 2c√K holds": all(
                sums <= 2 * math.sqrt(K) for K, sums in enumerate(accumulate(1 / math.sqrt(k) for k in range(1, 4001)), 1)
            ),
            "0 < δ < 1": 0 < delta < 1,
        },
    )


ERRATA = (
    Erratum(
        "uniform-mixture",
        "Appendix C (proof sketch), end of D.2",
        Grade.FALSE,
        "\"The uniform mixture of {(π^k, c^k)} is an ε-optimal policy\": if (1/K) Σ_k [CVaR* − CVaR(R(π^k, c^k))] ≤ ε, the "
        "policy that draws k and plays (π^k, c^k) is ε-optimal",
        "CVaR is convex in the law: the return of the mixture is a mixture of laws, whose worst τ lies in the worse ones. "
        "Its CVaR is at most the average of the CVaRs, and strictly below it here although all π^k are optimal. (For the "
        "mean, τ = 1, both are the same, which is where the argument comes from.)",
        "The average of the gaps is at most ε: the CVaR given k, averaged over k. No policy is named by this",
        ("ela/regret-decomposition",),
        uniform_mixture,
    ),
    Erratum(
        "drawn-policy",
        "Theorems 4.1 (second part), 5.1 and B.3",
        Grade.NOT_IMPLIED,
        "With probability 1 − δ, CVaR* − CVaR(R(π̂, ĉ)) ≤ ε for (π̂, ĉ) = (π^k, c^k) with k drawn uniformly, once the regret "
        "bound divided by K is at most ε",
        "A bound on the average bounds no single gap. Markov's inequality is vacuous for ε itself, which the drawn "
        "policy may miss with any probability below 1; gaps as the regret bound suggests miss it a quarter of the time, for "
        "every K.",
        "E_k[gap_k] ≤ ε with probability 1 − δ; the drawn one is ε/δ'-optimal with probability 1 − δ − δ', at the price of "
        "1/δ'² in K, or of estimating the CVaRs of log(1/δ') draws and keeping the best",
        ("ela/regret-decomposition",),
        drawn,
    ),
)  # fmt: skip
