"""Errata about tasks chosen after the data: a guarantee for each fixed task is none for the task the adversary picks."""

from __future__ import annotations

import math

import numpy as np

from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation
from verifier_ucblvd.errata.numbers import assumption_1

C, DELTA = 2.5, 0.01


def adaptive_event() -> Refutation:
    """10^6 states, tasks reward subsets of them, the adversary picks the states not seen yet."""
    N, K = 10**6, 10**4
    n, H = K - 1, 2
    beta = C * H * (1 + 1) * math.sqrt(math.log(K * H / DELTA))
    # n + 1 >= beta^2, so V_2(s,w) = 1[s in w] + B is not clipped; X of the n next states lie in w, P(w) = p:
    # sqrt(n+1) |theta - thetahat| = |(n+1) p + B - X| / sqrt(n+1).
    B = beta / math.sqrt(n + 1)
    adaptive = ((n + 1) * (1 - n / N) + B) / math.sqrt(n + 1)
    # A fixed w: at each k the centred sum exceeds beta sqrt(k) - 2 (bias at most 2 = H), terms of range at most 1. Hoeffding
    # gives 2 exp(-2 (beta sqrt(k) - 2)^2 / (k - 1)) <= 2 exp(-2 (beta - 2)^2), over k <= K.
    log10_fixed = (math.log(2 * K) - 2 * (beta - 2) ** 2) / math.log(10)
    representatives = 1000
    log10_union = math.log10(representatives) + log10_fixed
    rows = [
        ("one w fixed in advance", f"≤ 10^{math.ceil(log10_fixed)}"),
        (f"any of {representatives} contexts fixed in advance", f"≤ 10^{math.ceil(log10_union)}"),
        ("w_k = states not seen before episode k", "1"),
    ]
    instance = prose(
        "States 0 (start), 1, ..., N = 10⁶; A = d = d' = 1, H = 2, λ = 1: φ = 1, P_1(s'|0) = 1/N, contexts w = subsets of "
        "{1, ..., N}, r_2(s,w) = ψ(s,w) = 1 if s in w else 0, r_1 = 0, η = 1 (Assumption 1 holds). Algorithm 1 with Theorem 1's "
        f"β = {show(beta)} (c = 2.5, δ = 0.01, K = 10⁴). At k = K none of the 9999 next states is in w_k while "
        f"P_1(w_k|0) ≥ 0.99, so √k·|θ_1(w_k) − θ̂_1(w_k)| ≥ {show(adaptive)} > β. For a fixed w: Hoeffding at every k."
    ) + table(("context", "P(E_2(w) fails)"), rows)
    fails = adaptive > beta and log10_fixed <= math.log10(DELTA)
    return Refutation(
        f"P(E_2(w_K) fails) = 1 {sign(not fails)} δ = {DELTA}, though P(E_2(w) fails) ≤ δ for each fixed w",
        not fails,
        f"over {representatives} contexts fixed in advance: 10^{math.ceil(log10_union)} ≤ δ = {DELTA}",
        log10_union <= math.log10(DELTA),
        instance,
        {
            **assumption_1([(1.0,)], [(1.0,)], [(0.0,), (1.0,)], (1.0,)),  # one next state stands for all N, which are alike
            "0 < δ < 1/2": 0 < DELTA < 0.5,
            "there are unseen states": n < N,
            "V_2 is not cut": 1 + B <= H,
        },
    )


