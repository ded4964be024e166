"""Errata of what the estimates rest on: Lemmas C.1 and C.4, and steps of the proofs of Lemmas A.6, A.10 and A.11."""

from __future__ import annotations

import math
from fractions import Fraction

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws, are_within


def crossing(n: int, ridge: float, delta: float, times: int) -> float:
    """The probability that S_t^2 / (ridge + t) > log(1 + t/ridge) + times log(1/delta) for some t <= n; S_t a fair walk.

    Exact: the paths that stay inside are counted in integers, by their end. They are at most 2^t, none is rounded.
    """
    inside = {0: 1}
    for t in range(1, n + 1):
        edge = math.sqrt((ridge + t) * (math.log1p(t / ridge) + times * math.log(1 / delta)))
        following: dict[int, int] = {}
        for place, paths in inside.items():
            for reached in (place - 1, place + 1):
                if abs(reached) <= edge:
                    following[reached] = following.get(reached, 0) + paths
        inside = following
    return float(1 - Fraction(sum(inside.values()), 2**n))


def hoeffding_constant() -> Refutation:
    """A fair walk: d = 1, x_t = L = 1, eta_t = ±1, R = 1."""
    rows: list[tuple[int, int, float, float, float]] = []
    for n, ridge, delta in ((400, 20, 0.1), (1000, 10, 0.1), (400, 20, 1e-3)):
        rows.append((n, ridge, delta, crossing(n, ridge, delta, 1), crossing(n, ridge, delta, 2)))
    instance = prose(
        "d = 1, x_t = 1, η_t = ±1 with probability ½ each, independent: L = R = 1, Z_t = λ + t, S_t = Σ_{i≤t} η_i. The "
        "probability that |S_t|/√Z_t is above the bound at some t ≤ n, by counting all 2^n paths:"
    ) + table(("n", "λ", "δ", "with log(1/δ)", "with 2 log(1/δ)"), rows)
    return Refutation(
        "; ".join(f"{show(row[3])} {sign(row[3] <= row[2])} {show(row[2])}" for row in rows),
        any(row[3] <= row[2] for row in rows),
        "; ".join(f"{show(row[4])} ≤ {show(row[2])}" for row in rows),
        all(row[4] <= row[2] for row in rows),
        instance,
        {
            "λ > 0": all(ridge > 0 for _, ridge, *_ in rows),
            "0 < δ < 1": all(0 < delta < 1 for _, _, delta, *_ in rows),
            # term by term: 1/(2n)! <= 1/(2^n n!), of the series of cosh(s) = E exp(sη) and of exp(s²/2), R = 1
            "η is R-sub-Gaussian": all(2**n * math.factorial(n) <= math.factorial(2 * n) for n in range(20)),
        },
    )


def noise_sign() -> Refutation:
    """Refutation with one observation of a coin, in fractions."""
    half = Fraction(1, 2)
    P, seen = (half, half), (Fraction(1), Fraction(0))
    H = phi = ridge = Fraction(1)
    weight = H  # sigma-hat^2
    gram = ridge + phi**2 / weight
    noise = [p - e for p, e in zip(P, seen, strict=True)]
    error = [e / gram - p for p, e in zip(P, seen, strict=True)]
    plus, minus = ([(-p + factor * x) / gram for p, x in zip(P, noise, strict=True)] for factor in (1, -1))

    def row(values: list[Fraction]) -> str:
        return f"({', '.join(map(str, values))})"

    rows = [("μ̂ − μ", row(error)), ("Λ̂⁻¹(−λμ + Σ σ̂⁻² φ ε')", row(plus)), ("Λ̂⁻¹(−λμ − Σ σ̂⁻² φ ε')", row(minus))]
    instance = prose(
        "S = 2, d = A = H = 1, φ = 1, λ = 1, μ = P = (½, ½). One transition was seen, to the first state: σ̂² = 1, Λ̂ = 2, μ̂ = "
        "(½, 0), ε = P − δ(s') = (−½, ½)."
    ) + table(("", ""), rows)
    return Refutation(
        f"{row(error)} {'=' if error == plus else '≠'} {row(plus)}",
        error == plus,
        f"{row(error)} = {row(minus)}",
        error == minus,
        instance,
        {"P is a law": are_laws([P]), "‖φ‖ ≤ 1": phi <= 1, "λ > 0": ridge > 0, "σ̂² ≥ H": weight >= H},
    )


