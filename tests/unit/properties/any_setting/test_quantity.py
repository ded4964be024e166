"""Quantities of scaling claims: one number for each run, and its course along the run."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.model.measurement import NOTHING, measure
from verifier_properties.any_setting.quantity import PARTS, mean_of


def test_the_mean_of_a_run_has_a_point_in_each_part_of_it() -> None:
    found = measure(mean_of(np.arange(1000.0)))
    assert (found.value, found.comparisons) == (499.5, 1)
    assert found.curve == pytest.approx(tuple(24.5 + 50 * part for part in range(PARTS)))
    assert NOTHING.merge(found).curve == found.curve


def test_a_short_run_has_a_part_for_each_episode() -> None:
    assert measure(mean_of(np.array([1.0, 4.0]))).curve == (1.0, 4.0)
