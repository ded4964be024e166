"""The standard streams of a process that was started without some of them (``verifier check NAME >&-``)."""

from __future__ import annotations

import os
import sys


def require_streams() -> None:
    """Put the null device in the place of each standard stream that is closed.

    Python has None for these. Worse, the next file that is opened gets the number of the stream, and what any library prints to
    it is then written into that file: into the store, for instance.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            os.set_inheritable(number, True)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  # open as long as the process lives
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # the same
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  # the same
