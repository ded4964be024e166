"""Growth of the regret of UCRL2 with K."""

from __future__ import annotations

import math

from verifier.model.scaling import Rate
from verifier_reference.shared import ucrl2 as constants
from verifier_reference.shared.scaling import RARE, TRIES, regret_scaling

_RATE = Rate("√(K ln(2AT/δ))", 0.5, 0.5, lambda public, K: math.sqrt(K * math.log(2 * public.A * K * public.H / public.delta)))

SCALING = regret_scaling(
    "Theorem 2",
    _RATE,
    constants.regret,
    "scaled(0.03)",
    "empirical",
    f"part of the published radius; there the confidence event need not hold. The bound shown is scaled with it; {TRIES}",
    sizes=RARE,
)
