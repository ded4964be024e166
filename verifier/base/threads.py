"""Number of threads that Python code has started in this process."""

from __future__ import annotations

import _thread
import time

THREADS_END = 1.0
"""Seconds that threads are given to end after a run."""


def threads() -> int:
    """Number of threads that this process has started from Python, in whatever way, and that have not ended."""
    return _thread._count()


def threads_left(before: int) -> int:
    """Number of threads beyond those before; threads that are about to end are given time for it."""
    end = time.monotonic() + THREADS_END
    while (left := threads() - before) > 0 and time.monotonic() < end:
        time.sleep(0.01)
    return max(left, 0)
