"""Errata of planning: the clip of CVaR-LSVI, which estimate it returns, and the grid of budgets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from verifier.base.arrays import Array
from verifier.base.tables import prose, show, sign, table
from verifier.model.erratum import Erratum, Grade, Refutation, are_laws, are_within
from verifier_cvar.least_squares import CVaRLeastSquares, Model, bonus_floor, monte_carlo
from verifier_cvar.shared import constants
from verifier_settings.cvar import augmented
from verifier_settings.cvar.augmented import Grid
from verifier_settings.cvar.planning import Round
from verifier_settings.cvar.simulator import Simulator

# The lower clip -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bonuses:
    """Planning problem with one state and two actions: action 1 has bonus 2 and action 0 bonus 1 in the first H - 2 steps.

    All simulated episodes look the same, so that after n episodes CVaR-LSVI is in one state.

    Attributes
    ----------
    H : int
    """

    H: int = 8

    @property
    def model(self) -> Model:
        """Input of the planner."""
        H = self.H
        b = np.zeros((H, 2))
        b[: H - 2] = 1.0, 2.0
        reward = np.broadcast_to(np.array([1.0, 0.0]), (H, 2, 2)).copy()
        return Model(1, 2, Grid(H, 1), np.ones((H - 1, 2, 1)), reward, b)

    @property
    def least(self) -> float:
        """V*_1 = -2(H-2), at every budget of zero."""
        return -2.0 * (self.H - 2)

    def excess(self, plan: Round) -> float:
        """The largest V^t_h - V*_h over steps and budgets."""
        model = self.model
        V, _ = augmented.optimal(np.ones((self.H - 1, 2, 1)), model.reward, model.bonus, model.grid, 1)
        return float((plan.V - V).max())

    def after(self, n: int, floor: float, beta: float) -> Round:
        """The plan after n episodes: each has added 1 to the Gram matrix, and a transition with reward 0."""
        regression = CVaRLeastSquares(self.model, lambda h, V: beta, 1.0, floor)
        regression.gram[:, 0, 0] += n
        regression.seen[:, 0, 0, 0] += n
        return regression.plan()

    def value(self, plan: Round) -> float:
        """V^pi_1(s_1, 0) of its policy."""
        return -float(sum(self.model.bonus[h, plan.policy[h, 0, 0]] for h in range(self.H)))


def lower_clip() -> Refutation:
    """Estimates after no, few, and very many episodes, with the clip at -H and below V*."""
    problem = Bonuses()
    H, rows, printed_excess, excess = problem.H, [], [], []
    for n in (0, 10, 10**4, 10**8):
        beta = constants.beta(H, 1, 1.0, n + 1, 0.1)
        plans = [problem.after(n, bonus_floor(problem.model.bonus, H, printed), beta) for printed in (True, False)]
        rows.append((n, beta, *[x for plan in plans for x in (float(plan.V[0, 0, 0]), problem.value(plan))]))
        printed_excess.append(problem.excess(plans[0]))
        excess.append(problem.excess(plans[1]))
    instance = prose(
        f"H = {H}, S = d = 1, A = 2, no rewards, initial budget 0. In steps 1, ..., {H - 2} action 1 has bonus 2 (the "
        f"printed cap) and action 0 bonus 1; V* = −2(H − 2) = {problem.least:g}. Nothing is random. In steps 1 and 2 both "
        f"actions are at the clip "
        "−H and tie, however many episodes have been seen; ties go to action 0. β of Theorem B.2, δ = 0.1:"
    ) + table(
        ("episodes", "β", f"V^t_1, clip −{H}", "V of its policy", f"V^t_1, clip {problem.least:g}", "V of its policy"), rows
    )
    holds = min(printed_excess) <= 0
    lost = min(row[3] for row in rows) - problem.least
    return Refutation(
        f"max (V^t_h − V*_h) = {show(min(printed_excess))} {sign(holds)} 0, for every β and t; and the policies stay "
        f"{show(lost)} above "
        "V*, however many rounds there are (Theorem B.2)",
        holds or lost <= 0,
        f"with a clip at −Σ_h max b_h: max (V^t_h − V*_h) = {show(max(excess))} ≤ 0 over all h, s, i, and at last the policy "
        f"has {show(rows[-1][5])} = V*",
        max(excess) <= 0 and rows[-1][5] == problem.least,
        instance,
        {
            "0 ≤ b ≤ 2, as printed": are_within(problem.model.bonus.ravel().tolist(), 0, 2),
            "no bonus in the last two steps": bool((problem.model.bonus[H - 2 :] == 0).all()),
            "rewards have laws on [0, 1]": are_laws(problem.model.reward.reshape(2 * H, -1).tolist()),
        },
    )


# The estimate that is returned ------------------------------------------------------------------------------------------------


def one_step(rounds: int) -> Array:
    """(rounds,) the estimates of CVaR-LSVI for H = 1, initial budget 1, where action 0 pays 0 and action 1 pays 1, surely."""
    reward = np.array([[[1.0, 0.0], [0.0, 1.0]]])
    model = Model(1, 2, Grid(1, 1), np.zeros((0, 2, 1)), reward, np.zeros((1, 2)))
    regression = CVaRLeastSquares(model, lambda h, V: 1.0, 1.0, -1.0)
    simulator = Simulator(np.zeros((0, 2, 1)), reward, model.grid, 0, np.random.default_rng(0))
    estimates = []
    for _ in range(rounds):
        policy = regression.plan().policy
        estimates.append(monte_carlo(model, simulator.episodes(policy, 1, 1), 1))
        regression.learn(simulator.trajectory(policy, 1))
    return np.array(estimates)


def largest_estimate() -> Refutation:
    """Ten rounds of one step."""
    estimates = one_step(10)
    low, high = float(estimates.min()), float(estimates.max())
    instance = prose(
        "H = 1, one state, initial budget 1: action 0 pays 0, so V = (1 − 0)⁺ = 1; action 1 pays 1, so V = 0 = V*. Nothing is "
        "random and estimates are exact. Ten rounds with β = 1, ties to action 0:"
    ) + table(("t", *map(str, range(1, 11))), [("V̂ of the t-th policy", *(f"{x:g}" for x in estimates))])
    return Refutation(
        f"max_t V̂_t = {show(high)} {'=' if high == 0 else '≠'} V* = 0",
        high == 0,
        f"min_t V̂_t = {show(low)} = V* = 0",
        low == 0,
        instance,
        {"each V̂ is that of a policy": set(estimates.tolist()) == {0.0, 1.0}},
    )


# The grid ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SureReward:
    """H steps that surely pay 1, on a grid of step ups: tau does not matter.

    Attributes
    ----------
    H : int
    ups : Fraction
        In (0, 1].
    """

    H: int
    ups: Fraction

    @property
    def rounded(self) -> Fraction:
        """CVaR* of the rounded problem: H U(1), each reward rounded up."""
        return self.H * math.ceil(1 / self.ups) * self.ups

    def objective(self, largest: int) -> Fraction:
        """The maximum of c - V*_1(s_1, c)/tau over the budgets c = i ups, i = 0, ..., largest.

        The objective is c up to the return and not larger beyond.
        """
        return min(largest * self.ups, self.rounded)

    @property
    def indices(self) -> tuple[int, int, int]:
        """The largest budget index in three readings: floor(H/ups), ceil(H/ups), H ceil(1/ups)."""
        return math.floor(self.H / self.ups), math.ceil(self.H / self.ups), self.H * math.ceil(1 / self.ups)


def grid() -> Refutation:
    """Two steps that pay 1, by step of the grid."""
    cases = [SureReward(2, Fraction(*pair)) for pair in ((3, 10), (2, 5), (5, 12), (2, 3), (1, 2))]
    rows = [(case.ups, *(case.objective(i) for i in case.indices), case.rounded, Fraction(case.H)) for case in cases]
    floats = f"⌊0.3/0.1⌋ = {math.floor(0.3 / 0.1)} and ⌈(5/6)/(1/6)⌉ = {math.ceil((5 / 6) / (1 / 6))}"
    instance = prose(
        "H = 2, one state, one action, reward 1 surely, so CVaR* = 2 for every τ. U(1) = ⌈1/υ⌉υ, which is above 1 unless υ "
        "divides 1; the objective max_i {iυ − V_1(s_1, iυ)/τ}, by the largest i:"
    ) + table(("υ", "⌊H/υ⌋", "⌈H/υ⌉", "H⌈1/υ⌉", "CVaR* rounded", "CVaR*"), rows)
    instance += "\n" + prose(
        f"Nor has a law on ⌊1/υ⌋ + 1 atoms any room for U(1). (In floating point {floats}: multiples of υ are to be kept as "
        f"integers.)"
    )
    bad = rows[0]
    holds = all(floor == ceil == rounded for _, floor, ceil, _, rounded, _ in rows)
    whole = [row[1] == row[2] == row[4] for case, row in zip(cases, rows, strict=True) if (1 / case.ups).denominator == 1]
    enough = bool(whole) and all(whole) and all(full == rounded and exact <= ceil for _, _, ceil, full, rounded, exact in rows)
    return Refutation(
        f"υ = {bad[0]}: {show(float(bad[1]))} or {show(float(bad[2]))} ≠ {show(float(bad[4]))}, and {show(float(bad[1]))} is "
        f"below CVaR* = {bad[5]}",
        holds,
        f"i ≤ H⌈1/υ⌉ and ⌈1/υ⌉ + 1 atoms: {', '.join(f'{row[3]} = {row[4]}' for row in rows)}; for an objective of at least "
        f"CVaR*, "
        "i ≤ ⌈H/υ⌉ is enough",
        enough,
        instance,
        {"0 < υ ≤ 1": all(0 < case.ups <= 1 for case in cases)},
    )


ERRATA = (
    Erratum(
        "lower-clip",
        "Algorithm 2, Line 8; Lemma D.3",
        Grade.FALSE,
        "With Q clipped to [−H, H]: V^t_h(s, iυ) ≤ V*_h(s, iυ), by induction, since \"if Q^t = −H then Q^t ≤ Q* naturally "
        "holds\"",
        "Bonuses are subtracted: V* goes down to −2(H − 2) with bonuses of 2, below −H from H = 5 on, and to −2H(H − 2) with "
        "bonuses of 2H. An estimate at the clip is then above V*, and plans that differ below −H look alike. (\"sup_π\" in "
        "Lemma D.3 is to be an infimum. Lemma D.4 and Theorem B.2 lose their proof where bonuses add up to more than H; they "
        "are not refuted by this.)",
        "Clip to [−Σ_h max b_h, H], or anything at most the least V*; β of Theorem B.2 grows with that range",
        ("cvar-lsvi/optimism",),
        lower_clip,
    ),
    Erratum(
        "largest-estimate",
        "Section 5, Step 3",
        Grade.FALSE,
        "max_t V̂^{π_t} serves as a surrogate for V*",
        "V is minimised: the largest estimate is that of the worst policy tried, and optimism makes CVaR-LSVI try bad ones. "
        "(Algorithm 2, Line 18, and the proof have the minimum.)",
        "min_t V̂^{π_t}",
        ("cvar-lsvi/chosen-estimate",),
        largest_estimate,
    ),
    Erratum(
        "truncated-grid",
        "Appendix B.1, (7)",
        Grade.NOT_IMPLIED,
        "The supremum over c is attained at a quantile of the return, so it suffices to search 0 ≤ iυ ≤ H, i up to H/υ "
        "(rounded down or up): CVaR* of the rounded problem is max_i {iυ − V_1(s_1, iυ)/τ}",
        "Rewards are rounded up, to as much as ⌈1/υ⌉υ each, and the returns, with their quantiles, to as much as H⌈1/υ⌉υ: "
        "above ⌈H/υ⌉υ where υ does not divide 1. What D.2 needs is that the objective is at least CVaR*. That holds with "
        "⌈H/υ⌉; with ⌊H/υ⌋ up to υ may be missing. Where 1/υ is whole nothing is wrong, nor in section 5, "
        "whose rewards lie on the grid. (Proposition B.1 is about CVaR* itself, whatever budgets are searched, and true.)",
        "Budgets i = 0, ..., H⌈1/υ⌉ and ⌈1/υ⌉ + 1 reward atoms; for Theorem B.3 initial budgets up to ⌈H/υ⌉ suffice",
        ("ella/initial-budgets", "ella/best-estimate"),
        grid,
    ),
)  # fmt: skip
