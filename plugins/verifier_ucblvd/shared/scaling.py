"""Growth of planning calls and regret, for several algorithms of the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim, Stated
from verifier_properties.episodes import scaling as episodes_scaling
from verifier_properties.lifelong import scaling as lifelong_scaling
from verifier_settings.lifelong import Public

LEARNS = "scaled(0.01)"
"""Regime of the lock: the published bonus keeps every value at its cap for as long as can be played; a hundredth of it learns."""
FIGURE = "scaled(0.004)"
"""c = 0.01 in beta. The paper does not say which c its figures have; with c = 1 nothing is learnt in 1000 episodes."""
DOUBLING = tuple(125 * 2**i for i in range(10))
EXPERIMENT = {"quick": DOUBLING[:4]}
NO_BURN_IN = BurnIn.none("the claimed curve is explicit from the first episode on")
RETURN = Horizon(lambda public, scale, K: public.H, lambda public, scale, K: public.H)
"""Horizon of an episode: a return cannot grow for long, so that its rate is not judged where it is near the largest."""


def logarithm(dimension: Callable[[Public], int]) -> Rate:
    """log(1 + K/(d lambda)) in full, since K/d is not large everywhere."""
    return Rate("log K", 0.0, 1.0, lambda public, K: math.log1p(K / (dimension(public) * public.ridge)))


def regret_scaling(
    source: str,
    bound: Callable[[Public, float, float], float],
    *,
    sizes: Mapping[str, tuple[int, ...]],
    alternative_sizes: tuple[int, ...],
    published: tuple[int, ...] = (),
) -> tuple[ScalingClaim, ...]:
    """Regret in K on the lock: where it is learnt to open, and at sizes of its own at the published width.

    Parameters
    ----------
    source : str
        The theorem.
    bound : callable
        (public, K, scale) to its bound.
    sizes, alternative_sizes : mapping, tuple of int
        Of the algorithm and of the greedy one, at a hundredth of the published width.
    published : tuple of int
        Sizes at the published width; empty if nothing is claimed there.
    """
    horizon = Horizon(lambda public, scale, K: bound(public, K, scale), lambda public, scale, K: public.H * K)
    claim = partial(
        ScalingClaim,
        property=episodes_scaling.regret,
        source=source,
        theorem=f"{source}: regret",
        clause="C39",
        statement="R_K = O(√K log K)",
        family="lock",
        rate=Rate("√K log K", 0.5, 1.0),
        quantity="regret",
        unit="reward",
        horizon=horizon,
        follows=("regret",),
    )
    learnt = claim(
        "regret-growth",
        status=Status.OURS,
        regimes=(LEARNS,),
        sizes=sizes,
        alternative="greedy",
        alternative_sizes=alternative_sizes,
        remark="the theorem is about the published width; at a hundredth of it the confidence event need not hold",
    )
    if not published:
        return (learnt,)
    burn_in = BurnIn.until_bounded(horizon)
    return learnt, claim("regret-growth-published", regimes=("published",), sizes={"quick": published}, burn_in=burn_in)


def figure_scaling(label: str, stated: float, *, calls: Rate, family: str, clause: str) -> tuple[ScalingClaim, ...]:
    """The two curves of Figure 1a or 1b, for an algorithm to compare UCBlvd with, or in its place.

    Parameters
    ----------
    label : str
        The figure.
    stated : float
        Planning calls at K = 1000 that the paper states.
    calls : Rate
        How they grow.
    family, clause : str
    """
    part = partial(
        ScalingClaim,
        source=f"Figure {label}",
        theorem=f"Figure {label}: K = 1000",
        clause=clause,
        regimes=(FIGURE,),
        family=family,
        sizes=EXPERIMENT,
        burn_in=NO_BURN_IN,
        figure=label,
    )
    literal = (
        "the paper's features psi ~ N(0, I) of dimension 10 are no linear MDP with completeness; the rotation family with "
        "d = H = 5, d' = 6 stands in, where both hold exactly"
    )
    return (
        part(
            f"figure-{label}-calls",
            lifelong_scaling.all_planning_calls,
            statement=f"planning calls grow like {calls.label}: about {stated:g} in 1000 episodes in the paper",
            rate=calls,
            quantity="planning calls",
            follows=("planning-calls",),
            horizon=Horizon(lambda public, scale, K: K, lambda public, scale, K: K),
            stated=(Stated(f"paper, Figure {label}", 1000, stated),),
            remark=literal if label == "1b" else "beside the algorithm that replans rarely",
        ),
        part(
            f"figure-{label}-return",
            lifelong_scaling.return_per_episode,
            statement="the return per episode, to compare",
            rate=Rate("1", 0.0),
            quantity="return per episode",
            unit="reward",
            follows=("regret",),
            horizon=RETURN,
            remark=literal if label == "1b" else "",
        ),
    )


def planning_scaling(
    source: str, dimensions: Callable[[Public], tuple[int, ...]], family: str, calls: str
) -> tuple[ScalingClaim, ...]:
    """Planning calls of Algorithms 3, 4 and 5.

    Parameters
    ----------
    source : str
    dimensions : callable
        Of the Gram matrices watched.
    family : str
    calls : str
        The bound.
    """

    def watched(public: Public, K: float) -> float:
        return sum(d * math.log1p(K / (d * public.ridge)) for d in dimensions(public))

    claim = ScalingClaim(
        "planning-growth",
        lifelong_scaling.planning_calls,
        source=source,
        theorem=f"{source}: planning calls",
        clause="C36",
        statement=f"replans = O({calls})",
        regimes=("published",),
        family=family,
        rate=Rate("log K", 0.0, 1.0, watched),
        quantity="planning calls after the first",
        sizes={"quick": DOUBLING[:5], "standard": DOUBLING[:7]},
        burn_in=NO_BURN_IN,
        horizon=Horizon(lambda public, scale, K: public.H * watched(public, K), lambda public, scale, K: max(K - 1.0, 0.0)),
        alternative="trigger-always",
        alternative_sizes=DOUBLING[:3],
        follows=("planning-calls",),
    )
    return (claim,)
