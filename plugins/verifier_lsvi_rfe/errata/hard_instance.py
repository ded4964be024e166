"""Errata of the lower bound: Theorem 6.1, and eq. (53) in the proof of Lemma B.2."""

from __future__ import annotations

import math

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation


def chances(d: int, H: int, K: int) -> tuple[float, float]:
    """Delta = sqrt(iota/K) / (4 sqrt 2), and iota = 1/H."""
    return math.sqrt(1.0 / (H * K)) / (4 * math.sqrt(2)), 1.0 / H


def value(H: int, chance: float) -> float:
    """sum_h (H - h) p (1 - p)^(h-1): the first of H - 1 moves to succeed with this chance pays for the rest of the episode."""
    return math.fsum((H - h) * chance * (1 - chance) ** (h - 1) for h in range(1, H))


def optimal_value() -> Refutation:
    """V* and the largest gap, of the policy that is wrong in every sign."""
    rows: list[tuple[int, int, int, float, float, float, float, float]] = []
    for d, H, K in ((4, 4, 100), (4, 8, 1_000), (8, 8, 10**6)):
        Delta, iota = chances(d, H, K)
        best, worst = value(H, iota + (d - 1) * Delta), value(H, iota - (d - 1) * Delta)
        rows.append((d, H, K, Delta, iota, best, best - worst, d * H**2 * Delta))
    instance = prose(
        "The hard instance: V*_1(x_1) = Σ_h (H−h) p (1−p)^{h−1}, p = ι + (d−1)Δ; the policy with all signs wrong has ι − (d−1)Δ. "
        "3(d−1)Δ ≤ ι and K ≥ (d−1)²H/2 hold:"
    ) + table(("d", "H", "K", "Δ", "ι", "V*_1(x_1)", "largest gap", "dH²Δ"), rows)
    return Refutation(
        "; ".join(f"{show(row[5])} {sign(row[5] <= row[7])} {show(row[7])}" for row in rows),
        any(row[5] <= row[7] for row in rows),
        "; ".join(f"{show(row[6])} ≤ {show(row[7])}" for row in rows),
        all(row[6] <= row[7] for row in rows),
        instance,
        {
            "3(d−1)Δ ≤ ι": all(3 * (d - 1) * Delta <= iota for d, _, _, Delta, iota, *_ in rows),
            "K ≥ (d−1)²H/2": all((d - 1) ** 2 * H / 2 <= K for d, H, K, *_ in rows),
            "d ≥ 4, H ≥ 3": all(d >= 4 and H >= 3 for d, H, *_ in rows),
        },
    )


def free_probability() -> Refutation:
    """Horizons that allow a delta that does not depend on them, and one that does."""
    d, K, delta = 4, 10**4, 0.1
    rows = [(H, 1 / (32 * K), 1 / H, delta, 1 / (2 * H)) for H in (4, 8, 16, 64)]
    fixed, following = [[low < chosen[i] < high for _, low, high, *chosen in rows] for i in (0, 1)]
    instance = prose(f"H ≥ 4, d = {d} ≥ 2, K = {K}; any fixed δ is above 1/H from some H on:") + table(
        ("H", "1/(32K)", "1/H", "δ, fixed", "δ = 1/(2H)"), rows
    )
    first = next((row[0] for row, inside in zip(rows, fixed, strict=True) if not inside), None)
    return Refutation(
        f"δ = {delta}: 1/(32K) < δ < 1/H is {'true for all H' if first is None else f'false for H = {first}'}",
        all(fixed),
        f"δ = 1/(2H) is between: {', '.join(f'{show(low)} < {show(chosen)} < {show(high)}' for _, low, high, _, chosen in rows)}",
        all(following),
        instance,
        {"H ≥ 4": all(H >= 4 for H, *_ in rows), "d ≥ 2": d >= 2, "0 < δ < 1": 0 < delta < 1},
    )


ERRATA = (
    Erratum(
        "free-probability",
        "Theorem 6.1",
        Grade.NOT_IMPLIED,
        "For H ≥ 4, d ≥ 2, 1/(32K) < δ < 1/H some linear MDP needs K ≥ Cd²H³/ε² episodes, where δ has no dependence on ε, H, "
        "d, K",
        "δ < 1/H for every H is a dependence on H, and 1/(32K) < δ one on K: no δ in (0, 1) that is fixed meets the hypothesis "
        "for all "
        "H ≥ 4. The bound is about failure probabilities that fall with the horizon, and leaves a constant δ, for large H, open.",
        "For each H, K and each δ in (1/(32K), 1/H)",
        (),
        free_probability,
    ),
    Erratum(
        "optimal-value",
        "eq. (53), proof of Lemma B.2",
        Grade.STEP,
        "V*_1(x_1) = Σ_h (H−h)((d−1)Δ + ι)(1 − (d−1)Δ − ι)^{h−1} ≤ dH²Δ, as Δ > ι",
        "The lemma assumes 3(d−1)Δ ≤ ι, so Δ < ι: V* is of order H²ι = H, whatever d and K are.",
        "V*_1 − V^π_1 ≤ Σ_h 2(d−1)Δ(H−h) = (d−1)H(H−1)Δ ≤ dH²Δ for every π: at x_h a wrong sign costs 2Δ(V*_{h+1}(x_{H+2}) − "
        "V*_{h+1}(x_{h+1})) ≤ 2Δ(H−h). The lemma stays",
        (),
        optimal_value,
    ),
)
