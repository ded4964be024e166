"""How much work the profiles allow."""

from __future__ import annotations

import pytest

from verifier.base.profile import PROFILES


@pytest.mark.parametrize(("bugs", "times"), [(0, 4.0), (32, 4.0), (40, 5.0), (200, 25.0)])
def test_the_budget_of_power_grows_with_the_planted_bugs(bugs: int, times: float) -> None:
    for profile in PROFILES.values():
        assert profile.for_power(bugs).budget == times * profile.budget
        assert profile.for_power(bugs).within(7.0).budget == 7.0
