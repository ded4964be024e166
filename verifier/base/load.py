"""Factor by which things take longer because other programs run too."""

from __future__ import annotations

import math
import os

MOST = 10.0
"""Time limits grow by no larger factor, so that what hangs is ended in the end."""


def crowding() -> float:
    """The factor by which time limits grow on a busy machine: processes that want to run, for each processor, from 1 to `MOST`.

    Where the system tells, processor time is counted instead, see `delayed` and `verifier.trials.usage`. Where it does not, a
    time limit is by the clock, since what waits for ever takes no processor time; and what would end in half of it on an idle
    machine must not be called a failure where eight others run on the same processor.
    """
    try:
        waiting = os.getloadavg()[0]
    except (AttributeError, OSError):  # no such system
        return 1.0
    return min(max(waiting / (os.cpu_count() or 1), 1.0), MOST)


def delayed() -> float:
    """Seconds in which the main thread of this process was ready to run while others had the processors; NaN if nobody tells."""
    try:
        with open("/proc/self/schedstat") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return math.nan
