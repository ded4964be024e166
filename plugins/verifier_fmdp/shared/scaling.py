"""How fast regret grows with the number of episodes, and with the number of factors."""

from __future__ import annotations

import math
from collections.abc import Callable
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

regret = partial(
    ScalingClaim,
    property=episodes_scaling.regret,
    clause="ORDER",
    quantity="regret",
    unit="reward",
    status=Status.OURS,
    regimes=("scaled(0.001)",),
)
"""Of either algorithm; the logarithms are scaled, since with those of the paper nothing is learned at sizes that can be run."""


def in_episodes(theorem: str, bound: Bound) -> ScalingClaim:
    """Regret in K; `bound` is the explicit one, in (public, K, scale)."""
    return regret(
        "regret-growth",
        source=theorem,
        theorem=f"{theorem}: regret",
        statement=f"R_K = O({ROOT.label})",
        why="the theorem is about the published width",
        family="rivers",
        rate=ROOT,
        sizes={"quick": _EPISODES, "deep": (*_EPISODES, 4000, 8000)},
        horizon=Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: float(public.H * K)),
        alternative="greedy",
        remark="the bound shown is that of the published width",
    )


def in_factors(theorem: str, source: str) -> ScalingClaim:
    """Regret in n, beside that of an algorithm which sees no structure; `source` is where the terms of pairs are."""
    return regret(
        "regret-factors",
        source=source,
        theorem=f"{theorem}: regret",
        statement=f"R_K = O({PAIRS.label}) for n factors side by side",
        why="in place of the theorem's leading terms, of order n: at sizes that can be run the terms of pairs of factors rule",
        family="products",
        rate=PAIRS,
        sizes={"quick": (2, 3, 4, 5)},
        burn_in=BurnIn.none("one factor has no pairs, and the sizes begin above"),
        alternative="flat",
        remark="polynomial in the number of factors, while SA = 4^n; beside it flat UCBVI-CH, which has no use for factors",
    )
