"""Errata of the sums of weights: Lemma A.19, and what its proof and that of Lemma A.18 sum."""

from __future__ import annotations

import math

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier_lsvi_rfe.errata.sizes import sizes, usual
from verifier_lsvi_rfe.shared import constants


def least_weights(d: int) -> float:
    """A lower bound on sum_k sigma-hat_k^2 if H = A = lambda = 1, phi(s) = e_s, and each of d states comes d^6 times or more.

    W falls as a state is visited, and sigma-tilde^2 = max(1, d^2 W) with it, from d^2 at most. So before visit n + 1

        ||phi / sigma-tilde||^2 = 1 / (sigma-tilde^2 + sum_{i<=n} sigma-tilde^2 / sigma-tilde_i^2) >= 1 / (d^2 + n),

    which is above d^-6 for n < d^6 - d^2: so many visits of each state have the enlarged weight H d^3.
    """
    return float(d * (d**6 - d**2) * d**3)


def enlarged_weights() -> Refutation:
    """d states, each with a feature of its own, H = 1: sum_k sigma-hat_k^2 for large d."""
    rows: list[tuple[str, float, float, float, float]] = []
    publics = [sizes(d=d, H=1, K=2 * d**7) for d in (100, 1_000, 2_000)]
    for public in publics:
        d = public.d
        corrected = constants.weight_sum(public, constants.exploration_radius(public))
        printed = corrected - 12 * float(d**10 - d**9) * math.log1p(2 * d**7 / public.ridge)
        rows.append((str(d), least_weights(d), printed, corrected, float(d**3 * public.K)))
    instance = prose(
        "H = A = 1, S = d, φ(s) = e_s, uniform initial states, λ = 1, δ = 0.1, W = √d, K = 2d⁷; Ψ^E holds, as V_2 = 0. "
        "By Chebyshev's inequality all states come d⁶ times or more with probability 1 − 2d⁻⁵. The first d⁶ − d² visits of each "
        "have σ̂² = Hd³, so Σ σ̂² ≥ d¹⁰ − d⁶; it is at most Kd³:"
    ) + table(("d", "Σ σ̂² ≥", "printed, d⁹", "with d¹⁰", "Σ σ̂² ≤"), rows)
    return Refutation(
        "; ".join(f"d = {row[0]}: {show(row[1])} {sign(row[1] <= row[2])} {show(row[2])}" for row in rows),
        all(row[1] <= row[2] for row in rows),
        "; ".join(f"{show(row[4])} ≤ {show(row[3])}" for row in rows),
        all(row[4] <= row[3] for row in rows),
        instance,
        {
            **usual(publics),
            "V_2 = 0, so Ψ^E holds": all(public.H == 1 for public in publics),
            # Chebyshev: each state comes less than d^6 times with probability at most 2d^6/d^12
            "likelier than 2δ": all(1 - 2 * public.d**-5 > 2 * public.delta for public in publics),
        },
    )


def unweighted_potential() -> Refutation:
    """d = 1: the Gram matrices are known."""
    K, phi = 1000, 1.0
    ridges: list[bool] = []
    rows: list[tuple[int, float, float, float]] = []
    for H in (1, 3, 10, 30):
        ridge = 1.0 / H
        ridges.append(ridge > 0)
        grams = [ridge + k / H for k in range(K)]  # d = 1: all weights are H
        bare, weighted = (H * math.fsum(min(1.0 / (scale * gram), 1.0) for gram in grams) for scale in (1, H))
        rows.append((H, bare, weighted, 2 * H * math.log1p(K / (ridge * H))))
    instance = prose(
        "d = 1, so φ = 1, σ̂² = H, Λ̂_{k,h} = λ + (k − 1)/H in every run; λ = 1/H, K = 1000. Sums over k and h:"
    ) + table(("H", "Σ min(‖φ‖²_Λ̂⁻¹, 1)", "Σ min(‖φ/σ̂‖²_Λ̂⁻¹, 1)", "2Hd log(1 + K/(λHd))"), rows)
    return Refutation(
        "; ".join(f"{show(row[1])} {sign(row[1] <= row[3])} {show(row[3])}" for row in rows),
        all(row[1] <= row[3] for row in rows),
        "; ".join(f"{show(row[2])} ≤ {show(row[3])}" for row in rows),
        all(row[2] <= row[3] for row in rows),
        instance,
        {"λ > 0": all(ridges), "‖φ‖ ≤ 1": phi <= 1, "‖φ/σ̂‖² ≤ 1/H": all(phi**2 / H <= 1 / H for H, *_ in rows)},
    )


ERRATA = (
    Erratum(
        "enlarged-weights",
        "Lemma A.19",
        Grade.FALSE,
        "Σ_{k,h} σ̂²_{k,h} ≤ 2HT + 12H³d⁹ log(1 + 2d⁷/(λH)) + ... + 8d⁵H(1 + 2H)² β_E² log(1 + K/(Hdλ))",
        "The number of enlarged weights, times Hd³: 3Hd/log(1 + d⁻⁶) · H · Hd³, with 1/log(1 + d⁻⁶) ≤ 2d⁶, is 6H³d¹⁰. For d up "
        "to about 12H the statement still holds, by sharper counting.",
        "With 12H³d¹⁰; of lower order in K all the same",
        ("lsvi-rfe/sum-of-weights",),
        enlarged_weights,
    ),
    Erratum(
        "unweighted-potential",
        "proof of Lemma A.19, last combination",
        Grade.STEP,
        "Σ_{k,h} min(‖φ(s_h^k, a_h^k)‖²_{Λ̂_{k,h}⁻¹}, 1) ≤ 2Hd log(1 + K/(λHd)) by Lemma C.6",
        "Λ̂ is the sum of φφ'/σ̂², so Lemma C.6 is about φ/σ̂, as the proof of Lemma A.20 has it. (Lemma A.18 as "
        "printed, with φ for φ/σ̂, holds but is of no use.)",
        "The same with σ̂⁻¹φ for φ; 4β_E‖φ‖ = 4β_E σ̂ ‖σ̂⁻¹φ‖, where the cap H allows min(·, 1) as 4β_E σ̂ ≥ H",
        ("lsvi-rfe/potential", "lsvi-rfe/sum-of-backups"),
        unweighted_potential,
    ),
)
