"""Errata of the maximum likelihood guarantee, Lemma E.1: its constant, and the union over iterations."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws


@dataclass(frozen=True)
class Coins:
    """Model class with one transition (H = 2, A = d = 1) into {-1, 1}^m, uniform in truth; 2m decoys, each with one unfair coin.

    Decoy (i, +-) has the law 2^-m (1 +- eps s_i): its L1 distance from the truth is f = eps. Coins are independent, so whether
    some decoy is more likely than the truth is decided coin by coin. D_1 and D~_1 have k samples each.

    Attributes
    ----------
    m : int
        Number of coins.
    eps : Fraction
        In (0, 1).
    """

    m: int
    eps: Fraction

    @property
    def size(self) -> int:
        """Size |F| of the class."""
        return 2 * self.m + 1

    def needed(self, n: int) -> int:
        """Least number of heads out of n with which a coin that favours heads is more likely than a fair one."""
        up, down = math.log1p(float(self.eps)), math.log1p(-float(self.eps))
        return math.floor(-n * down / (up - down)) + 1

    def beaten(self, n: int) -> Fraction:
        """The probability that one coin, unfair one way or the other, is more likely than a fair one after n samples."""
        return Fraction(2 * sum(math.comb(n, j) for j in range(self.needed(n), n + 1)), 2**n)

    def error(self, n: int) -> float:
        """The probability that, after n samples, the likeliest model is a decoy."""
        return -math.expm1(self.m * math.log1p(-float(self.beaten(n))))

    def error_ever(self, first: int, last: int) -> float:
        """The probability that the likeliest model is a decoy for some k = first, ..., last, there being 2k samples."""
        heads = np.ones(1)
        for n in range(1, 2 * last + 1):
            heads = (np.append(heads, 0.0) + np.append(0.0, heads)) / 2
            if n % 2 == 0 and n >= 2 * first:
                j = np.arange(n + 1)
                heads[(j >= self.needed(n)) | (n - j >= self.needed(n))] = 0.0
        return float(1 - heads.sum() ** self.m)


H, DELTA = 2, 0.1


def _coins_in_order(unfair: list[Fraction]) -> dict[str, bool]:
    """Decoys are products of laws of coins, of which the unfair one has these."""
    return {"models are laws": are_laws([[(1 + eps) / 2, (1 - eps) / 2] for eps in unfair]), "0 < δ < 1": 0 < DELTA < 1}


def constant() -> Refutation:
    """Fifty coins, fifty samples in each data set."""
    m, k = 50, 50
    unfair: list[Fraction] = []
    rows: list[tuple[Fraction, float, float, float, float, float]] = []
    for eps in (Fraction(2, 5), Fraction(3, 5), Fraction(3, 4)):
        coins = Coins(m, eps)
        single = math.log(coins.size / DELTA) / k
        union = 0.5 * math.log(coins.size * H * k / DELTA) / k
        unfair.append(eps)
        rows.append((eps, float(eps**2), single, union, 4 * single, coins.error(2 * k)))
    instance = prose(
        "H = 2, A = d = 1: one transition, into {−1, 1}⁵⁰, uniform in truth. 100 decoys 2⁻⁵⁰(1 ± ε s_i), all at distance f = "
        "ε; |F| = 101, k = 50 (100 samples, half of them in D̃), δ = 0.1. Some decoy is likelier than the truth if and only "
        "if some coin shows enough heads, or tails; exactly:"
    ) + table(("ε", "f²", "log(|F|/δ)/k", "½ log(|F|Hk/δ)/k", "4 log(|F|/δ)/k", "P(the MLE is a decoy)"), rows)
    broken = [chance for _, f2, single, union, _, chance in rows if f2 > max(single, union)]
    allowed = [chance for _, f2, _, _, corrected, chance in rows if f2 > corrected]
    printed_holds = max(broken) <= DELTA
    return Refutation(
        f"P(E f² > log(|F|/δ)/k) = P(E f² > ½ ζ_k) = {show(max(broken))} {sign(printed_holds)} δ = {DELTA}",
        printed_holds,
        f"P(E f² > 4 log(|F|/δ)/k) = {show(max(allowed))} ≤ δ = {DELTA}",
        max(allowed) <= DELTA,
        instance,
        _coins_in_order(unfair),
    )


def repaired(size: int, k: int) -> float:
    """log(|F| H k^2 pi^2 / (6 delta)): what the logarithm becomes where 6 delta / (pi^2 H k^2) is spent on (h, k)."""
    return math.log(size * H * k**2 * math.pi**2 / (6 * DELTA))


def union() -> Refutation:
    """Refutation by the sum of failure probabilities delta/(Hk), and what Ville's inequality gives."""
    rows = []
    for K in (1, 2, 10, 100, 10_000):
        harmonic = math.fsum(1 / k for k in range(1, K + 1))
        together = -math.expm1(H * math.fsum(math.log1p(-DELTA / (H * k)) for k in range(1, K + 1)))
        rows.append((K, DELTA * harmonic, together))
    coins, last = Coins(50, Fraction(3, 4)), 2000
    level = 4 * math.log(coins.size * H / DELTA)
    first = math.ceil(level / float(coins.eps) ** 2)
    ever = coins.error_ever(first, last)
    instance = prose(
        "A bound at one (h, k) that fails with probability δ becomes one that fails with probability δ/(Hk) when δ is "
        "replaced, and log(|F|/δ) becomes log(|F|Hk/δ). H = 2, δ = 0.1:"
    ) + table(("K", "Σ_{h≤H, k≤K} δ/(Hk)", "P(some one fails), if independent"), rows)
    instance += "\n" + prose(
        f"The coins of likelihood-constant with ε = 3/4: f² > 4 log(|F|H/δ)/k from k = {first} on, and the probability that "
        f"the MLE is a decoy for any k = {first}, ..., {last} is {show(ever)}, exactly over all paths."
    )
    spent = H * math.fsum(6 * DELTA / (math.pi**2 * H * k**2) for k in range(1, 10_001))
    factor = max(repaired(coins.size, k) / math.log(coins.size * H * k / DELTA) for k in range(1, 10_001))
    printed_holds = rows[-1][1] <= DELTA
    return Refutation(
        f"the union bound gives {show(rows[1][1])} for K = 2, {show(rows[-1][1])} for K = 10⁴ {sign(printed_holds)} δ = "
        f"{DELTA} "
        "(it diverges with log K)",
        printed_holds,
        f"Σ 6δ/(π²Hk²) = {show(spent)} ≤ δ = {DELTA}, at most {show(factor)} ≤ 2 times the logarithm; "
        f"P(E f² > 4 log(|F|H/δ)/k for some k ≤ {last}) = {show(ever)} ≤ δ",
        spent <= DELTA and factor <= 2 and ever <= DELTA,
        instance,
        _coins_in_order([coins.eps]),
    )


