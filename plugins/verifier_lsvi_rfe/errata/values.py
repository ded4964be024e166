"""Errata of the values: Lemmas A.17 and A.15, and the last steps of the proofs of Theorem 4.2 and Lemma A.22."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from verifier.base.arrays import Array
from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier_lsvi_rfe.errata.sizes import sizes, usual
from verifier_lsvi_rfe.errata.walk import Walk
from verifier_lsvi_rfe.shared import constants
from verifier_settings.reward_free import Public

ROUNDING = 1e-9
"""Bound on the rounding of a few hundred sums of numbers below 10, each of which errs by less than 1e-15."""


@dataclass(frozen=True)
class Fan:
    """H = 2: state 0 leads to state 1 in `common` of n episodes, and to each of `rare` other states in one of them.

    The frequencies of the transcript are the probabilities, so that estimates are exact but for the ridge.

    Attributes
    ----------
    common, rare : int
    bonus : float
        beta ||phi|| at a state that was met once.
    """

    common: int
    rare: int
    bonus: float

    @property
    def P(self) -> Array:
        """(S,) the law of the second state."""
        return np.array([0, self.common] + [1] * self.rare) / (self.common + self.rare)

    def played(self) -> Walk:
        """Algorithm 1 after the n episodes; all weights are the enlarged ones, as no state is known well by then."""
        S, n = self.rare + 2, self.common + self.rare
        walk = Walk(S, 2, n + 1, ridge=1e-9, beta=self.bonus / math.sqrt(2 * S**3))
        return walk.play((0, s, s) for s in [1] * self.common + list(range(2, S)))

    def error(self, walk: Walk, V: Array) -> float:
        """Bound on ||(mu_1 - mu-hat_1) V||: of the other states nothing was seen at step 1; a law there has |P V| <= H."""
        return math.hypot(walk.error(0, 0, self.P, V), 2 * math.sqrt(walk.ridge * (walk.S - 1)))

    def means(self, walk: Walk, times: float) -> tuple[float, float]:
        """E min(sum_h b_h, H), and min(E sum_h min(b_h, H), H), for b_h = times beta ||phi_h||, from state 0."""
        first, second = times * walk.beta * walk.norms[0, 0], times * walk.beta * walk.norms[1]
        inside = self.P @ np.minimum(first + second, 2)
        outside = min(first, 2) + self.P @ np.minimum(second, 2)
        return float(inside), float(min(outside, 2))


def simulation_lemma() -> Refutation:
    """V_1 of Algorithm 1 in three fans, where the event holds."""
    rows: list[tuple[str, float, float, float, float, float]] = []
    for fan in (Fan(4, 6, 0.6), Fan(7, 12, 2 / 3), Fan(8, 12, 0.73)):
        walk = fan.played()
        V = walk.explored
        error = fan.error(walk, V[1])
        rows.append((f"{fan.common} + {fan.rare}", walk.beta, error, float(V[0, 0]), *fan.means(walk, 4)))
    rows.append(("published", *published_fan()))
    event = all(row[2] <= row[1] for row in rows)
    printed = [row[3] <= row[4] + ROUNDING for row in rows]
    instance = prose(
        "H = 2, A = 1, φ(s) = e_s, λ = 10⁻⁹. State 0 leads to state 1 in n_1 of n episodes and to each of m other states in one, "
        "with these frequencies as probabilities; k = n + 1. Ψ^E_{k,1} holds: step 1 has the error below, step 2 none, as V_3 = "
        "0. On the way through state 1 nothing is cut, so on the right 4β_E‖φ_1‖ counts with "
        "probability n_1/n; on the left 3β_E‖φ_1‖ counts in full. These radii are free: Lemma A.17 names none. The last row "
        "has the "
        "published one, eq. (20), with λ = ½, δ = 0.1, K = 10⁷: seven episodes, three times to state 1 and once to each of "
        "four leaves, "
        "again and again, at k = 4113001."
    ) + table(("n_1 + m", "β_E", "‖(μ−μ̂)V_2‖_Λ̂", "V_1(0)", "E min(Σ 4β_E‖φ‖, H)", "corrected"), rows)
    return Refutation(
        "; ".join(f"{show(row[3])} {sign(ok)} {show(row[4])}" for row, ok in zip(rows, printed, strict=True)),
        any(printed),
        "; ".join(f"{show(row[3])} ≤ {show(row[5])}" for row in rows),
        all(row[3] <= row[5] + ROUNDING for row in rows),
        instance,
        {"Ψ^E": event},
    )


@dataclass(frozen=True)
class LongFan:
    """The fan of lambda = 1/2 and the published radius: from 0 to 1 in three of seven episodes, to four leaves in one each.

    d = S = 6, H = 2, A = 1, K = 10^7. Step 2 has V_3 = 0 and so no estimate: the Gram matrix of a state at step 2 depends on its
    own visits alone, and on their number only. It is computed once, visit by visit, and looked up at step 1.

    Attributes
    ----------
    k : int
        The episode that is looked at.
    """

    k: int = 4_113_001
    cycle: tuple[int, ...] = (1, 1, 1, 2, 3, 4, 5)

    @property
    def public(self) -> Public:
        """lambda = 1/H, delta = 0.1."""
        return sizes(d=6, H=2, K=10**7)

    def second_grams(self, beta: float, visits: int) -> list[float]:
        """Lambda-hat_2 at a state after 0, 1, ... visits."""
        zeta = self._zeta
        gram = raw_gram = 0.5
        found = [gram]
        for _ in range(visits):
            raw, weight = _weights(beta / math.sqrt(gram) + zeta, raw_gram)
            raw_gram += 1 / raw
            gram += 1 / weight
            found.append(gram)
        return found

    def played(self) -> tuple[float, float, float, Array]:
        """beta_E, then Lambda-hat_1 and mu-hat V_2 at state 0 and Lambda-hat_2 of all states, before episode k."""
        beta, zeta = constants.exploration_radius(self.public), self._zeta
        grams = self.second_grams(beta, 3 * self.k // 7 + 3)
        values = [min(3 * beta / math.sqrt(gram), 2.0) for gram in grams]
        visits, sums = [0] * 6, [0.0] * 6
        gram = raw_gram = 0.5
        target = 0.0  # sum_i sigma-hat_i^-2 V_2(s'_i), with the values of now
        for i in range(self.k - 1):
            s = self.cycle[i % 7]
            raw, weight = _weights(target / gram + beta / math.sqrt(gram) + zeta, raw_gram)
            raw_gram += 1 / raw
            gram += 1 / weight
            before = values[visits[s]]
            visits[s] += 1
            sums[s] += 1 / weight
            after = values[visits[s]]
            target += after / weight + (sums[s] - 1 / weight) * (after - before)
        target = math.fsum(
            total * values[n] for total, n in zip(sums, visits, strict=True)
        )  # without the rounding of the updates
        return beta, gram, target / gram, np.array([grams[n] for n in visits])

    @property
    def _zeta(self) -> float:
        return 2 * math.sqrt(0.5) / (2 * 10**7 * math.sqrt(6))


def _weights(optimistic: float, raw_gram: float) -> tuple[float, float]:
    """sigma-tilde^2 and sigma-hat^2 of Algorithm 1, lines 16 to 25, for d = 6, H = 2; W = min(H optimistic, H^2)."""
    raw = max(2.0, 18.0 * min(2 * optimistic, 4.0))
    return raw, max(432.0 if raw * raw_gram < 46_656.0 else 2.0, raw)


@cache
def published_fan() -> tuple[float, float, float, float, float]:
    """beta_E, the error that the event bounds (at most), V_1(0), the printed right side, and the corrected one."""
    fan = LongFan()
    beta, gram, estimate, grams = fan.played()
    P = np.bincount(fan.cycle, minlength=6) / 7
    V = np.minimum(3 * beta / np.sqrt(grams), 2.0)
    # step 1 begins in 0: the other rows of mu are laws that nothing was seen of, |P V| <= H, and their matrix is lambda
    error = math.sqrt(gram * (float(P @ V) - estimate) ** 2 + 5 * 0.5 * 2**2)
    first, second = 4 * beta / math.sqrt(gram), 4 * beta / np.sqrt(grams)
    inside = float(P @ np.minimum(first + second, 2.0))
    outside = min(min(first, 2.0) + float(P @ np.minimum(second, 2.0)), 2.0)
    return beta, error, min(estimate + 3 * beta / math.sqrt(gram), 2.0), inside, outside


def planned_recursion() -> Refutation:
    """V_1 of Algorithm 2 in a fan without rewards, so that the value of every policy is 0."""
    fan = Fan(16, 128, 2.0)
    walk = fan.played()
    V = walk.values(walk.beta)
    error, gap = fan.error(walk, V[1]), float(V[0, 0])
    inside, outside = fan.means(walk, 2)
    instance = prose(
        "The radius is free. A fan as in `simulation-lemma` with n_1 = 16, m = 128, β_P‖φ‖ = 2 at the states met once; r = 0, "
        "so V^π = 0 and "
        "V̂_1 − V^π_1 = V̂_1. C^P holds at both steps:"
    ) + table(("β_P", "‖(μ−μ̂)V̂_2‖_Λ̂", "V̂_1(0)", "E min(Σ 2b, H)", "Ṽ^π_1(0; 2b)"), [(walk.beta, error, gap, inside, outside)])
    return Refutation(
        f"{show(gap)} {sign(gap <= inside + ROUNDING)} {show(inside)}",
        gap <= inside + ROUNDING,
        f"{show(gap)} ≤ {show(outside)}",
        gap <= outside + ROUNDING,
        instance,
        {"C^P": error <= walk.beta},
    )


def two_states(K: int, beta: float, planning: float) -> tuple[float, float, bool]:
    """0 -> 1 -> 1 in every episode, S = d = H = 2, no rewards: the values at state 1 of step 2, and whether the events hold.

    Returns
    -------
    explored, planned : float
        Of Algorithm 1 in episode K, with this radius, and of Algorithm 2.
    events : bool
        At step 1, for the values of each of them; at step 2 no value is left to be estimated.
    """
    following = np.array([0.0, 1.0])
    walk = Walk(2, 2, K, ridge=0.5, beta=beta).play([(0, 1, 1)] * (K - 1))
    explored = walk.explored
    events = walk.error(0, 0, following, explored[1]) <= beta
    planned = walk.play([(0, 1, 1)]).values(planning)
    events = events and walk.error(0, 0, following, planned[1]) <= planning
    return float(explored[1, 1]), float(planned[1, 1]), events


def over_optimism() -> Refutation:
    """Two states in a row at the published constants; nothing is random."""
    rows: list[tuple[int, float, float, float, float, float]] = []
    events, printed, corrected = True, [], []
    for K in (6_000, 10_000):
        public = sizes(d=2, H=2, K=K)
        exploration, planning = constants.exploration_radius(public), constants.planning_radius(public)
        explored, planned, held = two_states(K, exploration, planning)
        raised, later, also = two_states(K, constants.largest_radius(public), planning)
        events = events and held and also
        printed.append(planned <= explored + ROUNDING)
        corrected.append(later <= raised + ROUNDING)
        rows.append((K, exploration, planning, explored, planned, raised))
    radii = []
    for d, H, K in ((2, 2, 10**4), (8, 5, 10**4), (100, 3, 10**4), (1600, 3, 10**4)):
        public = sizes(d=d, H=H, K=K)
        radii.append((d, H, K, round(constants.exploration_radius(public)), round(constants.planning_radius(public))))
    instance = (
        prose(
            "S = d = H = 2, A = 1, φ(s) = e_s, λ = 1/H, δ = 0.1, W = √d: every episode is 0 → 1 → 1. r = 0, so V* = 0. At "
            "state 1 of step 2, with k = K; both events hold (at step 1 the errors are below the radii, at step 2 they are 0):"
        )
        + table(("K", "β_E", "β_P", "V̂_{K,2}", "V̂_2", "V̂_{K,2} with max(β_E, β_P)"), rows)
        + "\n"
        + prose("The proof uses β_E ≥ β_P. By eq. (20), (30) and (32):")
        + table(("d", "H", "K", "β_E", "β_P"), radii)
    )
    return Refutation(
        "; ".join(f"0 + {show(row[3])} {'≥' if ok else '<'} {show(row[4])}" for row, ok in zip(rows, printed, strict=True)),
        any(printed),
        "; ".join(f"0 + {show(row[5])} ≥ {show(row[4])}" for row in rows),
        all(corrected),
        instance,
        {"the events": events},
    )


def homogeneity() -> Refutation:
    """The published bonuses where beta_E > beta_P: the planning bonus alone is above the cap."""
    rows: list[tuple[int, int, int, float, float, int]] = []
    publics = [sizes(d=d, H=3, K=K) for d, K in ((2_000, 10**4), (4_000, 10**4), (10**5, 10**6))]
    for public in publics:
        d, H, K = public.d, public.H, public.K
        planning = constants.planning_radius(public)
        least = planning / math.sqrt(public.ridge + K / H)  # ||phi||^2 >= 1/(lambda + K/H) for ||phi|| = 1, as sigma^2 >= H
        rows.append((d, H, K, constants.exploration_radius(public) / planning, least, H))
    instance = prose(
        "Any linear MDP with ‖φ‖ = 1 (say φ(s,a) one-hot), λ = 1/H, δ = 0.1, W = √d. As σ̂² ≥ H, b_h ≥ β_P/√(λ + K/H) "
        "everywhere, so Ṽ_1(s; b) = H where this is above H. r_{k,h} ≥ αb_h for α = β_E/β_P, the largest α for which it follows "
        "from Λ̂_{K+1} ≽ Λ̂_k; so Ṽ_1(s; αb) and Ṽ_1(s; r_k) are H, too, for α ≥ 1."
    ) + table(("d", "H", "K", "α", "least b_h", "Ṽ_1(s; b), Ṽ_1(s; αb), Ṽ_1(s; r_k)"), rows)
    capped = all(least >= H and alpha * H > H for *_, alpha, least, H in rows)
    return Refutation(
        "αE Ṽ_1(s; b) = E Ṽ_1(s; αb) ≤ Σ_k E Ṽ_1(s; r_k)/K: " + "; ".join(f"{show(alpha * H)} > {H}" for *_, alpha, _, H in rows),
        not capped,
        "min(α, 1) E Ṽ_1(s; b) ≤ Σ_k E Ṽ_1(s; r_k)/K: "
        + "; ".join(f"{show(min(alpha, 1) * H)} ≤ {H}" for *_, alpha, _, H in rows),
        all(min(alpha, 1.0) * H <= H for *_, alpha, _, H in rows),
        instance,
        {**usual(publics), "β_E ≥ c√d β_P for some c√d > 1": all(alpha > 1 for *_, alpha, _, _ in rows)},
    )


def planning_bonus() -> Refutation:
    """The two bonuses of an episode in which a feature was not met, by size; Lambda-hat is the same in both norms."""
    rows: list[tuple[int, int, int, float, float, float]] = []
    publics = [sizes(d=d, H=3, K=10**6) for d in (2, 100, 1_600, 10**5, 10**6)]
    for public in publics:
        d, H, K = public.d, public.H, public.K
        exploring, planning = constants.exploration_radius(public), constants.planning_radius(public)
        rows.append((d, H, K, exploring, planning, exploring / (math.sqrt(d) * planning)))
    most = math.sqrt(2) * max(row[-1] for row in rows)
    instance = prose(
        "λ = 1/H, δ = 0.1, W = √d. In the last episode the norms of all features that it does not meet are the same under Λ̂_K "
        "and "
        "Λ̂_{K+1}, so that (9) is β_E ≥ √d β_P there; for the others ‖φ‖² at Λ̂_K is at most 1 + 1/(λH) = 2 times as large, as "
        "σ̂² ≥ H:"
    ) + table(("d", "H", "K", "β_E", "β_P", "β_E/(√d β_P)"), rows)
    return Refutation(
        f"β_E/(√d β_P) = {', '.join(show(row[-1]) for row in rows)} {'≥' if most >= 1 else '<'} 1",
        most >= 1,
        "r_{k,h} ≥ α b_h for α = β_E/β_P = " + ", ".join(show(row[3] / row[4]) for row in rows) + "; none is above √d",
        all(0 < row[3] / row[4] < math.sqrt(row[0]) for row in rows),
        instance,
        usual(publics),
    )


ERRATA = (
    Erratum(
        "simulation-lemma",
        "Lemma A.17",
        Grade.FALSE,
        "Under Ψ^E_{k,h}: V̂_{k,h}(s) ≤ E min(Σ_{h'≥h} 4β_E‖φ(s_{h'}, a_{h'})‖_{Λ̂_k⁻¹}, H), along the trajectory of π^k from s",
        "The recursion bounds V̂ by the mean of the sum, and H bounds it too: that gives the minimum of the mean, "
        "which is at least the mean of the minimum. The radius is an input of Algorithm 1; the lemma is false at that of eq. "
        "(20), too.",
        "V̂_{k,h}(s) ≤ min(E Σ_{h'≥h} min(4β_E‖φ‖, H), H). Lemma A.20 needs no more: its sum has one term for each step, to "
        "which Lemma C.3 applies with T = KH",
        ("lsvi-rfe/simulation-lemma",),
        simulation_lemma,
    ),
    Erratum(
        "planned-recursion",
        "proof of Theorem 4.2",
        Grade.STEP,
        "Under Ψ^P_1: E[V̂_1(s_1) − V^π_1(s_1)] ≤ E min(Σ_h 2b_h(s_h, π_h(s_h)), H) ≤ 2E Ṽ^π_1(s_1; b)",
        "The mean of the next step's difference is moved out of the minimum, as in Lemma A.17. The radius is an input of "
        "Algorithm 2, "
        "and free in this counterexample: the step is not shown to fail at the published one.",
        "V̂_1 − V^π_1 ≤ Ṽ^π_1(2b) ≤ 2Ṽ^π_1(b), by the recursion of the truncated value; the conclusion stays",
        ("lsvi-rfe/planned-gap",),
        planned_recursion,
    ),
    Erratum(
        "over-optimism",
        "Lemma A.15",
        Grade.FALSE,
        "Under Ψ^E_h and Ψ^P_h: V*_h(s; r) + V̂_{k,h}(s) ≥ V̂_h(s) for all k ≤ K",
        "The proof uses β_E ≥ β_P, which nobody states. It holds for large d (β_E is of order d√H, β_P of order √(dH)), but "
        "β_P has larger constants and one more logarithm: at λ = 1/H it takes d ≈ 1600. Below that, "
        "Lemma A.12, which uses A.15, has no proof, and so neither have A.13 and Theorem 4.2.",
        "The same if β_E ≥ β_P; so for every d if max(β_E, β_P) takes the place of β_E, which leaves all other lemmas true",
        ("lsvi-rfe/over-optimism",),
        over_optimism,
    ),
    Erratum(
        "planning-bonus",
        "Section 5, eq. (9)",
        Grade.STEP,
        "r_{k,h} = β_E‖φ‖_{Λ̂_k⁻¹} ≥ √d b_h = √d β_P‖φ‖_{Λ̂_{K+1}⁻¹}",
        "The orders d√H of β_E and √(dH) of β_P leave out constants and logarithms: at no size that was tried is β_E even a "
        "thirtieth of "
        "√d β_P. This step is where d² comes from in place of d³; Lemma A.22 has it with a constant, which `homogeneity` is "
        "about.",
        "r_{k,h} ≥ (β_E/β_P) b_h, as Λ̂_k ≼ Λ̂_{K+1}",
        ("lsvi-rfe/bonus-ratio",),
        planning_bonus,
    ),
    Erratum(
        "homogeneity",
        "proof of Lemma A.22",
        Grade.STEP,
        "c√d E Ṽ_1(s; b) = E Ṽ_1(s; c√d·b) ≤ Σ_k E Ṽ_1(s; r_k)/K, where β_E ≥ c√d β_P",
        "Truncated values are not homogeneous: Ṽ(αb) ≤ αṼ(b) for α ≥ 1, and equality needs that nothing is cut. For α = c√d > 1, "
        "where a √d is to be gained, the inequality used is the false one; for α ≤ 1, as at all sizes that can be run, "
        "nothing is gained. Whether the lemma's rate, d² and not d³ in Theorem 4.2, holds for other reasons is left open.",
        "αE Ṽ_1(s; b) ≤ E Ṽ_1(s; αb) ≤ Σ_k E Ṽ_1(s; r_k)/K for α = min(β_E/β_P, 1)",
        ("lsvi-rfe/truncated-values",),
        homogeneity,
    ),
)
