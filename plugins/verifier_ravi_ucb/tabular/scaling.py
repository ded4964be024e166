"""Growth of regret, optimisation error and epochs (Theorem 4.1, section 5.1)."""

from __future__ import annotations

from verifier.model.scaling import Rate
from verifier_ravi_ucb.shared import constants
from verifier_ravi_ucb.shared.scaling import LONG, epochs_scaling, horizon_scaling, optimisation_scaling, regret_scaling

_RATE = Rate("√(T log T)", 0.5, 0.5)

SCALING = (
    *optimisation_scaling("random-half"),
    *horizon_scaling("horizons"),
    *epochs_scaling("random-half"),
    *regret_scaling("river", constants.regret_bound_tabular, _RATE, "scaled(0.03)", "§5.1", LONG),
)
