"""Growth of the regret of UCBVI-CH with K."""

from __future__ import annotations

from verifier_reference.shared import constants
from verifier_reference.shared.scaling import TABULAR, TRIES, regret_scaling

SCALING = regret_scaling(
    "Theorem 1",
    TABULAR,
    constants.regret_hoeffding,
    "scaled(0.01)",
    "greedy",
    "a hundredth of the published bonus, which keeps values at H until a pair was seen (7L)² times, some ten thousand; there the "
    f"confidence event need not hold. The bound shown is that of the published bonus; {TRIES}",
)