def value_class() -> Refutation:
    """The lowest function of the class V(L_E, B_E), for growing K."""
    rows: list[tuple[int, float, float, float]] = []
    H = 2.0
    ridge = 1 / H
    for K in (10, 100, 1000):
        lowest = -K / ridge
        noise = abs((lowest + 0) / 2 - lowest) / math.sqrt(H)
        clipped = abs((max(lowest, 0.0) + 0) / 2 - max(lowest, 0.0)) / math.sqrt(H)
        rows.append((K, lowest, noise, clipped))
    root = math.sqrt(H)
    instance = prose(
        "S = d = H = 2, A = 1, φ(s) = e_s, λ = ½, both successors equally likely. w = (−K/λ, 0), β = 0 is in V(L_E, B_E), as "
        "‖w‖ ≤ L_E = K/λ; V = (−K/λ, 0), and σ̂ = √H:"
    ) + table(("K", "V(first)", "|σ̂⁻¹ε'V|", "V cut to [0, H]"), rows)
    return Refutation(
        "; ".join(f"{show(row[2])} {sign(row[2] <= root)} √H = {show(root)}" for row in rows),
        any(row[2] <= root for row in rows),
        "; ".join(f"{show(row[3])} ≤ {show(root)}" for row in rows),
        all(row[3] <= root for row in rows),
        instance,
        {
            "‖w‖ ≤ L_E = K/λ": all(abs(lowest) <= K / ridge for K, lowest, *_ in rows),
            "V ≤ H": all(max(lowest, 0.0) <= H for _, lowest, *_ in rows),
        },
    )


def variance_step() -> Refutation:
    """V below V* in one of two states, by zeta."""
    H, K, d = 2, 10, 2
    ridge = 1 / H
    zeta = H * math.sqrt(ridge) / (2 * K * math.sqrt(d))
    differences = (-zeta, 0.0)
    mean = sum(differences) / 2
    variance = sum(x**2 for x in differences) / 2 - mean**2
    absolute = sum(map(abs, differences)) / 2
    rows = [("V*", "(1, 1)"), ("V", f"({show(1 - zeta)}, 1)"), ("Var(V − V*)", show(variance)), ("H P(V − V*)", show(H * mean)),
            ("H P|V − V*|", show(H * absolute))]  # fmt: skip
    instance = prose(
        "Two successors, equally likely, H = d = 2, K = 10, λ = ½, any V̂_{i,h+1} ≥ 0. V* − ζ ≤ V ≤ V̂_{i,h+1} + V* + ζ and 0 ≤ V "
        f"≤ H; ζ = {show(zeta)}:"
    ) + table(("", ""), rows)
    return Refutation(
        f"{show(variance)} {sign(variance <= H * mean)} {show(H * mean)}",
        variance <= H * mean,
        f"{show(variance)} ≤ {show(H * absolute)}",
        variance <= H * absolute,
        instance,
        {
            "V ≥ V* − ζ": min(differences) >= -zeta,
            "V ≤ V̂ + V* + ζ for V̂ ≥ 0": max(differences) <= zeta,
            "0 ≤ V ≤ H": are_within([1 + x for x in differences], 0, H),
            "|Ṽ| ≤ H": are_within(differences, 0 - H, H),
        },
    )


def any_reward() -> Refutation:
    """Refutation with one transition to one of two states, and a reward at one of them, chosen before or after it is seen."""
    half = Fraction(1, 2)
    rows: list[tuple[str, Fraction, Fraction, Fraction]] = []
    rewards: list[Fraction] = []
    for name, rewarded in (("state 1, always", lambda seen: 0), ("the state that was seen", lambda seen: seen)):
        noises = []
        for seen in (0, 1):
            V = [Fraction(int(s == rewarded(seen))) for s in (0, 1)]
            rewards += V
            noises.append(half * V[0] + half * V[1] - V[seen])
        rows.append((name, noises[0], noises[1], half * noises[0] + half * noises[1]))
    fixed, chosen = rows
    instance = prose(
        "H = 2, A = 1, K = 1, step 1 leads to state 1 or 2 with probability ½ each. The reward is 1 at one state of step 2, so "
        "that V*_2 is 1 there and 0 at the other; η = ε'V*_2 with ε = P − δ(s_2):"
    ) + table(("rewarded", "η if 1 is seen", "η if 2 is seen", "E η"), rows)
    return Refutation(
        f"E[η | G] = {chosen[3]} {'=' if chosen[3] == 0 else '≠'} 0 for the reward that follows the data",
        chosen[3] == 0,
        f"E[η | G] = {fixed[3]} for the fixed one",
        fixed[3] == 0,
        instance,
        {"P is a law": are_laws([[half, half]]), "0 ≤ r ≤ 1": are_within(rewards, 0, 1)},
    )


