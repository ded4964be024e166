"""How fast the regret of FMDP-BF grows."""

from __future__ import annotations

from verifier_fmdp.shared import constants
from verifier_fmdp.shared.scaling import in_episodes

SCALING = (in_episodes("Theorem 6", constants.regret_bernstein),)
"""What is declared of the algorithm."""
