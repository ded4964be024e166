"""Growth of the regret of OFUL with the number of rounds."""

from __future__ import annotations

import math

from verifier.model.horizon import Horizon
from verifier.model.scaling import Rate
from verifier_bandits.oful import formulas
from verifier_bandits.shared.scaling import regret_scaling

SCALING = regret_scaling(
    "Theorem 3: regret",
    "Theorem 3",
    Rate("d√K ln(1 + K/(λd))", 0.5, 1.0, lambda public, K: math.sqrt(K) * float(formulas.log_growth(public, K))),
    "linear-bandit-quiet",
    "reward-turned",
    "regret",
    "the theorem has a bound of this order with all constants, which is claimed, too; this is the order alone",
    Horizon(lambda public, scale, K: float(formulas.regret(public, K, scale)), lambda public, scale, K: K),
)
