"""Use of time by a trial: processor time, and the time in which it wanted none.

A time limit by the clock gives other verdicts on a loaded machine. So two things are counted, each against the same limit: the
processor time of the worker and of all processes it has started; and the time they *waited*, in which no thread of theirs was at
work or ready for it, as in a sleep, at a lock or at a socket. A thread that is ready and gets no processor, since other programs
have them, counts for neither. The processes themselves are not asked: what they use is read from the system.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

KNOWN = sys.platform == "linux" and Path("/proc/self/stat").exists()
"""Whether this system tells."""

_TICKS = os.sysconf("SC_CLK_TCK") if KNOWN else 1

_READY = "RD"
"""Letters of threads that run, could run, or wait for the disk of the machine."""


class Process(NamedTuple):
    """A process: its parent, and the processor seconds of it and of those of its children that have ended."""

    parent: int
    seconds: float


def processes() -> dict[int, Process]:
    """Processes of the system, by id."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit() and (stat := _stat(f"/proc/{name}/stat")):
            found[int(name)] = Process(int(stat[1]), sum(map(int, stat[11:15])) / _TICKS)
    return found


def descendants(ancestor: int, table: Mapping[int, Process]) -> Iterator[int]:
    """A process that is in the table, and those it has started, directly or not."""
    children = defaultdict(list)
    for pid, process in table.items():
        children[process.parent].append(pid)
    found = [ancestor] if ancestor in table else []
    while found:
        yield (pid := found.pop())
        found += children[pid]


def ready(pid: int) -> bool:
    """Whether a thread of a process is at work or could be, if there were a processor for it."""
    with contextlib.suppress(OSError):
        return any((_stat(f"/proc/{pid}/task/{thread}/stat") or "?")[0] in _READY for thread in os.listdir(f"/proc/{pid}/task"))
    return False


@dataclass
class Account:
    """Time that the processes of a trial have used since the first entry.

    Parameters
    ----------
    pid : int
        The worker that runs the trial.

    Attributes
    ----------
    used : float
        Seconds of processor time.
    waited : float
        Seconds in which none of the processes was at work or ready for it.
    """

    pid: int
    used: float = field(default=0.0, init=False)
    waited: float = field(default=0.0, init=False)
    _before: float = field(default=0.0, init=False)
    _when: float | None = field(default=None, init=False)

    def over(self, limit: float) -> str:
        """Name of the limit that a trial has exceeded, in words; empty if none."""
        if self.used > limit:
            return f"{limit:g} s of processor time"
        return f"{limit:g} s of waiting, in which it used no processor" if self.waited > limit else ""

    def look(self, now: float, table: Mapping[int, Process]) -> None:
        """Add what was used since the last look.

        Parameters
        ----------
        now : float
            Seconds of a clock that goes on at all times.
        table : mapping of int to Process
            What `processes` gives at that time.
        """
        family = list(descendants(self.pid, table))
        self.add(now, sum(table[pid].seconds for pid in family), any(map(ready, family)))

    def add(self, now: float, seconds: float, busy: bool) -> None:
        """Add what was used since the last time, from the processor time so far and whether more is wanted.

        The time of a child that has ended is its parent's, if that waits for it. Otherwise the sum falls, and only what was used
        after the last look at the child is missed.
        """
        if self._when is not None:
            used = max(seconds - self._before, 0.0)
            self.used += used
            self.waited += 0.0 if busy else max(now - self._when - used, 0.0)
        self._before, self._when = seconds, now


def _stat(file: str) -> list[str]:
    """The fields of a process or thread from the third on; none if it has ended."""
    try:
        with open(file, errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()
    except OSError:
        return []
