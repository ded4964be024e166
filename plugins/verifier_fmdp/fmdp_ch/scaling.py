"""Growth of the regret of FMDP-CH."""

from __future__ import annotations

from verifier_fmdp.shared import constants
from verifier_fmdp.shared.scaling import regret_scaling

SCALING = regret_scaling("Theorem 5", constants.regret_hoeffding, factors=True)
"""Scaling claims of the algorithm."""
