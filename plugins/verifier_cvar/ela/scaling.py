"""Growth of regret and calls (Theorem 4.1)."""

from __future__ import annotations

from functools import partial

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier_cvar.shared import constants
from verifier_properties.cvar import scaling as cvar_scaling
from verifier_settings.cvar import Public

_BAIT = (300, 600, 900, 1200, 1500, 2000)
_LONGER = (*_BAIT, 3000, 4000, 6000, 8000)
_TAILS = (1, 2, 4, 8, 16)
_EVERY_SIZE = BurnIn.none("the claim is about every size")
_ROOT = Rate("√K log K", 0.5, 1.0)


def _everything(public: Public, scale: float, K: float) -> float:
    """A CVaR is between 0 and H."""
    return public.H * K


_REGRET = Horizon(lambda public, scale, K: constants.regret_bound(public, K), _everything)


def _regret_scaling() -> tuple[ScalingClaim, ...]:
    """Regret in K and in 1/τ."""
    claim = partial(
        ScalingClaim,
        property=cvar_scaling.cvar_regret,
        source="Theorem 4.1",
        theorem="Theorem 4.1: regret",
        clause="REG",
        regimes=("published",),
        quantity="regret",
        unit="CVaR",
        follows=("regret",),
    )
    return (
        claim(
            "regret-growth",
            statement="Σ_k CVaR* − CVaR(R(π^k,c^k)) = O(√K log K)",
            status=Status.OURS,
            family="bait",
            rate=_ROOT,
            sizes={"quick": _BAIT, "standard": _LONGER, "deep": (*_LONGER, 12_000, 16_000)},
            alternative="no-bonus",
            alternative_sizes=(150, 300, 600, 1200),
            horizon=_REGRET,
            remark="long before the explicit bound is below the trivial one; the class is finite, so that after some iterations "
            "the model is known and regret grows no more. On random low-rank MDPs the two uniform actions explore enough: "
            "without a bonus regret is lower there than with one, so that no rate on them has power",
        ),
        claim(
            "regret-growth-published",
            statement="Σ_k CVaR* − CVaR(R(π^k,c^k)) = O(√K log K)",
            family="low-rank",
            rate=_ROOT,
            sizes={"quick": (100, 300, 1000)},
            burn_in=BurnIn.until_bounded(_REGRET),
            horizon=_REGRET,
            remark="bonuses at their cap teach nothing, so that regret begins low and then grows faster than K for a while",
        ),
        claim(
            "regret-tail",
            statement="regret = O(1/τ)",
            regimes=("scaled(0.01)",),
            status=Status.OURS,
            family="tails",
            rate=Rate("1/τ", 1.0),
            sizes={"standard": _TAILS},
            tier="standard",
            burn_in=_EVERY_SIZE,
            alternative="no-bonus",
            remark="bonuses are divided by τ as well, so that the algorithm explores sooner where τ is small. Without a bonus "
            "regret is the same at every τ: no rate in τ has power against that",
        ),
    )


def _likelihood_scaling() -> tuple[ScalingClaim, ...]:
    """Calls of the likelihood oracle."""
    return (
        ScalingClaim(
            "likelihood-calls-growth",
            cvar_scaling.likelihood_calls,
            source="§4.1",
            theorem="§4.1, §5.1: what is used",
            clause="CNT",
            statement="calls of the likelihood oracle = K(H−1), linear in K",
            status=Status.CORRECTED,
            why="printed as KH",
            regimes=("published",),
            family="bait",
            rate=Rate("K", 1.0),
            quantity="calls of the likelihood oracle",
            follows=("likelihood-calls",),
            sizes={"quick": _BAIT},
            burn_in=_EVERY_SIZE,
            remark="no wrong algorithm is run beside it: `likelihood-calls` of `verifier check` counts them one by one",
        ),
    )


SCALING = (*_regret_scaling(), *_likelihood_scaling())