ERRATA = (
    Erratum(
        "hoeffding-constant",
        "Lemma C.1",
        Grade.FALSE,
        "‖Σ_{i≤t} x_i η_i‖_{Z_t⁻¹} ≤ R√(d log(1 + tL²/(dλ)) + log(1/δ)) for all t > 0, with probability at least 1 − δ",
        "The theorem it is quoted from has the root of the determinant, R√(2 log(det(Z_t)^{1/2} det(λI)^{-1/2}/δ)): the 2 "
        "cancels for the determinant and stays with log(1/δ).",
        "R√(d log(1 + tL²/(dλ)) + 2 log(1/δ)). Lemmas A.6 and A.11 stay as they are: their noise ε'V has a range of width H, "
        "so R = √H/2 would do, where √H is used",
        ("lsvi-rfe/exploration-confidence", "lsvi-rfe/planning-confidence-1"),
        hoeffding_constant,
    ),
    Erratum(
        "noise-sign",
        "Lemma C.4",
        Grade.FALSE,
        "μ̂_{k,h} − μ_h = Λ̂⁻¹(−λμ_h + Σ_{i<k} σ̂_i⁻² φ_i ε_i'), where ε_i = P_h(·|s_i, a_i) − δ(s_i')",
        "δ(s') = P − ε, so that Σ σ̂⁻² φ δ(s')' = (Λ̂ − λI)μ − Σ σ̂⁻² φ ε'.",
        "−λμ_h − Σ σ̂_i⁻² φ_i ε_i' in the brackets, or ε = δ(s') − P; only norms of it are used",
        ("lsvi-rfe/estimate-error",),
        noise_sign,
    ),
    Erratum(
        "value-class",
        "proof of Lemma A.6",
        Grade.STEP,
        "For a fixed V in V(L_E, B_E), |η_i| = |σ̂_i⁻¹ ε_i'V| ≤ √H, as Lemma C.1 needs with R = √H",
        "The functions of Definition A.4 are cut at H, but not at 0.",
        "With V cut to [0, H], which changes no V̂_{k,h+1} under Ψ^E_{k,h+1} (Lemma A.7: V̂ ≥ 0), by induction from h = H",
        ("lsvi-rfe/exploration-confidence",),
        value_class,
    ),
    Erratum(
        "variance-step",
        "Appendix A.3, first display of the proof after eq. (28)",
        Grade.STEP,
        "[V_h Ṽ](s, a) = P_hṼ² − (P_hṼ)² ≤ H P_hṼ for Ṽ = V − V*_{h+1}, as |Ṽ| ≤ H",
        "Ṽ ≥ −ζ only: P Ṽ may be negative, a variance may not.",
        "[V_h Ṽ] ≤ H P_h|Ṽ|, and |Ṽ| ≤ V̂_{i,h+1} + ζ where V̂ ≥ 0: the lemma stays",
        ("lsvi-rfe/variance-bound",),
        variance_step,
    ),
    Erratum(
        "any-reward",
        "Lemma A.11; the sample complexity of section 3",
        Grade.NOT_IMPLIED,
        "An ε-optimal policy for any possible reward function, with probability at least 1 − 7δ: V*_{h+1}(·; r) is a fixed "
        "function, so E[ε_i'V*_{h+1} | G_i] = 0",
        "V* is fixed if the reward is fixed before the data are seen. One that is chosen after exploration makes V* depend "
        "on the noise; whether the radii cover it all the same is left open.",
        "For each reward function fixed before exploration, with probability at least 1 − 7δ. For all at once a net of "
        "the class of V* adds d log(1 + 4(W + H√d)K√d/(H√λ)) to the logarithms of β_P1 and β_P2, which leaves their orders",
        ("lsvi-rfe/planning-confidence-1",),
        any_reward,
    ),
)
