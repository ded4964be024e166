from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from verifier_properties.factored import counting

# one pair in four cells of the reward's scope is visited all the time; the transition's scope has one cell
PUBLIC: Any = SimpleNamespace(
    n=1, m=1, H=2, K=3, T=6, S=2, A=2, delta=0.1, transition_scopes=((),), reward_scopes=((0,),),
    cell_count=lambda scope: 4 if scope else 1,
    cells=lambda scope: np.arange(4) if scope else np.zeros(4, dtype=int),
)  # fmt: skip


class _Run:
    """Visits before three episodes of two steps, all at pair 0, as expected."""

    public = PUBLIC
    pairs = np.zeros((3, 2), dtype=int)
    visits = np.outer([0.0, 2.0, 4.0], [1.0, 0.0, 0.0, 0.0])
    weights = visits
    series = SimpleNamespace(expected=np.outer([2.0, 2.0, 2.0], [1.0, 0.0, 0.0, 0.0]))

    def once(self, function: Any) -> Any:
        return function(self)

    def by_cell(self, per_pair: Any, scope: Any) -> Any:
        return per_pair @ (PUBLIC.cells(scope)[:, None] == np.arange(PUBLIC.cell_count(scope)))


@pytest.mark.parametrize("sums", [counting.inverse_sum, counting.visit_sum, counting.expected_visits])
def test_sums_are_over_the_scopes_of_transitions_and_of_rewards(sums: Any) -> None:
    found = sums.function(_Run())
    assert np.shape(found.bound) == (2,)
    assert found.bound[1] > found.bound[0]  # four cells, not one


@pytest.mark.parametrize("sums", [counting.root_sum, counting.quarter_sum])
def test_two_scopes_of_a_sum_are_of_one_kind(sums: Any) -> None:
    found = sums.function(_Run())
    assert np.shape(found.bound) == (2, 2)
    assert np.array_equal(found.premise, np.eye(2, dtype=bool))
