"""How fast the regret of FMDP-CH grows."""

from __future__ import annotations

from verifier_fmdp.shared import constants
from verifier_fmdp.shared.scaling import in_episodes, in_factors

SCALING = (in_factors("Theorem 5", "Theorem 5, (2)"), in_episodes("Theorem 5", constants.regret_hoeffding))
"""What is declared of the algorithm."""
