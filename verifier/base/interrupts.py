"""Ctrl-C that arrives where no exception can leave: in a finalizer, which Python would print and forget."""

from __future__ import annotations

import _thread
import sys
import threading
from typing import Any

MOMENT = 0.02
"""Seconds after which it comes again; finalizers take less."""


def come_again() -> None:
    """Let an interrupt inside a finalizer (``__del__``) come again a moment later, with nothing printed of it."""
    before = sys.unraisablehook

    def hook(unraisable: Any) -> None:
        if issubclass(unraisable.exc_type, KeyboardInterrupt):
            timer = threading.Timer(MOMENT, _thread.interrupt_main)
            timer.daemon = True
            timer.start()
        else:
            before(unraisable)

    sys.unraisablehook = hook