def adaptive_regret() -> Refutation:
    """A risky action that is nearly always right and a safe one: tasks made of unseen states keep the agent on the safe one."""
    N, H, d = 10**12, 2, 2
    K, beta = 200_000, 5.0
    counted, regret = play(K, beta, N, adaptive=True)
    every, fixed = play(K, beta, N, adaptive=False)
    long = 10**10
    width = C * H * (d + 1) * math.sqrt(math.log(d * long * H / DELTA))
    most = 4 * width**2 + 1
    least = (long - most) * (0.5 - most / N)
    bounds = [bound(K, beta), bound(K, beta), bound(long, width)]
    rows = [
        ("unseen states (run)", beta, K, counted, regret, bounds[0]),
        ("all states (run)", beta, K, every, fixed, bounds[1]),
        ("unseen states (n ≤ 4β² + 1)", width, long, f"≤ {show(most)}", f"≥ {show(least)}", bounds[2]),
    ]
    instance = prose(
        "States 0 (start), 1, ..., N = 10¹² and 0'; H = 2, d = 2, d' = 1, λ = 1. At 0, `risky` (φ = e_1) goes to "
        "1, ..., N uniformly, `safe` (φ = e_2) pays ½ and goes to 0'; φ = e_1 at step 2. Contexts w = subsets of "
        "{1, ..., N}, r_2(s,w) = 1 if s in w else 0, ψ = r, η = 1: Assumption 1 holds. If w_k is the set of "
        "states not seen yet, every past target is the bare bonus B = β/√k, so Q(risky) = nB/(n+1) + β/√(n+1), n "
        "its number of plays, and Q(safe) = ½ + (the same with the plays of safe), while Q*(risky) ≥ 1 − n/N. "
        "Once n + 1 > 4β² risky is never played again:"
    ) + (
        table(("w_k", "β", "K", "n", "R_K", "bound"), rows)
        + "\nbound = 2H√(T log(dT/δ)) + 2Hβ√(2dK log(1 + K/λ)); third row: Theorem 1's β, c = 2.5, δ = 0.01."
    )
    holds = regret <= bounds[0] or least <= bounds[2]
    return Refutation(
        f"R_K ≥ {show(least)} {sign(holds)} {show(bounds[2])} at K = 10¹⁰, and R_K ≥ (K − 4β² − 1)(½ − (4β² + 1)/N)",
        holds,
        f"for the task w = all states, fixed in advance: R_K = {show(fixed)} ≤ {show(bounds[1])}",
        fixed <= bounds[1],
        instance,
        {
            # next states: one that stands for 1, ..., N, which are alike, and 0'; psi of risky, safe, and a state in the context
            **assumption_1(np.eye(2).tolist(), np.eye(2).tolist(), [(0.0,), (0.5,), (1.0,)], (1.0,)),
            "0 < δ < 1/2": 0 < DELTA < 0.5,
            "there are unseen states": max(counted, most) < N,
        },
    )


def play(K: int, beta: float, N: int, *, adaptive: bool) -> tuple[int, float]:
    """Algorithm 1 by its counts: plays of the risky action and regret; the next states are distinct (repeats change nothing)."""
    risky = safe = 0
    regret = 0.0
    for k in range(1, K + 1):
        bonus = min(beta / math.sqrt(k), 2.0)
        seen = bonus if adaptive else min(1 + bonus, 2.0)
        chance = 1 - risky / N if adaptive else 1.0
        q_risky = risky / (risky + 1) * seen + beta / math.sqrt(risky + 1)
        q_safe = 0.5 + safe / (safe + 1) * bonus + beta / math.sqrt(safe + 1)
        if q_risky >= q_safe:
            risky += 1
        else:
            safe += 1
            regret += chance - 0.5
    return risky, regret


def bound(K: int, beta: float) -> float:
    """The explicit bound at the end of the proof of Theorem 1, for H = d = 2, lambda = 1."""
    H, d, T = 2, 2, 2 * K
    return 2 * H * math.sqrt(T * math.log(d * T / DELTA)) + 2 * H * beta * math.sqrt(2 * d * K * math.log(1 + K))


ERRATA = (
    Erratum(
        "adaptive-event",
        "Lemmas 3, 5 and \"a union bound over W̃\" in the proofs of Theorems 1, 2, 3, 6",
        Grade.STEP,
        "E(w) holds with probability 1 − δ for each fixed w, hence, by a union bound, with probability 1 − δ at "
        "all w_1, ..., w_K",
        "w_k may depend on the data, and then is no fixed w: the adversary can pick, among many contexts, one for "
        "which the data are misleading. (Nor is δ divided by the number of contexts, which only changes c.)",
        "A union over contexts fixed in advance, with δ divided by their number. For UCBlvd the representatives "
        "w^(1..n) suffice: Lemma 1 and optimism follow for all w from the events at these alone. For "
        "Lifelong-LSVI all of W is needed, or a cover of the value functions over w",
        ("ucblvd/confidence-event", "ucblvd/distillation-error", "lifelong-lsvi/noise-event"),
        adaptive_event,
    ),
    Erratum(
        "adaptive-regret",
        "Theorem 1, with §2 (tasks chosen adversarially, from any W)",
        Grade.FALSE,
        "Under Assumption 1 alone, for tasks chosen by an adaptive adversary from any W, R_K = Õ(√((d³ + "
        "dd')H³T)) with probability 1 − 2δ",
        "d' does not limit how many reward functions there are: ψ may be the reward itself (d' = 1) and W all "
        "subsets of the states. The adversary rewards exactly the states not seen so far; the estimate of a good "
        "action is then near 0 for ever, optimism (Lemma 4) fails, and regret grows linearly, with probability 1 "
        "and for any constant c.",
        "Theorem 1 for tasks fixed in advance (a union over them), for finite W with log|W| in β, or with ψ = φ ⊗ "
        "ρ, where the value functions of all w have one cover, of log-size of order d²",
        ("lifelong-lsvi/regret", "lifelong-lsvi/noise-event", "lifelong-lsvi/optimism"),
        adaptive_regret,
    ),
)  # fmt: skip
