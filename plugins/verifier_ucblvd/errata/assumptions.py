"""Errata of the assumptions: how many contexts completeness allows, what the measures are bounded by, which D(w) exist."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from verifier.base.tables import prose, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier_ucblvd.errata.numbers import rank


def finite_contexts() -> Refutation:
    """Three contexts, the third midway between the others: f = clip(<nu, psi>) is not linear in rho."""
    H = Fraction(2)
    rho = {"w1": (Fraction(1), Fraction(0)), "w2": (Fraction(0), Fraction(1)), "w3": (Fraction(1, 2), Fraction(1, 2))}
    nu, xi = (2 * H, Fraction(0)), (5 * H / 4, H / 4)
    f = {w: min(max(_dot(nu, x), Fraction(0)), H) for w, x in rho.items()}
    # Any xi has <xi, rho(w3)> = (<xi, rho(w1)> + <xi, rho(w2)>)/2; the three errors weighted by 1/2, 1/2, 1 add up to the gap.
    gap = abs(f["w3"] - (f["w1"] + f["w2"]) / 2)
    least = gap / 2
    attained = max(abs(f[w] - _dot(xi, x)) for w, x in rho.items())
    independent = max(abs(f[w] - _dot((f["w1"], f["w2"]), rho[w])) for w in ("w1", "w2"))
    rows = [(w, f"({x[0]}, {x[1]})", _dot(nu, x), f[w], _dot(xi, x)) for w, x in rho.items()]
    instance = prose(
        "S = A = d = 1, m = 2, H = 2; φ = 1, μ = 1 (so P = 1), ψ = ρ(w), η = (1, 0). Assumptions 1 and 3 hold "
        "with representatives w1, w2 and c(w3) = (1/2, 1/2), L = 1. The function f in F with ν = (4, 0), β = 0:"
    ) + (table(("w", "ρ(w)", "⟨ν, ψ⟩", "f = P f", "best ⟨ξ, ψ⟩"), rows))
    return Refutation(
        f"completeness error of this f: {least} ≤ 0 (the least over all ξ; ξ = (5/2, 1/2) attains {attained})",
        least <= 0 or attained != least,
        f"without w3, ξ = (f(w1), f(w2)): {independent} ≤ 0",
        independent <= 0,
        instance,
        {
            "‖ψ‖ ≤ 1": all(_dot(x, x) <= 1 for x in rho.values()),
            "0 ≤ r ≤ 1": all(0 <= x[0] <= 1 for x in rho.values()),
            "Assumption 3": all(2 * rho["w3"][i] == rho["w1"][i] + rho["w2"][i] for i in range(2)),
        },
    )


def measure_norm() -> Refutation:
    """Two states, phi = 1/2, mu = 1 at either state, Q_2 = H: theta is twice what Lemma 18 allows.

    The lemma is about any action-value functions. H = 2, since V_{H+1} = 0 leaves nothing to integrate at the last step.
    """
    H, phi, mu = Fraction(2), Fraction(1, 2), (Fraction(1), Fraction(1))
    kernel = tuple(phi * x for x in mu)
    theta = sum((x * H for x in mu), Fraction(0))
    mass = sum((abs(x) for x in mu), Fraction(0))
    instance = (
        "H = 2, S = 2, A = d = 1, h = 1, Q_2 = 2 at both states, so V_2 = min(Q_2, H) = 2:\n"
        + table(("s'", "φ(s,a)", "μ(s')", "P(s'|s,a)", "V_2(s')"), [(i, phi, mu[i], kernel[i], H) for i in range(2)])
        + f"\n‖φ‖ = 1/2 ≤ 1, ‖μ(s')‖ = 1 ≤ √d = 1; θ = Σ μ(s') V_2(s') = {theta}"
    )
    hypotheses = {
        "P is a law": sum(kernel) == 1 and all(p >= 0 for p in kernel), "‖φ‖ ≤ 1": phi <= 1,
        "‖μ(s)‖ ≤ √d": all(abs(x) <= 1 for x in mu),
    }  # fmt: skip
    return Refutation(
        f"‖θ‖ = {theta} {sign(theta <= H)} H√d = {H}",
        theta <= H,
        f"‖θ‖ = {theta} ≤ H·‖|μ|(S)‖ = {H * mass}; ‖|μ|(S)‖ = {mass} > √d, so the corrected assumption excludes it",
        theta <= H * mass and mass > 1,
        instance,
        hypotheses,
    )


def concatenated_basis() -> Refutation:
    """Rotation on two positions: the concatenated vectors have rank 2 where 3 independent ones are asked for."""
    d, dp, H = 1, 2, Fraction(2)
    q = {(0, 0): 1, (0, 1): 0, (1, 0): 0, (1, 1): 1}
    rows = []
    vectors: dict[int, list[tuple[Fraction, ...]]] = {0: [], 1: []}
    normal = (Fraction(1), -Fraction(5, 4), Fraction(0))
    for w, x, a in product((0, 1), repeat=3):
        vector = (Fraction(1), Fraction(4, 5), Fraction(3, 5) * q[a, (x - w) % 2])
        vectors[w].append(vector)
        rows.append((w, x, a, f"({', '.join(map(str, vector))})", _dot(normal, vector)))
    ranks = {w: rank(found) for w, found in vectors.items()}
    flat = all(_dot(normal, vector) == 0 for found in vectors.values() for vector in found)
    basis = {w: sorted(set(found)) for w, found in vectors.items()}
    spans = all(rank(chosen) == len(chosen) == ranks[w] for w, chosen in basis.items())
    instance = prose(
        "States x and contexts w in {0, 1}, A = 2, d = 1, d' = 2, H = 2: φ = 1, μ(x') = 1/2 (uniform next state), "
        "ψ(x,a,w) = (4/5, 3/5·q(a, x−w mod 2)), q(a,y) = 1 if a = y else 0, r = ⟨η, ψ⟩ with η = (0, 4/3). Any f "
        "in F depends on x − w only, so P f = θ is constant, ξ = (5θ/4, 0), ‖ξ‖ ≤ 5H/4 ≤ H√2: Assumptions 1, 2 "
        "and 5 hold. The constant H is in F (ν = 0, β large), with ξ/H = (5/4, 0), and μ(S) = 1:"
    ) + (table(("w", "x", "a", "(φ, ψ)", "⟨φ, μ(S)⟩ − ⟨ψ, ξ⟩/H"), rows))
    needed = d + dp
    return Refutation(
        f"D(w) has d + d' = {needed} independent vectors: {needed} {sign(needed <= ranks[0])} rank = {ranks[0]}",
        not flat or any(needed <= found for found in ranks.values()),
        f"a basis of the span: {len(basis[0])} ≤ rank = {ranks[0]} ≤ d + d' − 1 = {needed - 1}, for w = 0 and 1",
        spans and flat and all(found <= needed - 1 for found in ranks.values()) and H > 0,
        instance,
        {
            "‖ψ‖ ≤ 1": all(_dot(vector[1:], vector[1:]) <= 1 for found in vectors.values() for vector in found),
            "0 ≤ r ≤ 1": all(0 <= Fraction(4, 3) * vector[2] <= 1 for found in vectors.values() for vector in found),
        },
    )


def _dot(left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> Fraction:
    return sum((x * y for x, y in zip(left, right, strict=True)), Fraction(0))


ERRATA = (
    Erratum(
        "finite-contexts",
        "§2, Assumptions 1, 2, 3",
        Grade.NOT_IMPLIED,
        "Asserted: Theorem 2 under Assumptions 1, 2, 3, where W may be continuous or infinitely large. Suggested: that such W "
        "meet them, with any ρ: W → R^m whose values are combinations of n ≤ m representatives ρ(w^(j))",
        "The theorem is not touched, but it says nothing of such W. "
        "Let u = μ_h(S), so ⟨φ(s,a), u⟩ = 1. For ν = u ⊗ v the function f(s,w) = clip(⟨v, ρ(w)⟩, 0, H) is in F "
        "and P f = f, so Assumption 2 makes clip(⟨v, ρ(w)⟩, 0, H) linear in ρ(w) for every v. If ρ(w) = Σ c_j ρ_j "
        "with independent ρ_j, the numbers t_j = ⟨v, ρ_j⟩ are free and clip(Σ c_j t_j) = Σ c_j clip(t_j) for all "
        "t leaves only a single c_j = 1; ρ(w) = 0 is excluded by f = β‖φ‖ > 0. The experiments of Appendix H "
        "(Gaussian ρ(w)) violate Assumption 2 for the same reason.",
        "Under Assumptions 1 and 3, Assumption 2 holds for all of F, up to its norm bound, if and only if the "
        "different values of ρ are finitely many (at most m) and linearly independent: every context is then a "
        "representative or a copy of one. Elsewhere it can only be asked of the values a run produces",
        ("ucblvd/completeness", "ucblvd/span", "ucblvd/backup-combination"),
        finite_contexts,
    ),
    Erratum(
        "measure-norm",
        "Assumption 1, Lemma 18",
        Grade.FALSE,
        "‖μ_h(s)‖ ≤ √d for every s implies ‖θ_h(w)‖ = ‖∫ V_{h+1}(s',w) dμ_h(s')‖ ≤ H√d",
        "The integral runs over the total mass of the measures, which a bound at each single state does not "
        "limit: scaling φ down by S and μ up by S keeps the kernel and lets ‖θ‖ grow like S.",
        "‖θ_h(w)‖ ≤ H·‖|μ_h|(S)‖; with ‖|μ_h|(S)‖ ≤ √d in Assumption 1, Lemma 18 holds",
        ("ucblvd/parameter-norms", "ucblvd/parameter-norm", "lifelong-lsvi/parameter-norm"),
        measure_norm,
    ),
    Erratum(
        "concatenated-basis",
        "Appendix D, D(w) in eq. (39)",
        Grade.FALSE,
        "For every w there are d + d' pairs (s,a) with linearly independent concatenated vectors (φ(s,a), ψ(s,a,w))",
        "⟨φ(s,a), μ_h(S)⟩ = 1 by Assumption 1. ‖φ‖ is at least 1/‖μ_h(S)‖, so for β large the constant H is in F "
        "and Assumption 2 gives ⟨ψ(s,a,w), ξ⟩/H = 1. The difference vanishes at all (s,a,w): all concatenated "
        "vectors lie in one hyperplane, and their rank is at most d + d' − 1. Such a D(w) never exists.",
        "D(w) is any maximal set of pairs with independent concatenated vectors: a basis of their span is all "
        "that the proof of Lemma 12 uses (Algorithm 2's D is chosen the same way)",
        (),
        concatenated_basis,
    ),
)  # fmt: skip
