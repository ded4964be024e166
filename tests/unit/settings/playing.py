"""What is asked of `play` in every setting that has it."""

from __future__ import annotations

from typing import Any

import pytest

from verifier.base.arrays import IntArray
from verifier.base.errors import ContractError


def played_at_the_wrong_time_is_refused(env: Any, policy: IntArray) -> None:
    """In the middle of the first episode, which has just begun and has three steps, and after it."""
    env.step(0)
    with pytest.raises(ContractError, match="in the middle of episode 1"):
        env.play(policy)
    env.step(0)
    env.step(0)
    with pytest.raises(ContractError, match="before begin_episode"):
        env.play(policy)
