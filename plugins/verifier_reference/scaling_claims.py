"""How fast regret grows with K (Theorems 1 and 2 of UCBVI, Theorem 3.1 of LSVI-UCB)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier.settings.episodic import Public
from verifier_properties.any_setting import growth
from verifier_properties.episodic.tabular_model import theorem_log
from verifier_reference import constants

_LADDER = (250, 500, 750, 1000, 1500, 2000)
_SIZES = {
    "quick": _LADDER,
    "standard": (*_LADDER, 3000, 4000),
    "deep": (*_LADDER, 3000, 4000, 6000, 8000),
}


def _rates(
    theorem: str,
    rate: Rate,
    bound: Callable[[Public, float, float], float],
    regime: str,
    alternative: str,
    remark: str,
) -> tuple[ScalingClaim, ScalingClaim]:
    """Regret in K: where it can be seen, and where the theorem's own bound is not vacuous.

    Parameters
    ----------
    theorem : str
    rate : Rate
        With the logarithm of the theorem.
    bound : callable
        The explicit bound in (public, K, scale).
    regime : str
        In which the lock is opened within the sizes at hand.
    alternative : str
        The mutant without optimism.
    remark : str
        About that regime.
    """
    horizon = Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K)
    regret = partial(
        ScalingClaim,
        property=growth.regret,
        source=theorem,
        theorem=f"{theorem}: regret",
        clause="RATE",
        statement=f"R_K = O({rate.label})",
        family="lock",
        rate=rate,
        quantity="regret",
        unit="reward",
        horizon=horizon,
    )
    return (
        regret(
            "regret-growth",
            status=Status.OURS,
            why="the theorem is about the published width",
            regimes=(regime,),
            sizes=_SIZES,
            alternative=alternative,
            remark=remark,
        ),
        regret(
            "regret-growth-published",
            regimes=("published",),
            sizes={"quick": (100, 200, 400)},
            burn_in=BurnIn.until_bounded(horizon),
        ),
    )


_TABULAR = Rate("√K ln(5HSAT/δ)", 0.5, 1.0, lambda public, K: math.sqrt(K) * theorem_log(public, K))
_LINEAR = Rate("√T log(2dT/p)", 0.5, 1.0, lambda public, K: math.sqrt(K) * constants.iota(public, K))

_TRIES = (
    "without the bonus alone each pair is still tried once, which mostly opens this lock sooner: no rate here has power against "
    "that"
)

HOEFFDING = _rates(
    "Theorem 1",
    _TABULAR,
    constants.regret_hoeffding,
    "scaled(0.01)",
    "greedy",
    "a hundredth of the published bonus, which keeps values at H until a pair was seen (7L)² times, some ten thousand; there the "
    f"confidence event need not hold. The bound shown is that of the published bonus; {_TRIES}",
)
BERNSTEIN = _rates(
    "Theorem 2",
    _TABULAR,
    constants.regret_bernstein,
    "scaled(0.1)",
    "greedy",
    "a tenth of the published bonus; there the confidence event need not hold. The bound shown is that of the published bonus; "
    f"{_TRIES}",
)
LSVI = _rates(
    "Theorem 3.1",
    _LINEAR,
    constants.regret_linear,
    "scaled(0.004)",
    "no-bonus",
    "1/250 of the published width, with which values stay at H until a pair was seen some sixty thousand times; there the "
    "confidence event need not hold. The bound shown is that of the proof with this width in it",
)
