"""Growth of the regret of UCBVI-BF with K."""

from __future__ import annotations

from verifier_reference.shared import constants
from verifier_reference.shared.scaling import TABULAR, TRIES, regret_scaling

SCALING = regret_scaling(
    "Theorem 2",
    TABULAR,
    constants.regret_bernstein,
    "scaled(0.1)",
    "greedy",
    "a tenth of the published bonus; there the confidence event need not hold. The bound shown is that of the published bonus; "
    f"{TRIES}",
)
