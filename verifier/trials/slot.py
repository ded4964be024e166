"""A trial between being pulled and being handed out, and what is known of the worker that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from verifier.model.result import TrialResult, TrialSpec
from verifier.trials import children
from verifier.trials.trace import ask_where, pid_in
from verifier.trials.usage import KNOWN, Account, Process, descendants

# A worker that is gone and has not answered is given up after so many looks at it: pebble tells how workers died, but takes
# one that ended with exit code 0 for one that is still at work.
GONE = 3


@dataclass
class Slot:
    """A trial between being pulled and being handed out.

    Parameters
    ----------
    spec : TrialSpec
    plugin : str
        That the algorithm is of.
    result : TrialResult, optional
        Once it is there.

    Attributes
    ----------
    last : float
        Seconds by the clock after which the pool ends it, if nobody has before.
    attempts : int
        How often the pool broke under it.
    gone : int
        How many looks found that its worker has left.
    account : Account or None
        What its worker has used, once it is known which one that is.
    over : str
        What of its time is over, in words.
    """

    spec: TrialSpec
    plugin: str
    result: TrialResult | None = None
    future: Future[str] | None = field(default=None, init=False)
    trace: Path = field(default_factory=Path, init=False)
    last: float = field(default=0.0, init=False)
    attempts: int = field(default=0, init=False)
    gone: int = field(default=0, init=False)
    account: Account | None = field(default=None, init=False)
    over: str = field(default="", init=False)

    def start(self, future: Future[str], trace: Path) -> None:
        """Note that workers have got the trial, perhaps not for the first time."""
        self.future, self.trace, self.account, self.gone = future, trace, None, 0

    def look(self, now: float, table: Mapping[int, Process], limit: float) -> None:
        """Give up on a trial whose time is over, or whose worker has left without a word.

        Parameters
        ----------
        now : float
            Seconds of a clock that goes on at all times.
        table : mapping of int to Process
            The processes of the system, where that tells.
        limit : float
            Seconds that the trial may use, and that it may wait.
        """
        pid = self.account.pid if self.account is not None else pid_in(self.trace)
        if not pid or self.future is None or self.future.done():
            return
        self.account = self.account or Account(pid)
        self.account.look(now, table)
        self.over = self.account.over(limit) if KNOWN else ""
        self.gone = 0 if children.exists(pid) else self.gone + 1
        if self.over:
            ask_where(descendants(pid, table), self.trace)
        if self.over or self.gone >= GONE:
            self.future.cancel()
            children.end_group(pid)  # at once: it may ignore the polite signal that the pool begins with
