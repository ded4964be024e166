"""A few ratios that say the same on a busy machine: processor time of two things in turns, in one process.

For continuous integration, which compares them with stored ones. One side is a run without checks and the other that with all
of them; or a fixed piece of work, the yardstick, and a run; or a run and one four times as long. So each changes when the code
does, and hardly with the speed of the machine.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable

import numpy as np

from .checks import Cell, linear, off, on, random, rivers
from .lines import Line, Work, in_turns
from .speed import paper_size
from .workers import campaign

ROUNDS = 7

UCBLVD = Cell("ucblvd", "paper-size", "published")
LSVI = linear(10, 4, 10, 40, 60)


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


def checked(cell: Cell) -> Line:
    name = f"all checks against none, {cell.algorithm}, {cell.instance}, {cell.regime}"
    return Line(name, lambda: in_turns(playing(cell), lambda: on(cell), rounds=ROUNDS))


def measured(cell: Cell) -> Line:
    name = f"a run against the yardstick, {cell.algorithm}, {cell.instance}"
    return Line(name, lambda: in_turns(yardstick, playing(cell), rounds=ROUNDS))


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


def starting(*words: str) -> Work:
    return lambda: subprocess.run([sys.executable, *words], check=True, capture_output=True)


CHECKED = (
    UCBLVD,
    random("ucbvi-ch", 5, 3, 5, 100),
    LSVI,
    rivers("fmdp-bf", 3),
    Cell("lifelong-lsvi", "onehot", "published"),
    Cell("ravi-ucb-tabular", "random", "published"),
)

LINES = (
    *map(checked, CHECKED),
    *map(measured, (UCBLVD, random("ucbvi-ch", 20, 4, 20, 60), LSVI, rivers("fmdp-ch", 3))),
    longer(lambda K: paper_size("ucblvd", K), 1000),
    longer(lambda K: random("ucbvi-ch", 5, 3, 5, K), 60),
    Line(
        "a campaign of 32 empty trials against the yardstick, without its workers",
        lambda: in_turns(yardstick, lambda: campaign(0.0, 32, profile="quick", jobs=1), rounds=5),
    ),
    Line(
        "verifier list against the start of numpy",
        lambda: in_turns(starting("-c", "import numpy"), starting("-m", "verifier", "list"), children, rounds=5),
    ),
)
