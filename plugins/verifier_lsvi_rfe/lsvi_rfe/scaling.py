"""Fall of what exploration leaves to planning (Theorem 4.2).

At the published radii nothing is seen at sizes that can be run: the certificate is H until K is about 10^7. With the
calibrated radius it falls like the norms that it is made of, so that it is looked at in units of the radius.
"""

from __future__ import annotations

import math
from functools import partial

from verifier import Status
from verifier.model.scaling import BurnIn, Rate, ScalingClaim
from verifier_properties.reward_free import scaling
from verifier_settings.reward_free import Public

_LADDER = (500, 1000, 1500, 2000, 3000, 4000)
_WEIGHTS = BurnIn(
    lambda public, scale: 1000.0, "below, most weights are enlarged: the threshold 1/d^3 takes some 500 episodes for d = 2"
)


def _root(public: Public, K: float) -> float:
    return 1.0 / math.sqrt(K)


def _certificate_scaling() -> tuple[ScalingClaim, ...]:
    """E V~(b) in K and in H."""
    claim = partial(
        ScalingClaim,
        property=scaling.certificate,
        source="Lemma A.22",
        theorem="Theorem 4.2: what exploration leaves",
        clause="A.22",
        status=Status.OURS,
        why="the lemma is about the published radii, which grow like log K and saturate at all sizes that can be run",
        regimes=("calibrated",),
        quantity="E Ṽ_1(s; b) / β_P",
        follows=("certificate",),
    )
    return (
        claim(
            "certificate-growth",
            statement="E Ṽ_1(s; b) / β_P = O(1/√K)",
            family="light-ridge",
            rate=Rate("1/√K", -0.5, 0.0, _root),
            sizes={"quick": _LADDER, "standard": (*_LADDER, 6000, 8000), "deep": (*_LADDER, 6000, 8000, 16000)},
            burn_in=_WEIGHTS,
            alternative="first-action",
            alternative_sizes=(250, 500, 1000, 2000),
        ),
        claim(
            "certificate-horizon",
            statement="E Ṽ_1(s; b) / β_P = O(H^{3/2}) in H, at one K: with β_P of order √(dH) the H² of the lemma",
            family="horizons",
            rate=Rate("H^{3/2}", 1.5),
            sizes={"quick": (2, 3, 4, 5, 6)},
            burn_in=BurnIn.none("the claim is about every horizon"),
        ),
    )


SCALING = (*_certificate_scaling(),)
