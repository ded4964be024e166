"""Progress of a campaign under pytest: how many trials are finished, and each violation when it is found."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from verifier.base.plain import harmless

if TYPE_CHECKING:
    import pytest

    from verifier.commands.progress import Step

EVERY = 10.0
"""Seconds between two lines about how far it is, where lines cannot be written over."""


def shown_by(config: pytest.Config | None, clock: Callable[[], float] = time.monotonic) -> Callable[[Step], None]:
    """Listener for the steps of a campaign; it writes to the terminal of pytest, or of the process that started this one.

    Parameters
    ----------
    config : pytest.Config or None
        That of the test run; None for one that shows nothing.
    clock : callable
        The time in seconds.
    """
    if config is None or config.get_verbosity() < -1:
        return lambda step: None
    reporter: Any = config.pluginmanager.get_plugin("terminalreporter")
    capture: Any = config.pluginmanager.get_plugin("capturemanager")
    last = clock()

    def told(step: Step) -> None:
        nonlocal last
        far = f"verifier: {step.done} of at most {step.planned} trials; {harmless(step.running) or 'planning'}"
        due = reporter is not None and (reporter.isatty or clock() - last >= EVERY)
        if not (step.violated or due):
            return
        with capture.global_and_fixture_disabled() if capture else nullcontext():
            for found in step.violated:
                _line(reporter, f"✗ {harmless(found)}")
            if due and reporter.isatty:
                reporter.rewrite(far, erase=True)
            elif due:
                last = clock()
                _line(reporter, far)

    return told


def _line(reporter: Any, text: str) -> None:
    """A line of its own; a process of pytest-xdist has no reporter, and its standard error is that of the terminal."""
    if reporter is None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()
    else:
        reporter.ensure_newline()
        reporter.write_line(text)
