"""Growth of the regret of FMDP-BF."""

from __future__ import annotations

from verifier_fmdp.shared import constants
from verifier_fmdp.shared.scaling import regret_scaling

SCALING = regret_scaling("Theorem 6", constants.regret_bernstein)
"""Scaling claims of the algorithm."""
