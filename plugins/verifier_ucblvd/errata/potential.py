"""The erratum of the elliptical potential, inequality (15)."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.tables import show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation


def potential_index() -> Refutation:
    """K orthogonal features of norm 1: Lambda^K does not contain the last of them."""
    rows, printed, corrected = [], [], []
    phi, ridge = np.eye(3), 1.0
    for K in (1, 2, 3):
        total = float(np.linalg.norm(phi[:K], axis=1).sum()) / math.sqrt(ridge)  # each direction is new
        before, after = (math.sqrt(2 * K * math.log((1 + 1 / ridge) ** terms)) for terms in (K - 1, K))
        rows.append((K, f"{2 ** (K - 1)}", f"{2**K}", total, before, after))
        printed.append(total <= before)
        corrected.append(total <= after)
    head = ("K", "det Λ^K", "det Λ^{K+1}", "Σ_k ‖φ_k‖", "√(2K log det Λ^K)", "√(2K log det Λ^{K+1})")
    instance = "λ = 1 (so det Λ^1 = 1), φ_k = e_k for k = 1, ..., K, d ≥ K:\n" + table(head, rows)
    values = [(row[3], row[4], row[5]) for row in rows]
    left = "; ".join(f"{show(total)} {sign(ok)} {show(bound)}" for (total, bound, _), ok in zip(values, printed, strict=True))
    right = "; ".join(f"{show(total)} {sign(ok)} {show(bound)}" for (total, _, bound), ok in zip(values, corrected, strict=True))
    hypotheses = {"‖φ‖ ≤ 1": bool((np.linalg.norm(phi, axis=1) <= 1).all()), "λ = 1": ridge == 1}
    return Refutation(left, any(printed), right, all(corrected), instance, hypotheses)


ERRATA = (
    Erratum(
        "potential-index",
        "eq. (15), proof of Theorem 1 (used again for Theorems 2 to 6)",
        Grade.STEP,
        "Σ_{k≤K} ‖φ_h^k‖_{(Λ_h^k)⁻¹} ≤ √(2K log(det Λ_h^K / det Λ_h^1)), where Λ_h^k = λI + Σ_{τ<k} φ_h^τ φ_h^τᵀ",
        "Λ_h^K holds the features of K − 1 episodes, the sum those of K. The lemma the paper quotes has det "
        "V_{n+1}. With K = 1 and any φ of norm 1 it says 1 ≤ 0. (It also needs λ ≥ 1, or min(1, ·) as in the "
        "quoted lemma.)",
        "The same with det Λ_h^{K+1}; the trace bound then still gives √(2dK log(1 + K/(dλ))), so the theorems "
        "keep their constants",
        ("lifelong-lsvi/potential", "ucblvd/potential", "lifelong-lsvi/sum-of-bonuses", "ucblvd/sum-of-bonuses"),
        potential_index,
    ),
)
