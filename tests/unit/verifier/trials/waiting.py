"""For tests that wait for other processes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="uses /proc, sessions or limits of Linux")


def wait_for(condition: Callable[[], object], seconds: float = 20.0) -> bool:
    """Wait until a condition holds; False if it does not within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
