"""Figures 1a and 3 of the paper."""

from __future__ import annotations

from verifier.model.figure import Figure, FigureStatement, Reading
from verifier_ucblvd.shared.figures import K_IS_INFERRED, NOT_PRINTED, SIMULATIONS, rewards_and_calls

_PRINTED = f"Setting of Theorem 2, m = 5, {SIMULATIONS}, ρ(w) ∼ N(0, I) but ρ(w^(j)) = e_j"
_STAND_IN = (
    "Taken literally, Gaussian η and ρ give rewards outside [0, 1], against Assumptions 1 and 2. An exact instance of the "
    "same d, m, H stands in: S = 15, A = 4, c = 0.01. Both algorithms run on it, with tasks of their own. Drawn is the expected "
    "reward of the policy of each episode"
)

_FIGURE_3 = Figure(
    "3",
    "",
    printed=f'{_PRINTED}; "the setting is same as that in 2a"',
    missing=f"not printed: the caption, the sizes K, the number of runs; {NOT_PRINTED}. {_STAND_IN}",
    seeds=0,
    across="",
    drawn=(Reading("figure-3"),),
    statements=(
        FigureStatement(
            "In this figure, we empirically verify the logarithmic dependence of number of planning calls on K as suggested by "
            "Theorem 2",
            "Appendix H",
            "planning calls / log(1 + K/(dλ)), at the largest K over the smallest (a factor of 1.5 is this project's limit)",
            Reading("figure-3", relative=True),
            Reading("figure-3", at="first", relative=True),
            low=1 / 1.5,
            high=1.5,
        ),
    ),
)

FIGURES = (
    rewards_and_calls(
        "1a",
        "Figure 1: UCBlvd vs Lifelong-LSVI. The experimental results include 50 seeds. (a) Setting of Theorem 2",
        printed=_PRINTED,
        missing=f"{NOT_PRINTED}. {K_IS_INFERRED}. {_STAND_IN}",
    ),
    _FIGURE_3,
)
