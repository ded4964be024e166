"""Errata of RL with knapsacks: section 5 and Appendix H."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np

from verifier.base.arrays import Array
from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws, are_within
from verifier_fmdp.errata.formulas import further, long_enough, reward_bonus

HALF = Fraction(1, 2)


def second_example(costs: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """V* of the second example of H.1, and the best value of a policy of the state alone.

    Parameters
    ----------
    costs : (Fraction, Fraction)
        The costs of a_0, each with probability 1/2; B = 1/2.
    """
    B = HALF

    def after(cost: Fraction, action: str) -> Fraction:
        """Reward from s1 on, if the episode is not over."""
        left = B - cost
        if left < 0:
            return Fraction(0)
        spent = {"a1": Fraction(0), "a2": HALF}[action]
        return Fraction(0) if left - spent < 0 else {"a1": HALF, "a2": Fraction(1)}[action]

    def mean(actions: Iterable[str]) -> Fraction:
        return sum((after(cost, action) for cost, action in zip(costs, actions, strict=True)), Fraction(0)) / 2

    return max(map(mean, product(("a1", "a2"), repeat=2))), max(mean((a, a)) for a in ("a1", "a2"))


def budget_blind() -> Refutation:
    """Refutation for both readings of the example, by enumeration of its policies."""
    printed, repaired = second_example((Fraction(0), Fraction(1))), second_example((Fraction(0), HALF))
    rows = [("0 or 1", *printed), ("0 or 1/2", *repaired)]
    instance = prose(
        "H = 3, B = 1/2. s0 → s1 at a random cost (probability 1/2 each); at s1, a_1 costs 0 and leads to s2, a_2 costs 1/2 and "
        "leads to s3; rewards 1/2 at s2, 1 at s3. An episode ends when the cost so far exceeds B, so that cost 1 ends it and the "
        "remaining budget in s1 is always 1/2:"
    ) + table(("cost of a_0", "V*, policy of (s, b)", "best policy of s"), rows)
    return Refutation(
        f"the state is not enough: best of s {printed[1]} < {printed[0]} = V* is false",
        printed[1] < printed[0],
        f"with costs 0 or 1/2: {repaired[1]} < {repaired[0]}",
        repaired[1] < repaired[0],
        instance,
        unconditional="the statement is about one instance, which the paper gives in full",
    )


# Costs that depend on one another ---------------------------------------------------------------------------------------


@cache
def forgotten_after(T: float) -> float:
    """Largest number of plays of a_1 until Algorithm 4, if it sees the true frequencies, prefers a_2; a power of two.

    d = 2, S = 4, two costs with two values each, H = 2; V̄_2 is at most 2, so the variance and u are at most 4.
    """
    d, H, S, A, budgets = 2, 2, 4, 2, 4
    L = math.log(18 * (d + 1) * T * S * A * budgets / 1e-3)
    sizes, N = (S, 2, 2), 1.0
    while True:
        # V̄_2(s1) <= 1 + CB there; s1 is reached in half of the plays, and one action is played there at least N/4 times
        later = reward_bonus(0.0, L, N / 4) + sum(further(sizes, H, L, [N / 4] * 3, i) for i in range(3))
        spread = (1 + later) ** 2
        now = reward_bonus(0.0, L, N) + sum(
            math.sqrt(4 * spread * L / N) + math.sqrt(2 * (2 * later) ** 2 * L / N) + further(sizes, H, L, [N] * 3, i)
            for i in range(3)
        )
        if (1 + later) / 4 + now < Fraction(2, 5):
            return N
        N *= 2


def joint_costs() -> Refutation:
    """Two costs that are always equal: their marginals do not tell how often one of them exceeds the budget."""
    joint: Mapping[tuple[int, int], Fraction] = {(0, 0): HALF, (2, 2): HALF}
    marginal = {c: sum((p for costs, p in joint.items() if costs[0] == c), Fraction(0)) for c in (0, 2)}
    survive = sum((p for costs, p in joint.items() if max(costs) <= 1), Fraction(0))
    independent = marginal[0] ** 2
    best, other, believed = survive, Fraction(2, 5), independent
    K = 10**13
    T = 2.0 * K
    regret = float(best - other) * (K - forgotten_after(T))
    bound = 100 * math.sqrt(2 * 2 * 4 * 2 * T * (math.log(4 * 2 * T) + 2 * math.log(2)))
    rows = [("a_1", "(0,0) or (2,2)", best, believed), ("a_2", "(0,0)", other, other)]
    instance = prose(
        "H = 2, S = 4, A = 2, d = 2, unit 1, B = (1, 1), integer costs. At s0 both costs of a_1 are 0, or both are 2, with "
        "probability 1/2, then s1, which pays 1; a_2 costs nothing and leads to s2, which pays 2/5. Algorithm 4, read as in the "
        "proof of Theorem 2, estimates the two marginal laws and multiplies them:"
    ) + (
        table(("action", "costs", "value", "value in the product model"), rows)
        + f"\nAt the true frequencies (so near them) it plays a_2 only, from {show(forgotten_after(T))} plays of a_1 on."
        "\nK = 10¹³, c = 100, and log 2 for log(Bm) = 0; for any other c the same with a larger K."
    )
    return Refutation(
        f"regret ≥ {show(regret)} {sign(regret <= bound)} {show(bound)} = c√(dHSAT(log(SAT) + d log(Bm)))",
        regret <= bound,
        f"with independent costs of these marginal laws a_1 is worth {believed} ≤ {other}, and a_2 is optimal: no regret",
        believed <= other,
        instance,
        {
            "costs have a law": are_laws([list(joint.values())]),
            "Assumption 1: costs are whole multiples of the unit 1": all(cost == int(cost) for costs in joint for cost in costs),
            "Assumption 2: costs have finitely many values": len(marginal) <= 2,
            "0 ≤ r ≤ 1": are_within((0, Fraction(1), other), 0, 1),
            **long_enough(2, [4 * 2], T),
        },
    )


# Logarithms ---------------------------------------------------------------------------------------------------------------


def first_failure(L: float) -> int:
    """The least number of zeros in a row, of a reward that is 0 or 1, from which on (3) does not cover the mean 1/2."""
    return math.floor(16 * L / 3) + 1


def log_without_delta() -> Refutation:
    """A fair coin that shows nothing but zeros has the empirical variance 0: (3) is 8 L / (3 N)."""
    T, delta, d, S, A = 100, 1e-12, 1, 1, 1
    budgets = 2
    printed, corrected = math.log(2 * d * S * A * T) + d * math.log(1), math.log(18 * (d + 1) * T * S * A * budgets / delta)
    rows, chances = [], []
    for name, L in (("as printed", printed), ("with δ", corrected)):
        N = first_failure(L)
        chance = 2.0**-N if N <= T else 0.0
        chances.append(chance)
        rows.append((name, L, N, chance))
    instance = prose(
        "S = A = d = H = 1, B = m = 1, rewards 0 or 1 with probability 1/2, K = T = 100, δ = 10⁻¹². If the first N rewards are "
        "0, then R̂ = 0, σ̂² = 0, and |R̂ − 1/2| ≤ 8L/(3N) fails:"
    ) + table(("L", "value", "N", "probability at least"), rows)
    return Refutation(
        f"P(some |R̂ − R| > CB^R) ≥ {show(chances[0])} {sign(chances[0] <= delta)} {show(delta)} = δ",
        chances[0] <= delta,
        f"for zeros with δ in the logarithm: {show(chances[1])} ≤ {show(delta)}",
        chances[1] <= delta,
        instance,
        {"0 < δ < 1": 0 < delta < 1, **long_enough(1, [S * A], T)},
    )


def embedding_rewards() -> Refutation:
    """The reward of the augmented MDP is masked by every budget at once."""
    rows = [(b1, b2, int(b1 == "left" and b2 == "left")) for b1, b2 in product(("left", "dead"), repeat=2)]
    value = {(b1, b2): paid for b1, b2, paid in rows}
    mixed = value["left", "left"] - value["left", "dead"] - value["dead", "left"] + value["dead", "dead"]
    instance = prose(
        "d = 2, r(s,a) = 1 as long as both budgets last. A reward that is a mean of parts with scopes (s, a, b_i) is f(b_1) + "
        "g(b_2) at a fixed (s,a), and then r(left,left) − r(left,dead) − r(dead,left) + r(dead,dead) = 0:"
    ) + table(("b_1", "b_2", "r"), rows)
    paid = np.array([float(row[2]) for row in rows])
    joint = np.eye(4)  # one indicator for each (b_1, b_2); the parts of one budget each have the sums of two of them
    parts = np.array([[row[i] == state for i in (0, 1) for state in ("left", "dead")] for row in rows], dtype=float)
    apart, together = _distance(parts, paid), _distance(joint, paid)
    return Refutation(
        f"mixed difference of the reward = {mixed} {'=' if mixed == 0 else '≠'} 0: the nearest f(b_1) + g(b_2) is {apart:g} off",
        mixed == 0,
        f"with one part of scope (s, a, b_1, b_2), X^R = SA·Π(B_i m + 2), the nearest is {together:g} off",
        together == 0 and apart > 0,
        instance,
        {
            "0 ≤ r ≤ 1": are_within(paid.tolist(), 0, 1),
            "paid if and only if both budgets last": all(bool(r) == (b1 == b2 == "left") for b1, b2, r in rows),
        },
    )


def _distance(features: Array, values: Array) -> float:
    """Distance of the values from the nearest linear function of the features, in the largest entry, to nine digits."""
    weights, *_ = np.linalg.lstsq(features, values)
    return round(float(np.abs(features @ weights - values).max()), 9)


ERRATA = (
    Erratum(
        "budget-blind",
        "Appendix H.1, second instance",
        Grade.FALSE,
        "The action taken in s1 depends on the remaining budget, so a mapping from state to action is not enough",
        "The budget is 0.5 and the cost of a_0 is 0 or 1: cost 1 ends the episode, so whoever is in s1 has 0.5 left.",
        "The cost of a_0 is 0 or 0.5: V* = 3/4, and the best policy of the state alone has 1/2",
        ("knapsack/second-example",),
        budget_blind,
    ),
    Erratum(
        "joint-costs",
        "Theorem 4, with §5.1 and Appendix H.2",
        Grade.NOT_IMPLIED,
        "The proof of Theorem 2 carries over, so that Algorithm 4 has the regret O(√(dHSAT(log(SAT) + d log(Bm)))) with "
        "probability 1 − δ under Assumptions 1 and 2: there is a bonus for P̂_S and one for each P̂_{C,i}, i = 1, ..., d",
        "C(s,a) is a cost vector of any law, and Theorem 2 is about factors that are independent given (s,a). If Algorithm 4 "
        "plans "
        "with the product of the laws that its bonuses are about, then where costs depend on one another, or on the next "
        "state, it "
        "plans for another problem, and regret is linear. (The lines that estimate P̂_C and plan are lost in the text at hand; "
        "an "
        "estimate of the joint law would not fail like this, and has no bonus.)",
        "Theorem 4 for costs that are independent of one another and of the next state, given (s,a); or with one factor for the "
        "whole cost vector",
        ("knapsack/cost-laws", "knapsack/optimism"),
        joint_costs,
    ),
    Erratum(
        "log-without-delta",
        "Theorem 4, Appendix H.2, the definition of L",
        Grade.STEP,
        "L = log(2dSAT) + d log(mB): with these bonuses the estimation errors are covered with probability 1 − δ",
        "δ is not in it: for fixed T the probability of a failure is some positive number, and δ may be smaller. The tails that "
        "the union bound adds up, 2(d + 1)SAT(mB)^d e^{−L} = (d + 1)/d, are no bound at all. And there are mB + 1 budgets.",
        "L = log(18(d + 1)TSA·Π(B_i m + 1)/δ)",
        ("knapsack/coverage",),
        log_without_delta,
    ),
    Erratum(
        "embedding-rewards",
        "§5.3, the regret of Algorithm 1 on the augmented MDP",
        Grade.NOT_IMPLIED,
        "By applying Algorithm 1 and Theorem 2 to RLwK, the regret is roughly O(√(HSA(1 + dBm)T))",
        "The transitions are factored over s and each budget, but the reward is not: nothing is paid once any budget is spent. "
        "Its scope is all of them, and Theorem 2 has √(J_R T) with J_R of order SA(Bm)^d.",
        "That rate for the transitions; for the rewards, if they are to be learned in the augmented MDP, √(SA·Π(B_i m + 2)·T). "
        "Algorithm 4 learns them for each (s,a) and does not pay this",
        ("knapsack/embedding",),
        embedding_rewards,
    ),
)  # fmt: skip
