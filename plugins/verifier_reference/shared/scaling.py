"""Growth of regret with K, in any of the theorems."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier_properties.episodes import scaling as episodes_scaling
from verifier_properties.episodic.tabular_model import theorem_log
from verifier_reference.shared import q_learning
from verifier_settings.episodic import Public

_LADDER = (250, 500, 750, 1000, 1500, 2000)
_SIZES = {
    "quick": _LADDER,
    "standard": (*_LADDER, 3000, 4000),
    "deep": (*_LADDER, 3000, 4000, 6000, 8000),
}
RARE = {**_SIZES, "deep": (*_SIZES["deep"], *(16_000 * 2**i for i in range(6)), 1_000_000)}
"""Sizes for algorithms that plan rarely and play in blocks between two plans."""


def regret_scaling(
    theorem: str,
    rate: Rate,
    bound: Callable[[Public, float, float], float],
    regime: str,
    alternative: str,
    remark: str,
    family: str = "lock",
    sizes: Mapping[str, tuple[int, ...]] = _SIZES,
) -> tuple[ScalingClaim, ...]:
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
    family : str
        Of instances.
    sizes : mapping
        The ladders of the first of both claims.
    """
    horizon = Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K)
    regret = partial(
        ScalingClaim,
        property=episodes_scaling.regret,
        source=theorem,
        theorem=f"{theorem}: regret",
        clause="RATE",
        statement=f"R_K = O({rate.label})",
        family=family,
        rate=rate,
        quantity="regret",
        unit="reward",
        horizon=horizon,
        follows=("regret",),
    )
    return (
        regret(
            "regret-growth",
            status=Status.OURS,
            why="the theorem is about the published width",
            regimes=(regime,),
            sizes=sizes,
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


TRIES = (
    "without the bonus alone each pair is still tried once, which mostly opens this lock sooner: no rate here has power against "
    "that"
)
"""A remark."""

TABULAR = Rate("√K ln(5HSAT/δ)", 0.5, 1.0, lambda public, K: math.sqrt(K) * theorem_log(public, K))
"""Rate of both theorems about UCBVI, with their logarithm."""

ROOT_OF_STEPS = Rate("√(Kι), ι = log(SAT/p)", 0.5, 0.5, lambda public, K: math.sqrt(K * q_learning.iota(public, K)))
"""Rate of both theorems about Q-learning, with their logarithm."""
