"""A few ratios that say the same on a busy machine: processor time of two things in turns, in one process.

For continuous integration, which compares them with stored ones. *This* is a fixed piece of work, the yardstick, and *other* a
run without checks, or a trial with all of them: each by itself, because the ratio of these two gets worse when runs get faster.
Or the two are runs of different length, or commands. So each changes when the code does, and hardly with the speed of a machine.

False alarms: a failure needs a ratio of 1/0.7 = 1.43 times the stored one, twice. In 18 runs on two processors that other work
kept busy (a load of 3 to 7) no ratio was more than 1.24 times the median of its line, and logarithms had standard deviations of
2% to 9%. By the normal law that is 4.1 of them and more: 2e-5 for a measurement, below 1e-8 for a run of all lines, the second
measurement being independent of the first. Without a law: none of 270 measurements means at most 3/270 for each, with 95%
confidence, and 15 (3/270)^2 = 0.2% for a run.

That holds at the pace of the stored ratios. On a machine of the same name where the yardstick took three times as long, one
commit's ratios were 1.1 to 1.9 times the stored ones, and under load up to 1.5 times their own: processors that share caches with
others do not slow everything alike. So a ratio from another pace is told, and fails nothing (`Measured.comparable`).
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from tempfile import TemporaryDirectory

import numpy as np

from .checks import Cell, linear, off, on, random, rivers
from .lines import Line, Result, Work, in_turns
from .workers import campaign

ROUNDS = 7


def yardstick() -> float:
    """About 10 ms of what most runs are made of: a loop of the interpreter around small arrays and their sums."""
    laws = np.random.default_rng(0).dirichlet(np.ones(20), size=80)
    values, total = np.ones(20), 0.0
    for number in range(5000):
        state = number % 80
        total += float(laws[state] @ values)
        values = np.minimum(values + laws[state], 2.0)
    return total


def playing(cell: Cell) -> Work:
    instance = cell.scenario.draw(0)
    return lambda: off(cell, instance)


def run(cell: Cell) -> Line:
    name = f"a run without checks against the yardstick, {cell.algorithm}, {cell.instance}"
    return Line(name, lambda: in_turns(yardstick, playing(cell), rounds=ROUNDS))


def trial(cell: Cell) -> Line:
    name = f"a trial with all checks against the yardstick, {cell.algorithm}, {cell.instance}"
    return Line(name, lambda: in_turns(yardstick, lambda: on(cell), rounds=ROUNDS))


def longer(cell: Callable[[int], Cell], K: int) -> Line:
    name = cell(K).algorithm
    return Line(f"{4 * K} episodes against {K}, {name}", lambda: in_turns(playing(cell(K)), playing(cell(4 * K)), rounds=ROUNDS))


def children(work: Work) -> float:
    """Milliseconds of processor time of the processes that a call starts and waits for."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return 1e3 * (usage.ru_utime + usage.ru_stime)

    before = used()
    work()
    return used() - before


def listing() -> Result:
    return in_turns(starting("-c", "import numpy"), starting("-m", "verifier", "list"), children, rounds=5)


@cache
def bytecode() -> TemporaryDirectory[str]:
    """A folder for compiled modules, which lasts as long as this process."""
    return TemporaryDirectory()


def starting(*words: str) -> Work:
    """A start of Python; modules are compiled by the first and kept for the others, also where the environment says not to."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    kept["PYTHONPYCACHEPREFIX"] = bytecode().name
    return lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True, env=kept)


CELLS = (
    Cell("ucblvd", "paper-size", "published"),
    random("ucbvi-ch", 20, 4, 20, 60),
    linear(10, 4, 10, 40, 60),
    rivers("fmdp-bf", 3),
    Cell("lifelong-lsvi", "onehot", "published"),
    Cell("ravi-ucb-tabular", "random", "published"),
)

LINES = (
    *map(run, CELLS),
    *map(trial, CELLS),
    longer(lambda K: random("ucbvi-ch", 5, 3, 5, K), 60),
    Line(
        "a campaign of 32 empty trials against the yardstick, without its workers",
        lambda: in_turns(yardstick, lambda: campaign(0.0, "quick", jobs=1), rounds=5),
    ),
    Line("verifier list against the start of numpy", listing),
)