ERRATA = (
    Erratum(
        "likelihood-constant",
        "Lemma E.1",
        Grade.NOT_IMPLIED,
        "Read with ≤: for fixed (h, k), with probability 1 − δ, E_{½ρ+½η, a∼U}[f²] ≤ log(|F|/δ)/k for f = ‖P̂ − P*‖_1; hence ≤ "
        "½ζ_k, ζ_k = "
        "log(|F|Hk/δ)/k, for all h, k",
        "Squared Hellinger distances D² = 1 − Σ√(pq) of the 2k samples add up to at most log(|F|/δ), and f² ≤ 8D². So the sum "
        "k(E_ρ + E_η)f² is at most 8 log(|F|/δ), four times what is printed, eight times in the corollary, which also has "
        "lost a factor 2. The 8 is sharp: m orthogonal decoys win as long as 2k ε² < 8 log m, roughly. The text at hand has "
        "lost all relation signs and fractions: with ≲, up to a constant, nothing is wrong.",
        "E_{½ρ+½η, a∼U}[f²] ≤ 4 log(|F|/δ)/k, that is E_ρ[f²] + E_η[f²] ≤ 8 log(|F|/δ)/k; α and λ keep their order",
        ("ela/likelihood-event",),
        constant,
    ),
    Erratum(
        "likelihood-union",
        "Lemma E.1, \"using union bound, a direct corollary\"; also (17) and Theorem 4.1",
        Grade.NOT_IMPLIED,
        "Read with ≤: from the bound at one (h, k), with probability 1 − δ for all h ≤ H, k ≤ K: the same with log(|F|Hk/δ) "
        "for log(|F|/δ)",
        "This spends δ/(Hk) on each (h, k), in all δ(1 + ½ + ... + 1/K), which is above δ from K = 2 on. The rate stays: "
        "6δ/(π²Hk²) adds up to δ and costs a factor below 2, log(|F|Hk²π²/(6δ)) ≤ 2 log(|F|Hk/δ). So with ≲ for the sign, which "
        "is lost in the text at hand, the corollary is true.",
        "log(|F|Hk²π²/(6δ)) for log(|F|Hk/δ). No union over k is needed, either: for each decoy ∏√(q/p)/E√(q/p) is a "
        "nonnegative martingale, so by Ville's inequality "
        "E_ρ[f²] + E_η[f²] ≤ 8 log(|F|H/δ)/k for all h ≤ H and all k ∈ ℕ with probability 1 − δ",
        ("ela/likelihood-event",),
        union,
    ),
)  # fmt: skip
