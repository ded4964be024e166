"""Two lemmas about RLSVI that contradict each other at the beta_k of the theorem, as they are quoted.

The text of the paper was not at hand, and nothing here is about more than three quoted statements: beta_k, the number of episodes
with estimates outside of the plausible set, and the probability of optimism inside. How the set is defined does not matter.
"""

from __future__ import annotations

import math

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation

CHANCE, EPISODES = 0.6, 10
"""The coin, and for how long it is tossed."""


def too_low(chance: float, k: int, factor: float) -> float:
    """The probability that p - R > sqrt(factor log(2k) / k) after k - 1 tosses, R the number of heads over k.

    With H = S = A = 1 and beta_k = factor log(2k) the value V_1 is normal with mean R and variance beta_k / k, and less than p
    with a probability of more than Phi(1) just then.
    """
    radius = math.sqrt(factor * math.log(2 * k) / k)
    law = [math.comb(k - 1, heads) * chance**heads * (1 - chance) ** (k - 1 - heads) for heads in range(k)]
    return math.fsum(p for heads, p in enumerate(law) if chance - heads / k > radius)


def two_lemmas() -> Refutation:
    """One coin, tossed once in each of ten episodes."""
    limit = math.pi**2 / 6
    rows = [(k, too_low(CHANCE, k, 0.5), too_low(CHANCE, k, 1.0)) for k in range(1, EPISODES + 1)]
    printed, corrected = (math.fsum(row[i] for row in rows) for i in (1, 2))
    instance = prose(
        f"H = S = A = 1, rewards of 0 or 1 with mean p = {CHANCE}, K = {EPISODES}. After k − 1 tosses R̂_k is the number of heads "
        "over k, and V_1 ~ N(R̂_k, β_k/k). Where p − R̂_k > √(β_k/k), P(V_1 ≥ p | past) < Φ(−1), so that such estimates are in no "
        "set for which the second lemma holds. How likely that is, with the factor ½ of β_k and without it:"
    ) + table(("k", "with ½", "without"), rows)
    return Refutation(
        f"Σ_k P(M̂_k ∉ M_k) ≥ {show(printed)} {sign(printed <= limit)} {show(limit)} = π²/6",
        printed <= limit,
        f"with β_k = SH³log(2HSAk) the same sum is {show(corrected)} ≤ {show(limit)} = π²/6",
        corrected <= limit,
        instance,
    )


ERRATA = (
    Erratum(
        name="two-lemmas-one-set",
        source="Theorem 1, validity of the confidence sets, stochastic optimism",
        grade=Grade.FALSE,
        statement="β_k = ½SH³log(2HSAk); Σ_k P(M̂_k ∉ M_k) ≤ π²/6; P(V_1 ≥ V*_1 | past) ≥ Φ(−1) where M̂_k ∈ M_k",
        why="noise of this variance makes up for errors up to H√(log(2HSAk)/(2(n+1))), which are exceeded too often. The three "
        "statements are as others quote them: which constant is a slip, only the published text could settle",
        corrected="estimates are outside at most π²/6 times in the mean where a union bound proves it for the instance, "
        "and for this coin with β_k = SH³log(2HSAk)",
        claims=("rlsvi/failures", "rlsvi/stochastic-optimism"),
        counterexample=two_lemmas,
    ),
)
