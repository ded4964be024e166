"""Where episodes begin, how many there are, and how long: what is no law, no state or no run is refused by every setting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier_settings.episodic.instance import make
from verifier_settings.initial import initial_law, require_run


@pytest.mark.parametrize(("start", "law"), [(1, [0, 1, 0]), (np.int64(2), [0, 0, 1]), ([0.5, 0.25, 0.25], [0.5, 0.25, 0.25])])
def test_a_state_or_a_law(start: Any, law: list[float]) -> None:
    assert initial_law(start, 3).tolist() == law


@pytest.mark.parametrize("start", [-1, 3, 0.5, [1.0, 0.0], [0.5, 0.6, 0.0], [1.5, -0.5, 0.0], [np.nan, 1.0, 0.0]])
def test_what_is_neither_is_refused(start: Any) -> None:
    with pytest.raises(ContractError, match="expected a state"):
        initial_law(start, 3)


@pytest.mark.parametrize(("H", "K", "delta"), [(0, 5, 0.1), (3, 0, 0.1), (3, -2, 0.1), (3, 5, 0.0), (3, 5, 1.0), (3, 5, np.nan)])
def test_what_is_no_run_is_refused(H: int, K: int, delta: float) -> None:
    with pytest.raises(ContractError, match="expected at least one step"):
        require_run(H, K, delta)
    with pytest.raises(ContractError, match="expected at least one step"):
        make(np.ones((2, 1)), np.zeros(2), H=H, K=K, delta=delta)
    require_run(1, 1, 0.999)
