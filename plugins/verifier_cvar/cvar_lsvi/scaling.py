"""Growth of the regret of the rounds (Theorem B.2)."""

from __future__ import annotations

from verifier import Status
from verifier.model.horizon import Horizon
from verifier.model.scaling import Rate, ScalingClaim
from verifier_cvar.shared import constants
from verifier_properties.cvar import scaling as cvar_scaling
from verifier_settings.cvar import planning

_ROUNDS = (100, 200, 400, 600, 800, 1200, 1600)


def _gaps(public: planning.Public, scale: float, T1: float) -> float:
    """Values without bonuses are between 0 and the initial budget."""
    return float(public.grid.levels[public.budget]) * T1


def _rounds_scaling() -> tuple[ScalingClaim, ...]:
    """Regret in the number of rounds."""
    return (
        ScalingClaim(
            "rounds-growth",
            cvar_scaling.rounds_regret,
            source="Lemma D.4",
            theorem="Lemma D.4: regret of the rounds",
            clause="D4",
            statement="Σ_t V^{π_t} − V* = O(√T1 log T1)",
            status=Status.OURS,
            regimes=("scaled(0.02)",),
            family="bait-rounds",
            rate=Rate("√T1 log T1", 0.5, 1.0),
            quantity="regret of the rounds",
            follows=("optimism", "round-gap", "elliptical"),
            unit="value",
            sizes={"quick": _ROUNDS, "standard": (*_ROUNDS, 2400, 3200)},
            alternative="adds-width",
            alternative_sizes=(100, 200, 400, 800),
            horizon=Horizon(lambda public, scale, T1: constants.rounds_bound(public, T1, scale), _gaps, unit="T1"),
            remark="the published β, of order H^{3/2}d/υ, keeps every value at its clip for longer than can be simulated; at a "
            "fiftieth of it the event need not hold. Without any width least squares still explores, since values never seen "
            "are 0",
        ),
    )


SCALING = (*_rounds_scaling(),)
