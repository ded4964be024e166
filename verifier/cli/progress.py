"""Progress of a command: a line that names what is running, and each violation when it is found."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from verifier.base.plain import harmless
from verifier.cli.output import say
from verifier.commands.progress import Progress, Step, silent

_RUNNING = 44
"""Columns for the name of what is running."""

_SPINNER = 2
"""Columns for what moves while nothing else does."""


def plain() -> bool:
    """Whether the terminal says of itself that it can do nothing but print."""
    return os.environ.get("TERM") in ("dumb", "unknown")


@contextmanager
def progress_line(quiet: bool = False) -> Iterator[Progress]:
    """Listener for the steps: a line that changes on a terminal, a line for each violation on a plain one, else silence."""
    if quiet or not sys.stderr.isatty():
        yield silent
    elif plain():
        yield _violations
    else:
        with _bar() as told:
            yield told


def _violations(step: Step) -> None:
    for found in step.violated:
        say(f"✗ {found}", err=True)


@contextmanager
def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    with Progress(SpinnerColumn(), TextColumn("{task.description}", markup=False), console=console, transient=True) as display:
        task = display.add_task("planning", total=None)

        def told(step: Step) -> None:
            for found in step.violated:
                display.console.print(Text(f"✗ {harmless(found)}", style="bold red"), soft_wrap=True)
            display.update(task, description=_cut(line(step), console.width - _SPINNER))

        yield told


def line(step: Step) -> str:
    """Progress of a command, with what was found first: the end is cut where the terminal is narrow."""
    failing = f"{step.failing} violated" if step.failing else "none violated"
    found = f"{step.checked} of {step.claims} claims checked, {failing}" if step.checked else ""
    running = _cut(harmless(step.running).partition(", trial ")[0], _RUNNING)
    trials = f"{step.done} trial{'s' * (step.done != 1)}"
    left = f", budget left {max(step.left, 0):.0f} s" if math.isfinite(step.left) else ""
    return "; ".join(part for part in (found, running, trials + left) if part)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1] + "…"
