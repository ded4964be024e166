"""Growth of the regret of MVP with K."""

from __future__ import annotations

import math

from verifier.model.scaling import Rate
from verifier_reference.shared import mvp
from verifier_reference.shared.scaling import RARE, TRIES, regret_scaling

_RATE = Rate(
    "√(Kι G), G = SA log₂(8T/SA)", 0.5, 1.0, lambda public, K: math.sqrt(K * mvp.logarithm(public, K) * mvp.reached(public, K))
)

SCALING = regret_scaling(
    "Theorem 1",
    _RATE,
    mvp.regret,
    "scaled(0.001)",
    "no-bonus",
    "a thousandth of the published logarithm; there the confidence event need not hold. The bound shown is that of the proof "
    f"with this bonus in it; {TRIES}",
    sizes=RARE,
)
