"""How fast regret grows with the number of episodes, and with the number of factors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier.settings.factored import Public
from verifier_fmdp.shared import constants
from verifier_properties.episodes import scaling as episodes_scaling

_EPISODES = (125, 250, 500, 1000, 2000)

Bound = Callable[[Public, float, float], float]


def _root(public: Public, K: float) -> float:
    return math.sqrt(K * constants.log_transition(public, K))


def _pairs(public: Public, n: float) -> float:
    return n * (n - 1) * constants.log_transition(public, public.K)


ROOT = Rate("√(T ln(18nTSA/δ))", 0.5, 0.5, curve=_root)
"""Of the leading terms."""

PAIRS = Rate("n(n−1) ln(18nTSA/δ)", 2.0, curve=_pairs)
"""Of the sum over pairs of factors in the bonus, H phi_j phi_l with l != j, summed over visits: L^P log T for each pair."""


def regret_scaling(theorem: str, bound: Bound, pairs: str = "") -> tuple[ScalingClaim, ...]:
    """Regret in K and, beside that of an algorithm which sees no structure, in n.

    The logarithms are scaled, since with those of the paper nothing is learned at sizes that can be run.

    Parameters
    ----------
    theorem : str
    bound : callable
        The explicit bound in (public, K, scale).
    pairs : str
        Where the bonus has terms of pairs of factors, if they are of the order 1/N; else there is no claim in n.
    """
    regret = partial(
        ScalingClaim,
        property=episodes_scaling.regret,
        theorem=f"{theorem}: regret",
        clause="ORDER",
        quantity="regret",
        unit="reward",
        status=Status.OURS,
        regimes=("scaled(0.001)",),
        follows=("regret",),
    )
    in_episodes = regret(
        "regret-growth",
        source=theorem,
        statement=f"R_K = O({ROOT.label})",
        why="the theorem is about the published width",
        family="rivers",
        rate=ROOT,
        sizes={"quick": _EPISODES, "deep": (*_EPISODES, 4000, 8000)},
        horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: float(public.H * K)),
        alternative="greedy",
        remark="the bound shown is that of the published width",
    )
    if pairs:
        sizes = {"quick": (250, 500, 1000, 2000, 4000), "deep": (250, 500, 1000, 2000, 4000, 8000, 16000)}
        in_episodes = replace(
            in_episodes, family="forks", regimes=("scaled(0.003)",), sizes=sizes, alternative="visits-forgotten",
            burn_in=BurnIn.none("the gaps fall with K, so that learning lasts at every size"),
            remark="the bound shown is that of the published width; beside it a bonus that does not fall with the visits",
        )  # fmt: skip
    in_factors = regret(
        "regret-factors",
        source=f"{theorem}, {pairs}",
        statement=f"R_K = O({PAIRS.label}) for n factors side by side",
        why="in place of the theorem's leading terms, of order n: at sizes that can be run the terms of pairs of factors rule",
        family="products",
        rate=PAIRS,
        sizes={"quick": (2, 3, 4, 5)},
        burn_in=BurnIn.none("one factor has no pairs, and the sizes begin above"),
        alternative="flat",
        remark="polynomial in the number of factors, while SA = 4^n; beside it flat UCBVI-CH, which has no use for factors",
    )
    return (in_episodes, in_factors) if pairs else (in_episodes,)
