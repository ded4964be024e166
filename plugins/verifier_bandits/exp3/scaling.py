"""Growth of the regret of EXP3 with the number of rounds."""

from __future__ import annotations

from verifier import Status
from verifier.model.claim import Kind
from verifier.model.horizon import Horizon
from verifier.model.scaling import Rate, ScalingClaim
from verifier_bandits.exp3 import formulas
from verifier_properties.episodes import scaling

_HORIZON = Horizon(
    lambda public, scale, K: formulas.tuned_regret(public.A, K, K), lambda public, scale, K: K * (public.high - public.low)
)
_LADDER = (250, 500, 750, 1000, 1500, 2000)


def _regret_scaling() -> tuple[ScalingClaim, ...]:
    return (
        ScalingClaim(
            "regret-growth",
            scaling.regret,
            "Corollary 3.2",
            "Theorem 3.1: regret",
            "G_max − E G = O(√(A K ln A))",
            Kind.SCALING,
            status=Status.OURS,
            why="the corollary has a bound of this order with all constants, which is claimed, too; this is the order alone",
            clause="RATE",
            family="adversary-constant",
            rate=Rate("√K", 0.5),
            quantity="regret",
            unit="reward",
            sizes={"quick": _LADDER, "standard": (*_LADDER, 3000, 4000), "deep": (*_LADDER, 3000, 4000, 6000, 8000)},
            regimes=("published",),
            horizon=_HORIZON,
            alternative="never-learns",
            follows=("tuned-regret",),
            remark="arms that pay the same in every round; regret is the mean loss by the probabilities of each plan",
        ),
    )


SCALING = _regret_scaling()
