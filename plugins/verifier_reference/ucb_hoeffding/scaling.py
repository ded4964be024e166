"""How fast the regret of Q-learning with UCB-Hoeffding grows with K."""

from __future__ import annotations

import math

from verifier.model.scaling import Rate
from verifier_reference.shared import q_learning as constants
from verifier_reference.shared.scaling import regret_scaling

_RATE = Rate("√(Kι), ι = log(SAT/p)", 0.5, 0.5, lambda public, K: math.sqrt(K * constants.iota(public, K)))

SCALING = regret_scaling(
    "Theorem 1",
    _RATE,
    constants.regret,
    "scaled(0.01)",
    "no-bonus",
    "a hundredth of the published bonus; there the confidence event need not hold. The bound shown is that of "
    "the proof with this bonus in it",
)
