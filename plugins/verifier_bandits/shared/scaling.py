"""Growth of the regret of a bandit algorithm with the number of rounds."""

from __future__ import annotations

from verifier import Status
from verifier.model.claim import Kind
from verifier.model.horizon import Horizon
from verifier.model.scaling import MARGIN, Rate, ScalingClaim
from verifier_properties.episodes import scaling

_LADDER = (250, 500, 750, 1000, 1500, 2000)


def regret_scaling(
    theorem: str,
    source: str,
    rate: Rate,
    family: str,
    alternative: str,
    follows: str,
    why: str,
    horizon: Horizon | None = None,
    ladder: tuple[int, ...] = _LADDER,
    margin: float = MARGIN,
) -> tuple[ScalingClaim, ...]:
    """Regret in K at the published width, on a family whose gaps do not depend on K.

    Parameters
    ----------
    theorem, source : str
    rate : Rate
        That of the theorem.
    family : str
        Of instances.
    alternative : str
        A mutant whose regret is linear.
    follows : str
        What the rate rests on.
    why : str
        What a reader of its failure should know.
    horizon : Horizon, optional
        The explicit bound of the theorem, where the agent knows all that is in it.
    ladder : tuple of int
        Rounds in the quick profile; the deeper ones go on to one and a half times, and to twice the largest.
    margin : float
        See `ScalingClaim`.
    """
    return (
        ScalingClaim(
            "regret-growth",
            scaling.regret,
            theorem,
            source,
            f"E R_K = O({rate.label})",
            Kind.SCALING,
            status=Status.OURS,
            why=why,
            clause="RATE",
            family=family,
            rate=rate,
            quantity="regret",
            unit="reward",
            sizes={
                "quick": ladder,
                "standard": (*ladder, 3 * ladder[-1] // 2),
                "deep": (*ladder, 3 * ladder[-1] // 2, 2 * ladder[-1]),
            },
            regimes=("published",),
            horizon=horizon,
            margin=margin,
            alternative=alternative,
            alternative_sizes=_LADDER[:4],
            follows=(follows,),
            remark="regret is the mean loss of the arms that are played; the gaps are the same at all sizes",
        ),
    )
