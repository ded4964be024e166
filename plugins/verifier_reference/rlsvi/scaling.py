"""Growth of the regret of RLSVI with K."""

from __future__ import annotations

import math

from verifier.model.scaling import Rate
from verifier_reference.shared import rlsvi as constants
from verifier_reference.shared.scaling import regret_scaling

_RATE = Rate(
    "√(K log(2HSAK)(1+log K))",
    0.5,
    1.0,
    lambda public, K: math.sqrt(K * math.log(2 * public.H * public.S * public.A * K) * (1 + math.log(K))),
)

SCALING = regret_scaling(
    "Theorem 1",
    _RATE,
    constants.regret,
    "scaled(0.05)",
    "no-noise",
    "a twentieth of the published noise; there the confidence event need not hold. The bound shown is that of the proof with "
    "this noise in it",
)
