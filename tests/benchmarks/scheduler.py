"""Simulation of a campaign on a cluster: how many workers one command keeps busy.

Two things are done one after the other, whatever the number of workers: what the command's process does for a trial (it sends it,
takes its result in and judges it), and what the scheduler of Dask does. Both are measured here, in processor time, and so are
the durations of trials and the sizes of their results. The simulation follows
`verifier.trials.cluster.runner`: as many trials are out as there are two for each worker, results are taken in as they come and
judged in the order of the trials, and no more than four for each worker wait for that.
"""

from __future__ import annotations

import contextlib
import heapq
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

import verifier
from verifier.base.profile import PROFILES, Tier
from verifier.trials.executor import AHEAD
from verifier.trials.stored import encode

from .checks import CELLS, on
from .lines import Line, Result, processor
from .workers import campaign

OUT = 2
"""Trials that are out for each worker, as in `ClusterRunner`."""

EACH = 200
"""Trials of each worker that are simulated: enough for the start and the end to be small."""

SEED = 38

CHECKED = "moss"
"""The algorithm, with as many claims as others, of whose trials it is measured what the command does for each."""


@dataclass(frozen=True)
class Costs:
    """Seconds of what is done for each trial, one trial after the other.

    Parameters
    ----------
    command : float
        In the process of the command.
    scheduler : float
    """

    command: float
    scheduler: float


def efficiency(workers: int, durations: Sequence[float], costs: Costs) -> float:
    """Share of the time of the workers in which they run trials, from the first to the last trial.

    Half of what the command does for a trial it does before it is sent, and half after its result has come.
    """
    command = scheduler = 0.0
    free = [0.0] * workers
    arriving: list[tuple[float, int]] = []
    came, sent, judged, out = set[int](), 0, 0, 0
    while judged < len(durations):
        if judged in came:
            came.discard(judged)
            judged += 1
        elif out < OUT * workers and sent < len(durations) and sent - judged < AHEAD * workers:
            command += costs.command / 2
            scheduler = max(scheduler, command) + costs.scheduler
            ends = max(heapq.heappop(free), scheduler) + durations[sent]
            heapq.heappush(free, ends)
            heapq.heappush(arriving, (ends, sent))
            sent, out = sent + 1, out + 1
        else:
            at, number = heapq.heappop(arriving)
            command = max(command, at) + costs.command / 2
            came.add(number)
            out -= 1
    return sum(durations) / (workers * command)


@cache
def trials() -> tuple[Sequence[float], float]:
    """Seconds of a trial with all checks, of each cell of the part `checks`, and the mean size of their results in bytes."""
    found, sizes = list[float](), list[int]()
    for cell in CELLS:
        on(cell)
        found.append(processor(lambda cell=cell: sizes.append(len(encode(on(cell))))) / 1e3)
    return tuple(found), float(np.mean(sizes))


class _Watched(threading.Thread):
    """Processor time of the scheduler of a cluster on this machine, looked at while it is there."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.seconds, self.ended = 0.0, threading.Event()

    def run(self) -> None:
        import psutil  # type: ignore[import-untyped,unused-ignore]  # it has no types; Dask brings it

        here = psutil.Process()
        while not self.ended.wait(0.1):
            for child in here.children():
                with contextlib.suppress(psutil.Error):
                    if "verifier.trials.cluster.local" in child.cmdline():
                        used = child.cpu_times()
                        self.seconds = max(self.seconds, used.user + used.system)


def _scheduler(tier: Tier) -> float:
    """Processor time of the scheduler, for a campaign of empty trials."""
    watched = _Watched()
    watched.start()
    campaign(0.0, tier, cluster="local:2")
    watched.ended.set()
    return watched.seconds


def _command(tier: Tier) -> tuple[float, int]:
    """Processor time of this process, and the number of trials, of a check of `CHECKED` whose trials run in workers."""
    reports = list[verifier.Report]()
    used = processor(lambda: reports.append(verifier.check(CHECKED, profile=tier, keep=False, jobs=2))) / 1e3
    return used, reports[0].record.algorithms[0].trials_finished


@cache
def costs() -> Costs:
    """What a trial costs, from campaigns of different length: what both have once is in neither."""
    (short, few), (long, many) = _command("quick"), _command("standard")
    more = PROFILES["standard"].trials - PROFILES["quick"].trials
    return Costs((long - short) / (many - few), (_scheduler("standard") - _scheduler("quick")) / more)


def busy(workers: int, times: float) -> Callable[[], Result]:
    """Measures the efficiency with trials as they are here, or so many times as long."""

    def measure() -> Result:
        drawn = times * np.random.default_rng(SEED).choice(trials()[0], EACH * workers)
        share = efficiency(workers, drawn.tolist(), costs())
        return Result(share, share, share)

    return measure


def plain(value: Callable[[], float]) -> Callable[[], Result]:
    """Measures one number."""

    def measure() -> Result:
        found = value()
        return Result(found, found, found)

    return measure


WORKERS = (10, 30, 100, 300, 1000)

LINES = (
    Line("mean of a trial with all checks, over the algorithms", plain(lambda: float(np.mean(trials()[0]))), unit="s"),
    Line("mean size of a result as it is sent", plain(lambda: trials()[1] / 1e6), unit="MB"),
    Line("the command, for each trial on a cluster", plain(lambda: 1e3 * costs().command)),
    Line("the scheduler of Dask, for each trial", plain(lambda: 1e3 * costs().scheduler)),
    *(
        Line(f"share of the time in which {workers} workers run trials, {words}", busy(workers, times), unit="")
        for times, words in ((1.0, "trials as they are"), (10.0, "trials ten times as long"))
        for workers in WORKERS
    ),
)
