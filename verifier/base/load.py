"""How much longer things take because other programs run too."""

from __future__ import annotations

import os

MOST = 10.0
"""Time limits grow by no larger factor, so that what hangs is ended in the end."""


def crowding() -> float:
    """The factor by which time limits grow on a busy machine: processes that want to run, for each processor, from 1 to `MOST`.

    A time limit is wall-clock time, since what waits for ever takes no processor time. What would end in half of it on an idle
    machine must not be called a failure where eight others run on the same processor.
    """
    try:
        waiting = os.getloadavg()[0]
    except (AttributeError, OSError):  # no such system
        return 1.0
    return min(max(waiting / (os.cpu_count() or 1), 1.0), MOST)
