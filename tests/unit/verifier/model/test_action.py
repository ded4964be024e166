"""An action is a whole number of 0..A-1, whatever holds it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from verifier.base.errors import ContractError
from verifier.model.action import require_action


@pytest.mark.parametrize("given", [1, np.int32(1), np.array(1), np.array([1]), np.array([[1]]), True])
def test_a_whole_number_is_taken(given: Any) -> None:
    assert require_action(given, 2, "act(s) returned") == 1


@pytest.mark.parametrize("given", [None, 2, -1, 1.0, np.array([0.5]), np.array([0, 1]), "1"])
def test_anything_else_is_refused(given: Any) -> None:
    with pytest.raises(ContractError, match=r"^act\(s\) returned .*; expected an action, a whole number from 0 to 1") as caught:
        require_action(given, 2, "act(s) returned", lambda: " (mine.py:3)")
    assert str(caught.value).endswith(" (mine.py:3)")
    assert ("is a `return` missing?" in str(caught.value)) is (given is None)
