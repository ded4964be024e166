from __future__ import annotations

import math

import pytest

from verifier_lsvi_rfe.errata.sizes import sizes
from verifier_lsvi_rfe.shared import constants

RATIOS = (0.5, 0.99, 1.0, 1.01, 2.0, 100.0)
"""||phi / sigma-hat|| in the norm of Lambda-hat^-1; the lemmas' sums cut it at 1."""


@pytest.mark.parametrize("H", [1, 2, 3, 10])
@pytest.mark.parametrize("bonuses", [2, 4])
@pytest.mark.parametrize("radius", [0.0, 0.25, 0.4, 0.5, 0.6, 3.0])
def test_cut_bonuses_are_at_most_weighted_norms_cut_at_one(H: int, bonuses: int, radius: float) -> None:
    """The step of Lemmas A.18 to A.20 that needs a radius that is not too small, at the least weight sigma-hat^2 = H."""
    weight, beta = math.sqrt(H), radius * math.sqrt(H)
    enough = constants.at_least(sizes(d=2, H=H, K=10), beta, bonuses)
    for ratio in RATIOS:
        cut = min(bonuses * beta * weight * ratio, H)
        assert cut <= bonuses * enough * weight * min(ratio, 1.0) * (1 + 1e-12), (ratio, enough)


def test_the_sum_of_weights_has_two_bonuses_a_step_and_that_of_values_four() -> None:
    """Lemma A.19 has W/H <= P V + zeta + 2 beta ||phi||, so sqrt(H)/2 stands for smaller radii; V in A.20 has 4 beta ||phi||."""
    public = sizes(d=2, H=4, K=1000)
    least = math.sqrt(public.H)
    assert constants.weight_sum(public, 0.0) == constants.weight_sum(public, least / 2)
    assert constants.weight_sum(public, least / 4) == constants.weight_sum(public, least / 2)
    assert constants.weight_sum(public, 1.1 * least / 2) > constants.weight_sum(public, least / 2)
    assert constants.exploration_sum(public, 0.0, 1.0) == constants.exploration_sum(public, least / 4, 1.0)
    assert constants.exploration_sum(public, 1.1 * least / 4, 1.0) > constants.exploration_sum(public, least / 4, 1.0)
