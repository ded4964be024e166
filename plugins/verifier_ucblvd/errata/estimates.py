"""Errata of the least-squares estimates: values below 0, norms in the covers, small ridges, an index."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_within
from verifier_ucblvd.errata.numbers import assumption_1

C, DELTA = 2.5, 0.01


def extrapolation(
    visits: int = 400, beta: float = 0.1
) -> tuple[np.ndarray[tuple[int], np.dtype[np.float64]], float, float, float]:
    """The path of `positive_part`: thetahat_2, and eq. (6) at the states x, y, z of step 2."""
    e1, mixed = np.array([1.0, 0.0]), np.array([0.9, 0.1])
    gram = np.eye(2) + visits * np.outer(e1, e1) + visits * np.outer(mixed, mixed)
    bonus = beta / math.sqrt(1 + 2 * visits)  # step 3: every visit had feature e1
    estimate = np.linalg.solve(gram, visits * e1 * (1 + bonus) + visits * mixed * bonus)
    inverse = np.linalg.inv(gram)
    x, y, z = (float(estimate @ phi + beta * math.sqrt(phi @ inverse @ phi)) for phi in (np.array([0.0, 1.0]), e1, mixed))
    return estimate, x, y, z


_PATH = prose(
    "States x, y, z, g, b; A = 1, d = 2, H = 3, λ = 1, β = 0.1, one context; φ = e_1 at y, g, b, e_2 at x, (0.9, "
    "0.1) at z; μ_1 = (½δ_y + ½δ_z, δ_x), μ_2 = (δ_g, δ_b), r_3(g) = 1, all other rewards 0 (ψ = r, d' = 1, η = "
    "1). Every episode starts at y. A possible path: 400 times y → y → g, 400 times y → z → b (b follows z with "
    "probability 0.1). Least squares puts 1 at e_1 and 0 at (0.9, 0.1), hence about −9 at e_2, shrunk by λ:"
)


def _path_hypotheses() -> dict[str, bool]:
    """Assumption 1 on the path, steps 1 to 3, and a way for the path to come about; states in the order x, y, z, g, b."""
    phi = ((0, 1), (1, 0), (0.9, 0.1), (1, 0), (1, 0))
    first = ((0, 0.5, 0.5, 0, 0), (1, 0, 0, 0, 0))
    second = ((0, 0, 0, 1, 0), (0, 0, 0, 0, 1))
    reward = (0, 0, 0, 1, 0)  # of step 3, psi = r
    steps = [assumption_1(phi, mu, [(r,) for r in rewards], (1,)) for mu, rewards in ((first, (0,) * 5), (second, reward))]
    taken = {"y → y, z": (phi[1], first, (1, 2)), "y → g": (phi[1], second, (3,)), "z → b": (phi[2], second, (4,))}
    possible = [
        sum(x * measure[s] for x, measure in zip(features, mu, strict=True)) > 0
        for features, mu, states in taken.values()
        for s in states
    ]
    return {name: all(found[name] for found in steps) for name in steps[0]} | {"the path is possible": all(possible)}


def positive_part() -> Refutation:
    """A possible path on which (6) is far below -H at a state not yet seen."""
    H, d = 3, 2
    estimate, x, y, z = extrapolation()
    rows = []
    norms = []
    for label, values in (("eq. (6)", (x, y, z)), ("[eq. (6)]⁺", tuple(max(q, 0.0) for q in (x, y, z)))):
        V = [min(q, float(H)) for q in values]
        theta = (0.5 * V[1] + 0.5 * V[2], V[0])
        norms.append(math.hypot(*theta))
        rows.append((label, *V, f"({show(theta[0])}, {show(theta[1])})", norms[-1]))
    bound = H * math.sqrt(d)
    instance = _PATH + table(("Q", "V_2(x)", "V_2(y)", "V_2(z)", "θ_1 = ∫ V_2 dμ_1", "‖θ_1‖"), rows)
    return Refutation(
        f"‖θ_1‖ = {show(norms[0])} {sign(norms[0] <= bound)} H√d = {show(bound)}; V_2(x) = {show(x)} < −H = −3",
        norms[0] <= bound,
        f"with the positive part: ‖θ_1‖ = {show(norms[1])} ≤ H√d = {show(bound)}",
        norms[1] <= bound and abs(float(estimate[1]) - x) < 0.1,
        instance,
        _path_hypotheses(),
    )


def estimate_norm() -> Refutation:
    """Refutation on the path of `extrapolation`: thetahat is longer than the ball the cover of Lemma 2 covers."""
    H, d, visits = 3, 2, 400
    estimate, *_ = extrapolation(visits)
    norm, printed = float(np.linalg.norm(estimate)), H * math.sqrt(d)
    corrected = H * math.sqrt(d * 2 * visits)
    instance = _PATH + table(("θ̂_2", "‖θ̂_2‖"), [(f"({show(float(estimate[0]))}, {show(float(estimate[1]))})", norm)])
    return Refutation(
        f"‖θ̂_2‖ = {show(norm)} {sign(norm <= printed)} H√d = {show(printed)}",
        norm <= printed,
        f"‖θ̂_2‖ = {show(norm)} ≤ H√(d(k−1)/λ) = {show(corrected)} (k − 1 = 800)",
        norm <= corrected,
        instance,
        _path_hypotheses(),
    )


def small_ridge() -> Refutation:
    """Two states, lambda = 1e-6, one episode: the error is about 1/2 or 1, beta is 0.03."""
    ridge, dp, H, T = 1e-6, 2, 2, 4
    plain = C * dp * H * math.sqrt(math.log(dp * T / DELTA))
    rows: list[tuple[str, float, str, float, float, float]] = []
    printed: list[bool] = []
    corrected: list[bool] = []
    for label, beta in (("√(λ log)", plain * math.sqrt(ridge)), ("√(max(λ,1) log)", plain)):
        for seen in (0, 1):
            error, V = _first_error(seen, ridge, beta, float(H))
            rows.append((label, beta, "gb"[seen], V[0], V[1], error))
            (printed if label == "√(λ log)" else corrected).append(error <= beta)
    errors = [row[5] for row in rows]
    head = ("width", "β", "s' seen", "V_2(g)", "V_2(b)", "‖ν_1 − ν̂_1‖")
    instance = prose(
        "States g, b, A = 1, one context, H = 2, K = 2, λ = 1e-6, c = 2.5, δ = 0.01: ψ(g) = e_1, ψ(b) = e_2 "
        "(tabular, so Assumptions 6, 7 hold), P(·|s) = (½, ½), r_1 = 0, r_2 = (1, 0). Episode 1 starts at g and "
        "goes to s' = g or b, each with probability ½; Λ̃_1 = diag(1 + λ, λ). The event at k = 2, h = 1 in either "
        "case:"
    ) + table(head, rows)
    beta = plain * math.sqrt(ridge)
    return Refutation(
        f"in either case: {show(min(errors[:2]))} and {show(max(errors[:2]))} {sign(any(printed))} β = {show(beta)}",
        any(printed),
        f"with max(λ, 1): {show(max(errors[2:]))} ≤ β = {show(plain)}",
        all(corrected),
        instance,
        {
            **assumption_1(np.eye(2).tolist(), [[0.5, 0.5], [0.5, 0.5]], np.eye(2).tolist(), (1.0, 0.0)),
            "λ > 0": ridge > 0,
            "0 < δ < 1/2": 0 < DELTA < 0.5,
        },
    )


def _first_error(seen: int, ridge: float, beta: float, H: float) -> tuple[float, list[float]]:
    """||nu_1 - nuhat_1|| in the norm of the Gram matrix after one episode from g to `seen`, and V_2."""
    reward = (1.0, 0.0)
    V = [min(reward[s] + beta / math.sqrt(ridge + (s == seen)), H) for s in (0, 1)]
    mean = (V[0] + V[1]) / 2
    estimate = V[seen] / (1 + ridge)
    return math.sqrt((1 + ridge) * (mean - estimate) ** 2 + ridge * mean**2), V


def self_normalised_index() -> Refutation:
    """Refutation with one fair sign, lambda = 0.01: the noise of the first step is not in the first Gram matrix."""
    H, d, ridge, delta = 1.0, 1, 0.01, 0.1
    phi, values = 1.0, (-H, H)
    left = {name: max(values) ** 2 * phi**2 / gram for name, gram in (("k − 1 terms", ridge), ("k terms", ridge + phi**2))}
    right = 4 * H**2 * (d / 2 * math.log((1 + ridge) / ridge) + math.log(1 / delta))
    rows = [(name, value, right) for name, value in left.items()]
    instance = prose(
        "d = 1, φ_1 = 1, λ = 0.01, δ = 0.1, k = 1; V(s) = ±H with probability ½ each, H = 1, the class {V} (N = "
        "1, ε → 0). E V = 0, so the sum is ±H:"
    ) + table(("Λ with", "‖Σφ(V − E V)‖²", "4H²[(d/2) log((k+λ)/λ) + log(N/δ)]"), rows)
    return Refutation(
        f"with probability 1, not at most δ: {show(left['k − 1 terms'])} {sign(left['k − 1 terms'] <= right)} {show(right)}",
        left["k − 1 terms"] <= right,
        f"{show(left['k terms'])} ≤ {show(right)}",
        left["k terms"] <= right,
        instance,
        {"‖φ‖ ≤ 1": phi <= 1, "|V| ≤ H": are_within(values, 0 - H, H), "λ > 0": ridge > 0, "0 < δ < 1": 0 < delta < 1},
    )


ERRATA = (
    Erratum(
        "positive-part",
        "eq. (6), Lemma 18, use of Lemma 19 in Lemma 2",
        Grade.FALSE,
        "For any action values Q_h^k, in particular those of (6), V_h^k = min(max_a Q_h^k, H) gives |V_h^k| ≤ H "
        "and ‖θ_h^k(w)‖ ≤ H√d",
        "Nothing bounds V from below: (6), unlike (7), has no positive part, and a least-squares fit extrapolates "
        "to values far below −H. It happens off the confidence event only, but Lemmas 2, 3 and 18 are used to "
        "prove that event and hold on every path.",
        "Q_h^k = [r_h + ⟨θ̂_h, φ⟩ + β‖φ‖]⁺ in (6), as in (7): 0 ≤ V ≤ H, and Lemma 18 holds on every path. On the "
        "event it changes nothing, for Q* ≥ 0",
        ("lifelong-lsvi/q-formula", "lifelong-lsvi/value-range", "lifelong-lsvi/parameter-norm"),
        positive_part,
    ),
    Erratum(
        "estimate-norm",
        "Lemma 2, proof (with Lemma 21)",
        Grade.STEP,
        "The value functions of (6) lie in the class of Lemma 21 with ‖y‖ ≤ H√d, by Lemma 18",
        "What multiplies φ in (6) is the estimate θ̂_h^k(w); Lemma 18 bounds the true parameter θ_h^k(w). The "
        "estimate can be longer.",
        "‖θ̂_h^k(w)‖ ≤ H√(d(k−1)/λ), which costs a logarithm in the covering number and is absorbed in c",
        ("lifelong-lsvi/estimate-norm", "ucblvd/estimate-norm", "lifelong-lsvi/noise-event"),
        estimate_norm,
    ),
    Erratum(
        "small-ridge",
        "Lemmas 9, 14; last lines of the proofs of Lemmas 3, 5",
        Grade.FALSE,
        "With β = c d'H√(λ log(d'T/δ)) for an absolute constant c, ‖ν_h^k − ν̂_h^k‖ ≤ β for all h, k with "
        "probability 1 − δ, for every λ > 0",
        "√λ belongs to the bias term H√(λd') alone. The noise term does not shrink with λ, but β does: as λ → 0 "
        "it falls below the error after one episode, for any c. The theorems set λ = 1, where it makes no "
        "difference.",
        "For λ ≥ 1 as printed; for λ < 1 replace λ by 1 (and the logarithm of (k + λ)/λ stays, so it grows like "
        "log(1/λ))",
        ("lifelong-lsvi/confidence-event", "ucblvd/confidence-event"),
        small_ridge,
    ),
    Erratum(
        "self-normalised-index",
        "Lemma 19",
        Grade.FALSE,
        "With Λ_k = λI + Σ_{τ≤k−1} φ_τφ_τᵀ, with probability 1 − δ for all k: ‖Σ_{τ≤k} φ_τ[V(s_τ) − E "
        "V(s_τ)]‖²_{Λ_k⁻¹} ≤ 4H²[(d/2) log((k+λ)/λ) + log(N_ε/δ)] + 8k²ε²/λ",
        "The sum has k terms, the matrix k − 1: the last feature may point in a direction of which Λ_k knows only "
        "λ. The lemma is applied to sums of k − 1 terms, where both indices agree; at λ = 1 the slack of the "
        "constant hides it.",
        "The same with both sums over τ < k (as it is used), or both over τ ≤ k",
        ("lifelong-lsvi/noise-event", "ucblvd/noise-event"),
        self_normalised_index,
    ),
)  # fmt: skip
