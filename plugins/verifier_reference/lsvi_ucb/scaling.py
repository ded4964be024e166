"""Growth of the regret of LSVI-UCB with K."""

from __future__ import annotations

import math

from verifier.model.scaling import Rate
from verifier_reference.shared import constants
from verifier_reference.shared.scaling import regret_scaling

_RATE = Rate("√T log(2dT/p)", 0.5, 1.0, lambda public, K: math.sqrt(K) * constants.iota(public, K))

SCALING = regret_scaling(
    "Theorem 3.1",
    _RATE,
    constants.regret_linear,
    "scaled(0.004)",
    "no-bonus",
    "1/250 of the published width, with which values stay at H until a pair was seen some sixty thousand times; there the "
    "confidence event need not hold. The bound shown is that of the proof with this width in it",
)
