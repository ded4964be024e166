"""Statements of the paper of UCRL-VTR that do not follow as printed; each was derived afresh.

The only rendering of the paper at hand has lost its displayed formulas. What is cited here is said in words or in the line; of
displayed formulas nothing is called false.
"""

from __future__ import annotations

import math

import numpy as np

from verifier.model.erratum import Erratum, Grade, Refutation, are_laws, are_within

# §C.2: the noise of a step ----------------------------------------------------------------------------------------------

STEPS, EPISODES, DELTA = 40, 100, 0.1


def _missed(wins: int, noise: float) -> bool:
    """Whether the coefficients are outside at the pair (coin, step H - 1) after so many wins in all episodes.

    The episode begins with a coin: under P_1 it is won, under P_2 lost, theta = (1/2, 1/2); who has won gets 1 at each later
    step under both. Values are the true ones: H - h + 1 where won, 0 where lost. Features are (H - 1, 0) at the coin, and
    (H - h)(1, 1) at step h of an episode that was won.
    """
    later = sum((STEPS - h) ** 2 for h in range(2, STEPS))
    first, both = np.diag([1.0, 0.0]), np.ones((2, 2))
    M = np.eye(2) + EPISODES * (STEPS - 1) ** 2 * first + wins * later * both
    w = wins * (STEPS - 1) ** 2 * first[0] + wins * later * both[0]
    error = abs(float(np.linalg.solve(M, w)[0]) - 0.5)
    radius = 1.0 + noise * math.sqrt(2 * math.log(1 / DELTA) + float(np.linalg.slogdet(M)[1]))
    return error > radius * math.sqrt(float(np.linalg.inv(M)[0, 0]))


def _chance_to_miss(noise: float) -> float:
    """Probability to miss with so much noise in the radius, over the number of wins, which is binomial."""
    ways = sum(math.comb(EPISODES, wins) for wins in range(EPISODES + 1) if _missed(wins, noise))
    return ways / 2**EPISODES


def noise_of_a_step() -> Refutation:
    """The exact probability that the bonus of step H - 1 does not cover the error."""
    step, all_steps = _chance_to_miss(1.0), _chance_to_miss(STEPS / 2)
    kernels = ((1.0, 0.0), (0.0, 1.0))  # from the coin to (won, lost)
    theta = (0.5, 0.5)
    return Refutation(
        printed=f"theta is missed at step H - 1 with probability {step:.3g} <= delta = {DELTA}, noise (H - h + 1)/2 = 1",
        printed_holds=step <= DELTA,
        corrected=f"with noise H/2 = {STEPS / 2:g} it is missed with probability {all_steps:.3g} <= {DELTA}",
        corrected_holds=all_steps <= DELTA,
        instance=f"H = {STEPS}, K = {EPISODES}, lambda = B = 1; a coin at step 1, under P_1 won and under P_2 lost,\n"
        "theta = (1/2, 1/2); from then on 1 at each step if it was won. The values are the true ones.",
        hypotheses={
            "the kernels are laws": are_laws(kernels),
            "theta mixes them to a law": are_laws([[sum(t * p[i] for t, p in zip(theta, kernels, strict=True)) for i in (0, 1)]]),
            "|theta| <= B = 1": math.hypot(*theta) <= 1,
            "0 < delta < 1": 0 < DELTA < 1,
        },
    )


# §A.4: models and what they predict -------------------------------------------------------------------------------------


def models_alike() -> Refutation:
    """Two kernels that predict the same of every optimal value function."""
    P = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]])
    values = np.zeros((1, 2))  # without rewards the optimal values are 0 under both kernels, at every step
    predicted = float(np.abs((P[0] - P[1]) @ values.T).max())
    distance = float(np.abs(P[0] - P[1]).sum(axis=1).max())
    return Refutation(
        printed=f"models that differ by {distance:g} in L1 are told apart by some f in F: {predicted:g} > 0",
        printed_holds=predicted > 0,
        corrected=f"they are by some bounded function: {float(np.abs(P[0] - P[1]).max()):g} > 0",
        corrected_holds=float(np.abs(P[0] - P[1]).max()) > 0,
        instance="two states, one action, r = 0; under P_1 states stay, under P_2 they change places",
        hypotheses={
            "both are kernels": are_laws(P.reshape(4, 2).tolist()),
            "v is an optimal value function": bool((values[0] == P @ values[0]).all()),  # the Bellman equation without rewards
        },
    )


# Theorem 1: the martingale differences ----------------------------------------------------------------------------------


def martingale_range() -> Refutation:
    """An optimistic model that is wrong about two states in opposite ways."""
    H, rare = 6, 0.01
    optimistic, true = np.array([H - 2.0, 0.0]), np.array([0.0, H - 2.0])  # V_2 of the model, V^pi_2, at g and b
    gap = optimistic - true
    difference = float(np.array([1 - rare, rare]) @ gap - gap[1])
    return Refutation(
        printed=f"xi_2 = {difference:.4g} lies in [-{H}, {H}]",
        printed_holds=abs(difference) <= H,
        corrected=f"it lies in an interval of length 2(H - 1): gaps {gap[0]:g} and {gap[1]:g}, {np.ptp(gap):g} <= {2 * H - 2}",
        corrected_holds=float(np.ptp(gap)) <= 2 * (H - 1),
        instance=f"H = {H}; s_1 leads to g with probability {1 - rare:g}, else to b.\n"
        "P: from g nowhere, from b to a state that pays 1 at each step. P': the other way round.\n"
        "P' has the larger value at s_1, and is chosen of the two.",
        hypotheses={
            "the model is optimistic at s_1": float(np.array([1 - rare, rare]) @ gap) >= 0,
            "values lie in [0, H]": are_within([*optimistic, *true], 0, H),
        },
    )


ERRATA = (
    Erratum(
        "noise-of-a-step",
        "§C.2",
        Grade.NOT_IMPLIED,
        "at step h the noise may be taken as (H − h + 1)/2, since values are never above H − h + 1",
        "the ellipsoid is that of a regression over all steps, most of whose noise is of earlier ones: H/2",
        "√β = √λ B + (H/2)√(2 log(1/δ) + log(det M / λ^m)) at all steps",
        ("ucrl-vtr/radius-formula", "ucrl-vtr/bonus", "ucrl-vtr/confidence-event"),
        noise_of_a_step,
    ),
    Erratum(
        "models-alike",
        "§A.4",
        Grade.STEP,
        "(s, a, v) ∈ X for the indicator v of a set, so that P ↦ f_P is injective",
        "X has optimal value functions only, and indicators are mostly none",
        "what is estimated is ⟨P(s,a), v⟩ of these functions; confidence set and regret need no more",
        ("ucrl-vtr/regression",),
        models_alike,
    ),
    Erratum(
        "martingale-range",
        "Theorem 1, proof",
        Grade.STEP,
        "ξ_{h+1,k} ∈ [−H, H]",
        "the model is optimistic at s_1 alone: elsewhere V_{h,k} may be below V^π, and the gaps of two states be 2(H − 2) apart",
        "given the past ξ lies in an interval of length 2(H − 1); the printed bound of the sum holds by Hoeffding's inequality",
        ("ucrl-vtr/pathwise-regret", "ucrl-vtr/regret"),
        martingale_range,
    ),
)
