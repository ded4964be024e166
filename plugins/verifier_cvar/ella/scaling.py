"""Growth of errors of discretisation and calls of the planner (Proposition B.1)."""

from __future__ import annotations

from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier_properties.cvar import scaling as cvar_scaling

_STEPS = (2, 3, 4, 6, 10, 12)
_EVERY_SIZE = BurnIn.none("the claim is about every size")
_ROUNDING = Horizon(lambda public, scale, n: public.H / n, lambda public, scale, n: float(public.H), unit="n")


def _discretisation_scaling() -> tuple[ScalingClaim, ...]:
    """Rates in the number of grid steps: the cost of rounding, and calls of the planner."""
    claim = partial(
        ScalingClaim,
        regimes=("scaled(0.01)",),
        family="grid-steps",
        sizes={"quick": _STEPS, "standard": (*_STEPS, 15, 20)},
        burn_in=_EVERY_SIZE,
    )
    return (
        claim(
            "discretisation-growth",
            cvar_scaling.cvar_gap,
            source="Proposition B.1",
            theorem="Algorithm 3, Proposition B.1: rounded rewards",
            clause="B1c",
            statement="CVaR* − CVaR(R(π^k,i_k)) = O(Hυ) for planning without error, υ = 1/n",
            status=Status.CORRECTED,
            why="the denominator is unreadable in print; Hυ holds for every τ",
            rate=Rate("1/n", -1.0),
            quantity="loss by rounding",
            unit="CVaR",
            follows=("chosen-policy", "best-estimate", "discretised-return", "discretisation"),
            alternative="largest-estimate",
            horizon=_ROUNDING,
            remark="at the published width the planner needs T1 = O(H⁵d³/(υ³ε²)) rounds, which is out of reach: at a hundredth "
            "of it, and with one model in the class, 60 rounds find the optimum of the rounded problem, and what is left is the "
            "error of rounding. The regret of ELLA in K is out of reach for the same reason",
        ),
        claim(
            "planner-calls-growth",
            cvar_scaling.planner_calls,
            source="§5.1",
            theorem="§4.1, §5.1: what is used",
            clause="CNT",
            statement="calls of CVaR-LSVI = K(⌈H/υ⌉ + 1), linear in 1/υ",
            status=Status.CORRECTED,
            why="printed as KH/υ",
            rate=Rate("n", 1.0),
            quantity="calls of the planner",
            follows=("planner-calls",),
            remark="no wrong algorithm is run beside it: `planner-calls` of `verifier check` counts them one by one",
        ),
    )


SCALING = (*_discretisation_scaling(),)
