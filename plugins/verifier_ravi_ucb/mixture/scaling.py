"""Growth of regret, optimisation error and epochs (Theorems 4.1 and 5.6)."""

from __future__ import annotations

from verifier.model.scaling import Rate
from verifier_ravi_ucb.shared import constants
from verifier_ravi_ucb.shared.scaling import EARLY, epochs_scaling, optimisation_scaling, regret_scaling

_RATE = Rate("√T log^{3/2} T", 0.5, 1.5)

SCALING = (
    *optimisation_scaling("mixture-half"),
    *epochs_scaling("mixture-half"),
    *regret_scaling("mixture-doors", constants.regret_bound_mixture, _RATE, "published", "Theorem 5.6", EARLY),
)
