"""Widths of a plan and the value functions they were asked with, put together by step."""

from __future__ import annotations

import numpy as np
import pytest

from verifier.base.arrays import Array
from verifier.base.errors import ContractError
from verifier_settings.sessions import by_step

GIVEN = {1: (0.5, np.ones(3)), 0: (0.25, np.arange(3.0))}


def test_they_are_in_the_order_of_the_steps() -> None:
    width, handed = by_step(GIVEN, 2, 3)
    assert width.tolist() == [0.25, 0.5]
    assert handed.tolist() == [[0.0, 1.0, 2.0], [1.0, 1.0, 1.0]]


@pytest.mark.parametrize(
    ("step", "target", "message"),
    [
        (2, np.ones(3), r"width\(step=2\) was asked for; expected a step 0\.\.1"),
        (1, np.ones(4), r"width\(step=1\) was handed a value function of shape \(4,\), expected \(3,\), finite"),
        (
            1,
            np.array([0.0, np.inf, 0.0]),
            r"of shape \(3,\), expected \(3,\), finite",
        ),
    ],
)
def test_what_is_refused(step: int, target: Array, message: str) -> None:
    with pytest.raises(ContractError, match=message):
        by_step({**GIVEN, step: (1.0, target)}, 2, 3)
