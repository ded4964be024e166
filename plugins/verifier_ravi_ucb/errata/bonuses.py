"""Errata of the sums of bonuses, Lemmas 5.2 and 5.5: counts frozen for an epoch, Wald's identity, what grows with H."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws, are_within
from verifier_ravi_ucb.errata.bandit import sizes
from verifier_ravi_ucb.shared import constants


def absorbing_bonus_sum(X: int, gamma: float, T: int) -> float:
    """E sum_{t<=T+} 1/sqrt(N_t(X_t)) in X absorbing states, A = 1, nu_0 uniform, N_t frozen during epochs; exact.

    An epoch that starts at step s in state x adds H/sqrt(1 + C) in the mean, C the steps before s in x. Step s starts an epoch
    with probability 1 (s = 1) or 1-g, independently of what was before, and its state is independent of C. The law of C (for
    any one x) and of whether step s - 1 is in x follows from step to step.
    """
    H = 1.0 / (1.0 - gamma)
    weights = 1.0 / np.sqrt(1.0 + np.arange(T + 1))
    here, elsewhere = np.zeros(T + 1), np.zeros(T + 1)
    here[1], elsewhere[0] = 1.0 / X, 1.0 - 1.0 / X
    total = 1.0
    for _ in range(2, T + 1):
        either = here + elsewhere
        total += (1.0 - gamma) * float(either @ weights)
        here = np.concatenate([[0.0], (gamma * here + (1.0 - gamma) / X * either)[:-1]])
        elsewhere = gamma * elsewhere + (1.0 - gamma) * (1.0 - 1.0 / X) * either
    return H * total


def frozen_counts() -> Refutation:
    """Absorbing states and T = XH: the first visits of an epoch all cost beta."""
    rows = []
    bounds = []
    for X, H in ((1, 2), (1, 10), (1, 100), (1, 1000), (20, 2), (20, 10), (20, 100)):
        T, gamma = X * H, 1.0 - 1.0 / H
        public = sizes(X=X, A=1, gamma=gamma, T=T)
        total, root = absorbing_bonus_sum(X, gamma, T), math.sqrt(X * T)
        rows.append((X, H, T, total, root, total / root))
        bounds.append(constants.tabular_bonus_sum(public, T, 1.0))
    instance = prose(
        "X absorbing states, A = 1, ν_0 uniform, T = XH steps; bonuses β/√N with N frozen during each epoch. By Wald's identity "
        "an epoch that starts with N visits to its state costs βH/√N in the mean, so for X = 1 the sum is βH(1 + (1−γ) "
        "Σ_{2≤s≤T} 1/√s); for X = 20 by the law of the counts:"
    ) + table(("X", "H", "T", "E Σ CB / β", "√(XAT)", "ratio"), rows)
    ratios = [row[5] for row in rows]
    constant = constants.RARE
    return Refutation(
        f"E Σ CB / (β√(XAT)) = {', '.join(map(show, ratios))}: {show(max(ratios))} {sign(max(ratios) <= constant)} 1 + √2 (it "
        "is at least √H for X = 1, so no constant will do)",
        max(ratios) <= constant or any(ratio < math.sqrt(H) for X, H, *_, ratio in rows if X == 1),
        "; ".join(f"{show(row[3])} ≤ {show(bound)}" for row, bound in zip(rows, bounds, strict=True)),
        all(row[3] <= bound for row, bound in zip(rows, bounds, strict=True)),
        instance,
        {"0 < γ < 1": all(0 < 1 - 1 / H < 1 for _, H, *_ in rows), "ν_0 is a law": are_laws([[1 / X] * X for X, *_ in rows])},
    )


@dataclass(frozen=True)
class Chain:
    """The linear mixture algorithm on 0 -> 1 -> 2 (absorbing) with A = d = theta = 1, psi = P, r = (0, 0, 1), at the start of an
    epoch: nothing is random but the lengths of the epochs.

    Attributes
    ----------
    gamma, beta : float
    t : int
        T_k.
    chance : float
        The probability of this history.
    V : (float, float, float)
    Lambda, b : float
        With lambda = 1.
    """

    gamma: float
    beta: float
    t: int = 1
    chance: float = 1.0
    V: tuple[float, float, float] = (0.0, 0.0, 0.0)
    Lambda: float = 1.0
    b: float = 0.0

    @property
    def features(self) -> tuple[float, float, float]:
        """phi_k(x) = V_k at the successor of x."""
        return self.V[1], self.V[2], self.V[2]

    def first_bad(self) -> int | None:
        """The first step of the epoch, from 1, with |phi_k| >= 1 in the norm of Lambda^{-1}; None if there is none."""
        return next((i + 1 for i, phi in enumerate(self.features) if phi >= math.sqrt(self.Lambda)), None)

    def after(self, length: int) -> Chain:
        """The next epoch, if this one has this length."""
        H = 1.0 / (1.0 - self.gamma)
        gain = self.beta / math.sqrt(self.Lambda) + self.gamma * self.b / self.Lambda
        Q = [r + gain * phi for r, phi in zip((0.0, 0.0, 1.0), self.features, strict=True)]
        V = tuple(min(max(q, 0.0), H) for q in Q)
        squares = sum(self.features[min(i, 2)] ** 2 for i in range(length))
        chance = self.chance * self.gamma ** (length - 1) * (1.0 - self.gamma)
        # phi = V at the successor: each row adds phi V(x') = phi^2 to b
        return Chain(self.gamma, self.beta, self.t + length, chance, (V[0], V[1], V[2]), self.Lambda + squares, self.b + squares)


def histories(epoch: Chain, T: int) -> Iterator[Chain]:
    """Every epoch k <= K(T) after every history, 2^(T-1) of them in all."""
    yield epoch
    for length in range(1, T - epoch.t + 1):
        yield from histories(epoch.after(length), T)


def bad_lengths(epoch: Chain, T: int) -> tuple[float, float, float]:
    """E sum_{k in E(T)} L_k, E |E(T)|, and E of the steps of these epochs from the first bad one on.

    Epoch k has a bad step if and only if L_k >= m, the first bad step; E[L 1(L >= m)] = g^(m-1) (m - 1 + H), where L is
    the length up to T+.
    """
    H = 1.0 / (1.0 - epoch.gamma)
    lengths = number = remaining = 0.0
    for found in histories(epoch, T):
        m = found.first_bad()
        if m is None:
            continue
        bad = found.chance * epoch.gamma ** (m - 1)
        lengths += bad * (m - 1 + H)
        number += bad
        remaining += bad * H
    return lengths, number, remaining


def wald() -> Refutation:
    """A path whose first step is never bad: epochs with a bad step are longer than others."""
    rows: list[tuple[float, int, float, float, float]] = []
    bounds: list[float] = []
    for gamma, T in ((0.5, 2), (0.5, 12), (0.8, 12), (0.9, 12)):
        public = sizes(X=3, A=1, gamma=gamma, T=T, d=1, B=1.0)
        lengths, number, remaining = bad_lengths(Chain(gamma, constants.mixture_beta(public, T)), T)
        H = public.H
        rows.append((gamma, T, lengths, H * number, remaining))
        bounds.append(H * constants.bad_epochs(public, constants.expected_steps(public, T)))
    half, theta = Fraction(1, 2), 1.0
    psi = np.eye(3)[[1, 2, 2]].tolist()
    instance = prose(
        "States 0 → 1 → 2 (absorbing), A = d = 1, ψ = P, θ = B = 1, λ = 1, r = (0, 0, 1), every epoch starts in 0, Lemma 5.4's "
        "β with δ = 1/T. V_1 = 0 and V_2 = r, so ‖φ_2‖ = (0, 1, 1): epoch 2 is bad if and only if L_2 ≥ 2. For T = 2 there is an "
        f"epoch 2 if L_1 = 1, so E Σ L_k = (1−γ)(H − (1−γ)) = 2γ − γ² = {2 * half - half**2} and H E|E| = H(1−γ)γ = γ = {half}. "
        "For larger T, over all histories:"
    ) + table(("γ", "T", "E Σ_{k∈E} L_k", "H E|E|", "E Σ_{k∈E} (steps from the first bad one on)"), rows)
    return Refutation(
        "; ".join(f"{show(row[2])} {'=' if math.isclose(row[2], row[3]) else '≠'} {show(row[3])}" for row in rows),
        any(math.isclose(row[2], row[3]) for row in rows),
        "; ".join(f"{show(row[4])} = {show(row[3])} ≤ {show(bound)}" for row, bound in zip(rows, bounds, strict=True))
        + " (H times Lemma A.3)",
        all(math.isclose(row[4], row[3]) and row[3] <= bound for row, bound in zip(rows, bounds, strict=True)),
        instance,
        {
            "P is a kernel": are_laws(psi),  # theta = 1
            "‖θ‖ ≤ B": theta <= public.B,
            # the norm is largest for V = H, as psi has no negative entry
            "‖Σ ψ(x,a,x')V(x')‖ ≤ BH": max(map(sum, psi)) <= public.B,
            "0 ≤ r ≤ 1": are_within((0.0, 0.0, 1.0), 0, 1),
            "0 < γ < 1": all(0 < gamma < 1 for gamma, *_ in rows),
        },
    )


def hidden_horizon() -> Refutation:
    """C_1 and C_2 at one T, for longer and longer horizons."""
    T, d, B = 10**5, 3, 1.0
    rows = []
    corrected = []
    for H in (2, 5, 10, 100, 10_000):
        public = sizes(X=1, A=2, gamma=1.0 - 1.0 / H, T=T, d=d, B=B)
        beta = constants.mixture_beta(public, T)
        first, second = constants.bad_steps_bound(public, beta, T), constants.root_coefficient(public, T, beta, T)
        ratio = (first + second) / (B * H**1.5 * d * math.log(T) ** 1.5)
        rows.append((H, first, second, ratio, math.sqrt(2.0) / math.log(2.0) * H**1.5))
        L = constants.log_growth(public, T)
        width = (math.sqrt(d) * H + B) * L**1.5
        corrected += [first <= 2.5 * width * d * B * H**2, second <= 4.25 * width * math.sqrt(d * H)]
    instance = prose(
        "λ = 1, B = 1, d = 3, T = 10⁵, δ = 1/T; C_1 and C_2 as defined at the end of appendix A.4. Already β ≥ H√(2 log T) and "
        "log(1 + B²H²T/d) ≥ log T (for B²H² ≥ d) give C_1 ≥ (√2/log 2) H^{3/2} · BH^{3/2} d (log T)^{3/2}:"
    ) + table(("H", "C_1", "C_2", "(C_1 + C_2)/(B H^{3/2} d (log T)^{3/2})", "(√2/log 2) H^{3/2}"), rows)
    ratios = [row[3] for row in rows]
    bounded = any(ratio < row[4] for ratio, row in zip(ratios, rows, strict=True)) or max(ratios) <= ratios[0]
    return Refutation(
        f"C_1 + C_2 is {', '.join(map(show, ratios))} times B H^{{3/2}} d (log T)^{{3/2}}: {show(ratios[-1])} "
        f"{sign(bounded)} any constant, as H grows",
        bounded,
        "C_1 ≤ 2.5 (√d H + B) d B H² ℓ^{3/2} and C_2 ≤ 4.25 (√d H + B) √(dH) ℓ^{3/2} in every row",
        all(corrected),
        instance,
        {
            "0 < γ < 1": all(0 < 1 - 1 / H < 1 for H, *_ in rows),
            "λ = 1": public.ridge == 1,
            "δ = 1/T": math.isclose(public.delta * T, 1),
            "B ≥ 1, as ⟨θ, ψ(V = 1)⟩ = 1": B >= 1,
        },
    )


ERRATA = (
    Erratum(
        "frozen-counts",
        "Lemma 5.2",
        Grade.FALSE,
        "E Σ_{t≤T+} CB_t(X_t, A_t) = O(β√(|X||A|T))",
        "The counts are frozen for an epoch, and nothing ends an epoch when a count has doubled, as in the works it refers to: "
        "all steps of an epoch in a pair not seen before cost β each, up to βH in the mean. Up to T ≈ XA H² log²T this can "
        "dominate. (The rate of the regret does not suffer: R_T ≤ T, and where β√(XAT) ≤ T, also XA·βH ≤ XA·β² ≤ β√(XAT).)",
        "β[(1+√2)√(XA(T⁺ + XA)) + (2+√2) XA max_k L_k] on every path; in expectation with T + γH for T⁺ and H(2 + log T) for "
        "max_k L_k",
        ("ravi-ucb-tabular/bonus-sum",),
        frozen_counts,
    ),
    Erratum(
        "wald",
        "Appendix A.4, first display",
        Grade.STEP,
        "E Σ_{k∈E(T)} |T_k| = H E|E(T)|, by Wald's identity, for E(T) the epochs that contain a bad time index",
        "Wald's identity needs that whether k is counted does not depend on L_k. An epoch is bad if it gets as far as a bad "
        "step, so it is longer than others: if the first bad step would be its m-th, E[L_k | bad] = m − 1 + H.",
        "The steps from the first bad one on are H in the mean (the reset does not remember), and those before have norm below 1 "
        "and belong to the sum of min(1, ‖φ‖), which the proof extends to all epochs anyway: C_1 stays as it is, with T + γH "
        "for T (E T⁺); in √T·C_2, T + γH for √T's T and T + 2γH in the logarithm",
        ("ravi-ucb-mixture/bonus-sum-expectation",),
        wald,
    ),
    Erratum(
        "hidden-horizon",
        "Appendix A.4, last line; Lemma 5.5",
        Grade.STEP,
        "C_1(T) + C_2(T) = O(B H^{3/2} d log(T)^{3/2})",
        "C_1 has β d B H², and β is of order H√d + B: C_1 grows like d^{3/2} B H³. As C_1 does not multiply √T it only "
        "matters up to T of order d B² H³; the rate of Theorem 5.6 then still follows from R_T ≤ T if B ≤ √d, but in general "
        "not for larger B.",
        "C_1 = O((√d H + B) d B H² ℓ^{3/2}) and C_2 = O((√d H + B) √(dH) ℓ^{3/2}) for λ = 1, with ℓ = log(1 + B²H²T/d) ≥ max(1, "
        "log T); Lemma 5.5 has the additional term C_1",
        ("ravi-ucb-mixture/bonus-sum-expectation",),
        hidden_horizon,
    ),
)  # fmt: skip
