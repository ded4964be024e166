"""Errata of what bounds the optimistic values: Lemmas D.1, F.7, F.8 and F.17, and the set of known pairs of Algorithm 2."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product

import numpy as np

from verifier.base.arrays import Array
from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier_fmdp.errata.formulas import (
    bracket,
    log_good_set,
    log_reward,
    log_transition,
    long_enough,
    reward_bonus,
    transition_bonus,
)

DELTA = 0.1


def known_set() -> Refutation:
    """Two factors with a scope each; after one step the second cell of one of them was never visited."""
    visits = {1: {(0, 0): 1, (0, 1): 0}, 2: {(0, 0): 1, (0, 1): 0}}  # of the cells (s[j], a[j]) with s[j] = 0
    rows, union, empty = [], 0, 0
    for a in product((0, 1), repeat=2):
        counts = [visits[j][0, a[j - 1]] for j in (1, 2)]
        rows.append((f"(0,0), a = {a}", *counts, "yes" if any(counts) else "no", "yes" if all(counts) else "no"))
        union += any(counts)
        empty += any(counts) and not all(counts)
    both = sum(row[4] == "yes" for row in rows)
    instance = prose(
        "n = 2, S_1 = S_2 = {0, 1}, a = (a_1, a_2), Z^P_j = {s[j], a_j}, H = K = 1 so far: one step, from (0,0) with a = (0, 0). "
        "N_j counts visits to the cell of factor j:"
    ) + table(("pair", "N_1", "N_2", "in ∪", "in ∩"), rows)
    return Refutation(
        f"pairs of the union without an empirical mean of some P_j (0/0): {empty} {sign(empty == 0)} 0, of {union}",
        empty == 0,
        f"of the {both} pair of the intersection: 0 ≤ 0",
        both == 1,
        instance,
        {"counts of one step": all(sum(cells.values()) == 1 for cells in visits.values())},
    )


def surrogate_variance() -> Refutation:
    """A run of Algorithm 1 in which s2 is rare, worthless and has very many actions, so that its optimistic value stays high."""
    H, S, A = 2, 3, 5 * 10**6
    N = 2 * 10**10
    T = H * (N + 1)
    L, L_R = log_transition(1, T, S, A, DELTA), log_reward(1, T, S * A, DELTA)
    law, best = np.array([0.95, 0.05]), np.array([1.0, 0.0])  # of s1, s2
    visits = law * N
    bonus = np.array([reward_bonus(0.0, L_R, n // A) + transition_bonus([0.0], [0.0], [S], H, L, [n]) for n in visits])
    high, low = np.minimum(best + bonus, H), np.maximum(best - bonus, 0.0)
    u, slack = float(law @ (high - low) ** 2), bracket([S], L, [N])
    true, hat = _variance(law, best), _variance(law, high)
    printed, twice = u + 8 * H**2 * slack, 2 * u + 4 * H**2 * slack
    roots = math.sqrt(hat) + math.sqrt(u) + math.sqrt(4 * H**2 * slack)
    optimistic = bool((low <= best).all() and (best <= high).all())
    bound, deviation = math.sqrt(4 * hat * L / N) + math.sqrt(2 * u * L / N), math.sqrt(2 * true * L / N)
    rows = [(f"s{i + 1}", law[i], int(visits[i] // A), best[i], float(high[i]), float(low[i])) for i in range(2)]
    instance = prose(
        f"H = 2, S = 3, A = 5·10⁶, n = m = 1, Z^P = {{s}}, Z^R = {{s, a}}, δ = 0.1. s0 (the start) → s1, s2 with probability "
        "0.95, 0.05; rewards 1 at s1, 0 elsewhere. N = 2·10¹⁰ episodes, every 20th next state is s2: P̂ = P, all "
        "estimates exact, so the events hold; the sums (11), (12) stay below 80, as values fall monotonically. All actions of a "
        f"state have equal Q when equally often played, so greedy play takes them in turn. L^P = {show(L)}, L^R = {show(L_R)}; "
        "at h = 2:"
    ) + (
        table(("s", "P(s)", "N(s,a)", "V*", "optimistic", "pessimistic"), rows)
        + f"\nσ²(V*) = {show(true)}, σ̂²(V̄) = {show(hat)}, u = {show(u)}, Σ(...) = {show(slack)}"
    )
    left = true - 2 * hat
    return Refutation(
        f"σ²(V*) − 2σ̂²(V̄) = {show(left)} {sign(left <= printed)} {show(printed)} = u + 8H²Σ(...)",
        left <= printed,
        f"{show(left)} ≤ {show(twice)} = 2u + 4H²Σ(...);  "
        f"σ(V*) = {show(math.sqrt(true))} ≤ {show(roots)} = σ̂(V̄) + √u + √(4H²Σ(...))",
        left <= twice and math.sqrt(true) <= roots and deviation <= bound,
        instance,
        {"Ω: optimistic and pessimistic values": optimistic, **long_enough(H, [S, S * A], T)},
    )


def _variance(law: Array, values: Array) -> float:
    return float(law @ (values - law @ values) ** 2)


@dataclass(frozen=True)
class Uneven:
    """H = 2, rewards 0: s0 leads to one of M absorbing states, uniformly. Half of them was met too rarely, half too often.

    Episodes began in s0 until it had its visits, then in the states that were met too often, until these had theirs. Estimates
    are otherwise exact: rewards are always 0, and absorbing states stay.

    Attributes
    ----------
    M, A : int
        The scopes are {s} for the transition and {s, a} for the reward.
    visits, later : int
        Of s0, and of each state that was met too often. All actions of a state are met equally often.
    excess : float
        The relative error of the frequencies.
    """

    M: int = 1000
    A: int = 675
    visits: int = 90_000_000
    later: int = 20_000_000
    excess: float = 0.0298
    H: int = 2

    @property
    def T(self) -> float:
        """Steps until then: episodes from an absorbing state visit it twice; episodes from s0 visit it once."""
        return self.H * (self.visits + self.M / 2 * self.later / 2)

    @property
    def L(self) -> float:
        """L^P, and L^R, as each pair is a cell of the reward."""
        return log_transition(1, self.T, self.M + 1, self.A, DELTA)

    def bonus(self, visits: float, variance: float = 0.0, u: float = 0.0) -> float:
        """CB of a state with so many visits; rewards that are always 0 have no empirical variance."""
        reward = reward_bonus(0.0, self.L, visits / self.A)
        return reward + transition_bonus([variance], [u], [self.M + 1], self.H, self.L, [visits])

    @property
    def rare(self) -> float:
        """Visits of a state that was met too rarely, none of them at the beginning of an episode."""
        return (1 - self.excess) * self.visits / self.M

    def events(self) -> dict[str, tuple[float, float]]:
        """Left and right sides of (9) and (10) at s0, of (15) at a state met too rarely, of T >= X_i and X_i >= H.

        (7), (8), (13) and (14) hold as rewards and V* are 0 and estimated exactly. In (11) and (12) all terms are 0: the values
        of absorbing states are at the cap as long as s0 is visited.
        """
        p, N, L, X = 1 / self.M, self.visits, self.L, (self.M + 1) * self.A
        return {
            "(9)": (self.excess, bracket([self.M + 1], L, [N])),
            "(10)": (self.excess * p, math.sqrt(2 * p * L / N) + L / (3 * N)),
            "(15)": (p * N / 2 - self.H * log_good_set(1, self.M + 1, self.H, DELTA), self.rare),
            "X_i ≤ T": (X, self.T),
            "H ≤ X_i": (self.H, self.M + 1),
        }

    def values(self) -> tuple[float, float, float]:
        """V_1(s0), E_P V_2 and E_Phat V_2, with Q_h cut at H - h + 1; the lower values are 0, as is V*."""
        law = np.array([1 - self.excess, 1 + self.excess]) / 2
        V = np.minimum([self.bonus(self.rare), self.bonus(self.later)], 1.0)
        mean, square = float(law @ V), float(law @ V**2)
        return min(self.bonus(self.visits, square - mean**2, square) + mean, 2.0), float(V.mean()), mean


def optimistic_gap() -> Refutation:
    """Refutation by the first episode with the cut at H; with the cut at H - h + 1, by a run whose Phat errs."""
    H = 2
    reward = (1, 0)  # of steps 1 and 2
    value = [sum(reward[h:]) for h in range(H)]
    first = [H - value[h] for h in range(H)]  # every pair is unknown, so that V is H at both steps
    run = Uneven()
    start, true, estimated = run.values()
    events = run.events()
    instance = (
        "Cut at H: H = 2, S = 2, A = 1, n = m = 1: s1 → s2, rewards 1 at s1 and 0 at s2. Episode k = 1: no pair is known.\n"
        + table(("h", "r", "V^π", "V̄"), [(h + 1, reward[h], value[h], H) for h in range(H)])
        + "\n"
        + prose(
            "Cut at H − h + 1: H = 2, A = 675, n = m = 1, Z^P = {s}, Z^R = {s, a}, rewards 0, δ = 0.1. s0 leads to each of 1000 "
            "absorbing states with probability 1/1000. In 9·10⁷ visits of s0 one half of them was met 0.9702·N/1000 times each, "
            "the other 1.0298·N/1000 times; then episodes began in the other half (initial states are arbitrary in §2), until "
            "each of its states had 2·10⁷ visits. V* = 0 "
            f"and rewards are exact. P̂V̄_2 = {show(estimated)}. The events, with L^P = {show(run.L)}:"
        )
        + table(("", "left", "right"), [(name, *sides) for name, sides in events.items()])
    )
    off = abs(true - estimated)
    return Refutation(
        f"E_w[V̄_2 − V^π_2] = {first[1]} {sign(first[1] <= first[0])} {first[0]} = V̄_1 − V^π_1, cut at H; "
        f"{show(true)} {sign(true <= start)} {show(start)}, cut at H − h + 1",
        first[1] <= first[0] or true <= start,
        f"{first[1]} ≤ {first[0]} + 1, with H − 1 = 1 added; {show(true)} ≤ {show(start)} + {show(off)}, with |(P̂ − P)(V̄ − "
        f"V*)_2|",
        first[1] <= first[0] + H - 1 and true <= start + off,
        instance,
        {name: left <= right for name, (left, right) in events.items()},
    )


def gap_radius() -> Refutation:
    """2000 next states, 100 visits, 100 different ones seen; K = 1100, so that T >= X_i >= H as the paper assumes."""
    size, N, H, A, K = 2000, 100, 2, 1, 1100
    T = K * H
    L = log_transition(1, T, size, A, DELTA)
    p, seen = 1 / size, 1 / N
    different = math.prod(1 - i / size for i in range(N))
    distance = N * (seen - p) + (size - N) * p
    entry = max(seen - p, p) <= math.sqrt(2 * p * L / N) + L / (3 * N)
    total = bracket([size], L, [N])
    printed, corrected = math.sqrt(2 * H**2 * L / N), H * total
    instance = prose(
        "n = 1, S = 2000, A = 1, H = 2, K = 1100, rewards 0, δ = 0.1: all rows of P are uniform. After N = 100 visits, each "
        f"to another next state (not unlikely: probability {show(different)}), k = 101. L^P = {show(L)}. V* = 0, so (8) "
        "and (14) hold; (9) and (10):"
    ) + table(
        ("", "left", "right"),
        [
            ("(9)", distance, total),
            ("(10), seen", seen - p, math.sqrt(2 * p * L / N) + L / (3 * N)),
            ("(10), not seen", p, math.sqrt(2 * p * L / N) + L / (3 * N)),
        ],
    )
    return Refutation(
        f"H‖P̂ − P‖₁ = {show(H * distance)} {sign(H * distance <= printed)} {show(printed)} = √(2H²L^P/N)",
        H * distance <= printed,
        f"{show(H * distance)} ≤ {show(corrected)} = H(2√(|S|L^P/N) + 4|S|L^P/(3N))",
        H * distance <= corrected,
        instance,
        {"(9)": distance <= total, "(10)": entry, **long_enough(H, [size * A], T)},
    )


def union_over_entries() -> Refutation:
    """The tails that a union bound adds up for (10): one for every next state."""
    H, A, K, n = 5, 4, 1000, 1
    rows, printed, corrected = [], [], []
    for S in (50, 500):
        T = K * H
        tail = 2 * math.exp(-log_transition(n, T, S, A, DELTA))
        total = n * S * A * K * S * tail  # factors, cells, episodes, next states
        wider = n * S * A * T * S * 2 * math.exp(-log_transition(n, T, S, A, DELTA) - math.log(S))
        rows.append((S, total, DELTA / 9, wider))
        printed.append(total <= DELTA / 9)
        corrected.append(wider <= DELTA / 9 * (1 + 1e-9))
    instance = "n = 1, A = 4, H = 5, K = 1000, δ = 0.1; tails 2exp(−L) of Bernstein's inequality, for i, x, k and s':\n" + table(
        ("|S|", "sum, L = L^P", "δ/9", "sum, L = L^P + log|S|, N ≤ T"), rows
    )
    return Refutation(
        "; ".join(f"{show(total)} {sign(ok)} {show(limit)}" for (_, total, limit, _), ok in zip(rows, printed, strict=True)),
        any(printed),
        "; ".join(f"{show(wider)} ≤ {show(limit)}" for _, _, limit, wider in rows),
        all(corrected),
        instance,
        long_enough(H, [S * A for S, *_ in rows], K * H),
    )


def better_rate() -> Refutation:
    """The two printed rates in the symmetric case, X_j = J: their ratio is sqrt(log T / (n H))."""
    n, H, J, SA = 2, 5, 100, 400
    times = (10**4, 10**6, 10**9)
    rows, printed, corrected = [], [], []
    for T in times:
        L = log_transition(n, T, SA // 4, 4, DELTA)
        hoeffding, bernstein = n * H * math.sqrt(J * T * L), math.sqrt(n * H * J * T * L * math.log(T))
        rows.append((f"{T:.0e}", n * H, math.log(T), bernstein, hoeffding))
        printed.append(bernstein <= hoeffding)
        corrected.append((bernstein <= hoeffding) == (math.log(T) <= n * H))
    instance = "n = 2, H = 5, X_j = J = 100, |S × A| = 400, δ = 0.1; the transition parts without constants.\n" + table(
        ("T", "nH", "log T", "Theorem 2", "Theorem 5"), rows
    )
    return Refutation(
        "; ".join(f"{show(left)} {sign(ok)} {show(right)}" for (*_, left, right), ok in zip(rows, printed, strict=True)),
        all(printed),
        "; ".join(f"log T = {show(log)} {sign(log <= most)} nH = {most}" for _, most, log, *_ in rows) + ", as the rates",
        all(corrected),
        instance,
        {**long_enough(H, [J, SA], min(times)), "0 < δ < 1": 0 < DELTA < 1},
    )


ERRATA = (
    Erratum(
        "known-set",
        "Algorithm 2, K^P and the line after it",
        Grade.FALSE,
        "K^P = {(s,a): ∪_i N(x[Z^P_i]) > 0}; P̂_k(·|s,a) is the empirical mean for all (s,a) in K^P",
        "In the union are pairs of which only some factors were seen; the empirical mean of the others is 0/0. Read as rows of "
        "zeros, with max(1, N) in the bonus, optimism survives only because the published bonus of a cell never seen is above H.",
        "The intersection, as in Algorithm 3: N(x[Z^P_i]) > 0 for every i",
        ("fmdp-ch/known", "fmdp-bf/known"),
        known_set,
    ),
    Erratum(
        "union-over-entries",
        "Lemma D.1, eq. (10)",
        Grade.NOT_IMPLIED,
        "By Bernstein's inequality and a union bound, (10) holds for all i, x, k and s' with probability 1 − δ/9, for L^P = "
        "log(18nTSA/δ)",
        "L^P pays for i, x and all visits, not for the next states: the tails add up to |S_i|/H times δ/9, even with K in place "
        "of the number of visits. (Whether the event is less likely than that is another question; no run here shows it.)",
        "(10) with L^P + log|S_i|. (15) pairs N_k with Σ_{j<k}, which is no mistake: the term H in the definition of the good "
        "set pays for the visits of one episode, so Lemma F.2 holds with N_{k−1} as well",
        ("fmdp-ch/entry-confidence", "fmdp-bf/entry-confidence"),
        union_over_entries,
    ),
    Erratum(
        "surrogate-variance",
        "Lemma F.7",
        Grade.FALSE,
        "σ²_{P,i}(V*) − 2σ̂²_{P,i}(V̄) ≤ u_i + 8H²Σ_j(2√(|S_j|L^P/N_j) + 4|S_j|L^P/(3N_j)) under the events and Ω",
        "Var X ≤ 2Var Y + 2Var(X − Y): the factor 2 of the second term is lost. The bonus is right all the same, because it adds "
        "roots: standard deviations obey the triangle inequality, and √(2σ²(V*)L/N) ≤ √(2σ̂²(V̄)L/N) + √(2uL/N) + ....",
        "... ≤ 2u_i + 4H²Σ_j(...), or σ_i(V*) ≤ σ̂_i(V̄) + √u_i + √(4H²Σ_j(...))",
        ("fmdp-bf/deviation",),
        surrogate_variance,
    ),
    Erratum(
        "optimistic-gap",
        "Lemma F.8, second inequality, \"in the same manner\"",
        Grade.STEP,
        "Σ_s w_{k,h}(s)(V̄_{k,h} − V^π_h)(s) ≤ V̄_{k,1}(s_1) − V^π_1(s_1), as for V*",
        "V̄ is cut at H at every step. Where it is cut, V̄_h − R − P V̄_{h+1} may be −R, so that the gap shrinks towards the "
        "first step. A cut at H − h + 1 does not repair it: the bonus covers (P̂ − P)V*, not (P̂ − P)V̄. (The lemma itself: no "
        "run "
        "is known that contradicts it.)",
        "≤ V̄_{k,1}(s_1) − V^π_1(s_1) + Σ_{j<h} E_w|(P̂ − P)(V̄ − V*)_{j+1}|, the sum over known pairs; with the cut at H also "
        "+ h − 1. "
        "Lemma F.15 bounds the sum",
        ("fmdp-bf/optimistic-variance-transfer",),
        optimistic_gap,
    ),
    Erratum(
        "gap-radius",
        "Lemma F.17 and the last step of its proof (used again in Lemma F.19)",
        Grade.STEP,
        "H Σ_j ‖P̂_j − P_j‖₁ ≤ Σ_j √(2H²L^P/N_j)",
        "(9) bounds the distance by 2√(|S_j|L^P/N_j) + ...; the size of the factor is lost. The lemma may well be true, since "
        "its first term 2CB contains η, of larger order. (And the first line of the proof is ≤: both values are cut.)",
        "H Σ_j ‖P̂_j − P_j‖₁ ≤ H Σ_j (2√(|S_j|L^P/N_j) + 4|S_j|L^P/(3N_j))",
        ("fmdp-bf/two-sided-gap",),
        gap_radius,
    ),
    Erratum(
        "better-rate",
        "§4 and Appendix B, with Theorems 2, 5 and 6",
        Grade.NOT_IMPLIED,
        "FMDP-CH has a slightly worse regret than FMDP-BF",
        "Of the printed rates, that of FMDP-BF has √(nH) for nH, and √log T more: for fixed n and H it is the larger one from "
        "T = e^{nH} on.",
        "The rate of Theorem 2 is below that of Theorem 5 as long as log T < nH (transitions, symmetric case)",
        (),
        better_rate,
    ),
)  # fmt: skip
