"""Growth of regret with the number of episodes, and with the number of factors."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier_fmdp.shared import constants
from verifier_properties.episodes import scaling as episodes_scaling
from verifier_settings.factored import Public

Bound = Callable[[Public, float, float], float]


def _root(public: Public, K: float) -> float:
    return math.sqrt(K * constants.log_transition(public, K))


def _factors(public: Public, n: float) -> float:
    return n * math.sqrt(constants.log_transition(public, public.K))


ROOT = Rate("√(T ln(18nTSA/δ))", 0.5, 0.5, curve=_root)
"""Rate of the leading terms."""

FACTORS = Rate("n√ln(18nTSA/δ)", 1.0, 0.5, curve=_factors)
"""Rate of the leading term H sum_j sqrt(X_j T L) where all scopes have the same size."""


def regret_scaling(theorem: str, bound: Bound, factors: bool = False) -> tuple[ScalingClaim, ...]:
    """Regret in K and, beside that of an algorithm which sees no structure, in n.

    The logarithms are scaled, since with those of the paper nothing is learned at sizes that can be run.

    Parameters
    ----------
    theorem : str
    bound : callable
        The explicit bound in (public, K, scale).
    factors : bool
        Whether the terms of pairs of factors in the bonus are of the order 1/N, hence below the leading term at sizes that can be
        run; else there is no claim in n.
    """
    regret = partial(
        ScalingClaim,
        property=episodes_scaling.regret,
        theorem=f"{theorem}: regret",
        clause="ORDER",
        quantity="regret",
        unit="reward",
        status=Status.OURS,
        follows=("regret",),
    )
    in_episodes = regret(
        "regret-growth",
        source=theorem,
        statement=f"R_K = O({ROOT.label})",
        why="the theorem is about the published width",
        family="forks",
        rate=ROOT,
        regimes=("scaled(0.003)",),
        sizes={"quick": (250, 500, 1000, 2000, 4000), "deep": (250, 500, 1000, 2000, 4000, 8000, 16000)},
        burn_in=BurnIn.none("the gaps fall with K, so that learning lasts at every size"),
        horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: float(public.H * K)),
        alternative="visits-forgotten",
        remark="the bound shown is that of the published width; beside it a bonus that does not fall with the visits",
    )
    in_factors = regret(
        "regret-factors",
        source=f"{theorem}, leading term",
        statement=f"R_K = O({FACTORS.label}) for n factors side by side, of which each is a choice that costs as much as it can",
        why="the theorem is about the published width; small logarithms keep the terms of pairs of factors, of order 1/N, below",
        family="choices",
        rate=FACTORS,
        regimes=("scaled(1e-05)",),
        sizes={"quick": (2, 3, 4), "standard": (2, 3, 4, 5)},
        burn_in=BurnIn.none("the gaps are those that cost most in K episodes, so that learning lasts at every size"),
        alternative="summed-twice",
        remark="while SA = 4^n; beside it bonuses that are added up over the factors twice, too large by the factor n",
    )
    return (in_episodes, in_factors) if factors else (in_episodes,)
