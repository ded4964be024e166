"""Errata of the sums over visits: Lemma F.5 and the end of the proof of Theorem 5."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from verifier.base.arrays import Array
from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier_fmdp.errata.formulas import (
    log_good_set,
    log_reward,
    log_transition,
    long_enough,
    reward_bonus,
    transition_bonus,
)

DELTA = 0.1


def repaired(X: float, T: float, H: int, n: int) -> float:
    """4 X log T + 8 H X log(18 n X H / delta): Lemma F.4 on the good set, Lemma F.3 outside it."""
    return 4 * X * math.log(T) + 8 * H * X * log_good_set(n, X, H, DELTA)


def counting_sum() -> Refutation:
    """4000 absorbing states, each of which begins one episode."""
    X, H, K, n = 4000, 200, 4000, 1
    T = K * H
    needed = H * math.log(10 * n * X * H / DELTA)
    # Episode k stays in state k, which was never seen: w_k = H in this cell, N_{k-1} = 0 there, and 1 stands for it.
    total, printed, corrected = float(K * H), 8 * X * math.log(T), repaired(X, T, H, n)
    before, visits = np.full(X, float(H)), np.full(X, H)  # of a state that has had its episode: sum_{j<k} w_j, N_{k-1}
    event = bool((visits >= before / 2 - H * log_good_set(n, X, H, DELTA)).all())
    rows = [("X_i ≥ H log(10nX_iH/δ)", X, needed), ("T ≥ X_i ≥ H", f"{T} ≥ {X}", H), ("event (15)", "N = Σ w", "N ≥ Σ w/2 − ...")]
    instance = prose(
        "S = 4000 absorbing states, A = 1, n = 1, H = 200, K = 4000, δ = 0.1, Z^P = {state}; episode k begins in state k (the "
        "initial states are arbitrary in §2). So w_k(x) = 200 at x = k and 0 elsewhere, and N_{k−1} = 0 there; the sum is taken "
        "with max(1, N), as a sum of 1/0 would be worse. The hypotheses:"
    ) + table(("hypothesis", "left", "right"), rows)
    return Refutation(
        f"Σ w/max(1, N_{{k−1}}) = {show(total)} {sign(total <= printed)} {show(printed)} = 8 X_i log T",
        total <= printed,
        f"{show(total)} ≤ {show(corrected)} = 4 X_i log T + 8 H X_i log(18nX_iH/δ)",
        total <= corrected,
        instance,
        {"X_i ≥ H log(10nX_iH/δ)": needed <= X, **long_enough(H, [X], T), "event (15)": event},
    )


def mixed_sum(X: tuple[int, int], T: int) -> float:
    """sum_k 1/sqrt(max(1, N_1) max(1, N_2)), H = 1, cells k mod X_1 and k mod X_2 visited in episode k."""
    k = np.arange(T)
    first, second = np.maximum(k // X[0], 1.0), np.maximum(k // X[1], 1.0)
    return math.fsum(1.0 / np.sqrt(first * second))


def least_value(X: tuple[int, int], T: int) -> float:
    """The least value R + CB of any action in such a run, with all rewards 0: at the cell (a_1, a_2) visited most."""
    visits: Array = np.bincount(np.arange(T) % X[0] * X[1] + np.arange(T) % X[1], minlength=X[0] * X[1])
    return reward_bonus(0.0, log_reward(1, T, X[0] * X[1], DELTA), float(visits.max()))


def mixed_counting_sum() -> Refutation:
    """Two factors of an action, 8 and 8000 values, in turn."""
    X, T, n, H = (8, 8000), 80_000, 2, 1
    needed = [H * math.log(10 * n * x * H / DELTA) for x in X]
    total, printed = mixed_sum(X, T), 8 * X[0] * math.log(T)
    union, sharper = 8 * X[0] * X[1] * math.log(T), math.sqrt(repaired(X[0], T, H, n) * repaired(X[1], T, H, n))
    value = least_value(X, T)
    hypotheses = {
        "X_i ≥ H log(10nX_iH/δ)": all(x >= least for x, least in zip(X, needed, strict=True)),
        **long_enough(H, X, T),
        "a run of Algorithm 1": value >= H,
    }
    rows = [(i + 1, x, least) for i, (x, least) in enumerate(zip(X, needed, strict=True))]
    instance = prose(
        "H = 1, S = 1, actions (a_1, a_2) with 8 and 8000 values, n = 2 (|S_j| = 1), Z^P_1 = {a_1}, Z^P_2 = {a_2}, m = 1, Z^R "
        "both, rewards 0, T = K = 80000, δ = 0.1. Episode k plays a_1 = k mod 8, a_2 = k mod 8000: a legal run of Algorithm 1, "
        f"because every Q is at its cap 1 (R + CB ≥ {show(value)} everywhere until the end) and argmax is free. N = Σ w, so "
        "event (15) holds. Hypotheses:"
    ) + table(("i", "X_i", "H log(10nX_iH/δ)"), rows)
    return Refutation(
        f"Σ w/√(N_1 N_2) = {show(total)} {sign(total <= printed)} {show(printed)} = 8 X_1 log T",
        total <= printed,
        f"{show(total)} ≤ {show(sharper)} = √(product of the two repaired bounds (25)) ≤ {show(union)} = 8 X_{{12}} log T",
        total <= sharper <= union,
        instance,
        hypotheses,
    )


def counting_constant() -> Refutation:
    """Refutation with one cell: sum_{c <= N} c^(-1/2) is near 2 sqrt(N)."""
    rows, printed, corrected = [], [], []
    for K in (10, 100, 10_000):
        total = math.fsum(1 / math.sqrt(c) for c in range(1, K + 1))
        bounds = 1 + math.sqrt(K), 2 * math.sqrt(K)
        rows.append((K, total, *bounds))
        printed.append(total <= bounds[0])
        corrected.append(total <= bounds[1])
    instance = "S = A = H = n = 1, X = 1, C = 1: episode k visits the only cell, N_k = k.\n" + table(
        ("T = K", "Σ_k 1/√N_k", "HC + C√(XT)", "2C√(XT)"), rows
    )
    return Refutation(
        "; ".join(f"{show(left)} {sign(ok)} {show(right)}" for (_, left, right, _), ok in zip(rows, printed, strict=True)),
        any(printed),
        "; ".join(f"{show(left)} ≤ {show(right)}" for _, left, _, right in rows),
        all(corrected),
        instance,
        long_enough(1, [1], min(K for K, *_ in rows)),
    )


def squared_bonuses() -> Refutation:
    """Eight actions of one state in turn, until the episode before each has had at least one visit."""
    X, T, H = 8, 100, 1
    L = log_transition(1, T, 1, X, DELTA)  # and L^R, of as many cells
    least = H * math.log(10 * X * H / DELTA)
    counts = [k // X for k in range(T)]  # N_{k-1} of the action of episode k
    total = math.fsum(_bonus(L, N) ** 2 for N in counts if N)
    lowest = _bonus(L, max(counts) + 1)
    printed = 2 * 3 * H**2 * L * X * math.log(T) + 128 * 2 * H**2 * X * L * L * math.log(T)
    # CB^R and the radius, squared, have 1/N and 1/N^2; the first part of eta has 1/N^(3/2) and 1/N^2: all are at most c/N
    corrected = _bonus(L, 1) ** 2 * math.fsum(1 / N for N in counts if N)
    hypotheses = {
        "X_i ≥ H log(10nX_iH/δ)": least <= X, **long_enough(H, [X], T), "a run of Algorithm 1": lowest >= H,
    }  # fmt: skip
    instance = prose(
        "S = H = n = m = 1, A = 8, Z^P = Z^R = {s, a}, rewards 0, T = K = 100, δ = 0.1. Episode k plays action k mod 8: a "
        "legal run "
        f"of Algorithm 1, as every Q is at its cap 1 until the end (CB ≥ {show(lowest)}). σ̂² = u = 0. Only terms with "
        f"N_{{k−1}} ≥ 1 are "
        f"summed. P̂ = P and R̂ = R, so all events hold, X_i = 8 ≥ {show(least)} = H log(10nX_iH/δ), T ≥ X_i ≥ H. "
    ) + table(("N", "CB", "CB²"), [(N, _bonus(L, N), _bonus(L, N) ** 2) for N in (1, 2, 4, 8, 12)])
    return Refutation(
        f"Σ w CB² ≥ {show(total)} {sign(total <= printed)} {show(printed)}",
        total <= printed,
        f"{show(total)} ≤ {show(corrected)} = CB(1)² Σ w/N, which is of the order log T",
        total <= corrected,
        instance,
        hypotheses,
    )


def _bonus(L: float, N: float) -> float:
    """CB of an action with N visits in a single state, H = 1; no reward and no value varies."""
    return reward_bonus(0.0, L, N) + transition_bonus([0.0], [0.0], [1], 1, L, [N])


@dataclass(frozen=True)
class Unlucky:
    """H = 2, A = 1, rewards 0, FMDP-CH: s0 leads to s1 with a small probability, else to s2; both are absorbing.

    Frequencies are the probabilities. The episode to come leads to s1.
    """

    visits: float = 1e16
    chance: float = 1e-6
    H: int = 2
    S: int = 3

    @property
    def L(self) -> float:
        """L^P; L^R is the same, as Z^R = {s, a}."""
        return log_transition(1, self.H * (self.visits + 1), self.S, 1, DELTA)

    def bonus(self, N: float) -> float:
        """Equations (1) and (2) for one factor of each kind."""
        return math.sqrt(2 * self.L / N) + math.sqrt(2 * self.H**2 * self.L / N)

    def rest(self, N: float) -> float:
        """delta^5 for one factor: 2 n H^2 |S| L / N."""
        return 2 * self.H**2 * self.S * self.L / N

    def brackets(self) -> tuple[float, float, float]:
        """CB + delta^1 + ... + delta^5 of both steps, and V_1(s0); delta^1 and delta^3 are 0."""
        N, p = self.visits, self.chance
        V = np.minimum([self.bonus(N * p), self.bonus(N * (1 - p))], self.H)  # of s1 and s2 at step 2, where V^pi = V* = 0
        mean = float(np.array([p, 1 - p]) @ V)
        noise = mean - float(V[0])  # delta^2, and H times delta^4
        first = self.bonus(N) + self.rest(N) + noise + noise / self.H
        return first, self.bonus(N * p) + self.rest(N * p), min(self.bonus(N) + mean, self.H)


def signed_terms() -> Refutation:
    """The episode that leads to the rare state, whose optimistic value is still high."""
    run = Unlucky()
    first, second, value = run.brackets()
    weighted, printed = first + (1 + 1 / run.H) * second, math.e * (first + second)
    X, T = run.S, run.H * (run.visits + 1)
    instance = prose(
        "H = 2, A = 1, S = 3, n = m = 1, δ = 0.1, rewards 0: s0 leads to s1 with probability 10⁻⁶, else to s2. s1 came in "
        "every 10⁶-th of 10¹⁶ episodes, so P̂ = P; the sums (11) and (12) stay below 2H, as values only fall. Episode k goes "
        "to s1: δ² = "
        "(P − δ_{s1})(V̄ − V^π)_2 and δ⁴ = δ²/H are negative. T ≥ X_i ≥ H."
    ) + table(("h", "state", "CB + δ¹ + ... + δ⁵", "(1 + 1/H)^{h−1}"), [(1, "s0", first, 1.0), (2, "s1", second, 1.5)])
    return Refutation(
        f"V̄_1 − V^π_1 = {show(value)} ≤ {show(weighted)} = Σ_h (1 + 1/H)^{{h−1}}(...) {sign(weighted <= printed)} "
        f"{show(printed)} = "
        "Σ_h e(...)",
        weighted <= printed,
        f"{show(value)} ≤ {show(weighted)}, with the factors (1 + 1/H)^{{h−1}} ≤ e kept: {show(1 + 1 / run.H)} ≤ {show(math.e)}",
        value <= weighted and math.e >= 1 + 1 / run.H,
        instance,
        long_enough(run.H, [X], T),
    )


ERRATA = (
    Erratum(
        "counting-sum",
        "Lemma F.5, eqs. (25) and (28)",
        Grade.FALSE,
        "If X_i ≥ H log(10nX_iH/δ), then Σ_{k,h,x} w_{k,h}(x)/N_{k−1}(x[Z_i]) ≤ 8 X_i log T",
        "The proof ends with 4X_i log T + 8HX_i log(10nX_iH/δ) ≤ 8X_i log T, which needs log T ≥ 2H log(10nX_iH/δ): T "
        "exponential in H. The hypothesis X_i ≥ H log(·) has no part in that. Cells outside the good set cost up to H each, "
        "whatever X_i is; and N_{k−1} may be 0.",
        "Σ w/max(1, N_{k−1}) ≤ 4X_i log T + 8HX_i log(18nX_iH/δ) under (15), without the hypothesis",
        ("fmdp-bf/inverse-sum",),
        counting_sum,
    ),
    Erratum(
        "mixed-counting-sum",
        "Lemma F.5, eqs. (26) and (29)",
        Grade.NOT_IMPLIED,
        "Read with a root: Σ_{k,h,x} w_{k,h}(x)/√(N_{k−1}(x[Z_i]) N_{k−1}(x[Z_j])) ≤ 8 X_i log T",
        "The proof bounds both counters from below by that of the union Z_i ∪ Z_j, which gives X_{ij} = |X[Z_i ∪ Z_j]|. With X_i "
        "alone the left side would be small whenever one of two factors is. (The root is lost in the text at hand. Without it "
        "(26) follows "
        "from (25), and says nothing of the products φ_iφ_j, which it is used for.)",
        "By the inequality of Cauchy and Schwarz, at most the geometric mean of the repaired bounds (25) of i and of j, which is "
        "of order √(X_i X_j) log T and so below X_{ij} log T",
        ("fmdp-bf/root-sum",),
        mixed_counting_sum,
    ),
    Erratum(
        "squared-bonuses",
        "Lemma F.18",
        Grade.FALSE,
        "Σ_{k,h,x} w CB_k² ≤ Σ_i 2(m+2)H²L^R_i X^R_i log T/m² + Σ_i 128n(m+n)H²X^P_i L^P Σ_j |S_j|L^P log T",
        "The proof drops the squares of H φ_i Σ_j φ_j and of 8L^R/(3N), and the factor 8 of Lemma F.5; it uses u ≤ H where u ≤ "
        "H². "
        "(The order log T stays. Terms with N_{k−1} = 0 are left out here, though the sum has them.)",
        "Σ w CB_k² = O(log T), over terms with N_{k−1} ≥ 1: each part of CB² is at most a constant, with powers of L, times 1/N",
        (),
        squared_bonuses,
    ),
    Erratum(
        "signed-terms",
        "Appendix E.3, recursion in the proof of Theorem 5",
        Grade.STEP,
        "Σ_h (1 + 1/H)^{h−1}(CB + δ¹ + δ² + δ³ + δ⁴ + δ⁵) ≤ Σ_h e(CB + δ¹ + δ² + δ³ + δ⁴ + δ⁵)",
        "(1 + 1/H)^{h−1} ≤ e helps with terms that are not negative. δ² and δ⁴ are martingale differences, and δ¹ and δ³ "
        "errors: a sum "
        "may be negative, and the right side then is the smaller one.",
        "The factors (1 + 1/H)^{h−1} stay with δ² and δ⁴: they are fixed numbers, the sums are martingales still, with "
        "differences at "
        "most e times as large. For CB, |δ¹|, |δ³| and δ⁵ the factor e is right. The rate stays",
        (),
        signed_terms,
    ),
    Erratum(
        "counting-constant",
        "Appendix E.3, proof of Theorem 5",
        Grade.STEP,
        "Σ_{k,h} C/√N_k(x_{k,h}[Z_i]) ≤ HC + Σ_{x[Z_i]} Σ_{c≤N_K} C/√c = HC + Σ_{x[Z_i]} C√N_K(x[Z_i]) ≤ HC + C√(X_i T)",
        "Σ_{c≤N} 1/√c is near 2√N and not √N. The counter is that after the episode, N_k; the bonuses have N_{k−1}, known when "
        "the episode is planned, and each cell is then met up to H times with the same counter.",
        "≤ 2C√(X_i T) with N_k; with max(1, N_{k−1}) at most 2√2·C√(X_i T) + 2HX_i C. The order of Theorem 5 is not touched",
        ("fmdp-ch/visit-sum",),
        counting_constant,
    ),
)  # fmt: skip
