"""How the time of a trial with all checks grows with the size of its instance: exponents, fitted by least squares of logarithms.

What is fitted to is the median time at each size, and the interval is Student's at 95%, with as many degrees of freedom as
there are sizes beyond two. It is exact if the logarithms lie on a line up to independent normal errors of one variance. The
exponent of a sum of terms lies between theirs, and small sizes have fixed costs, so exponents are below what counting operations
gives; that is the bound, and it is missed where the whole interval lies above.
"""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from verifier_settings import discounted

from .checks import Cell, linear, off, on, random, rivers
from .lines import Line, Result, Target, processor
from .speed import paper_size

CONFIDENCE = 0.95
ROUNDS = 3


def exponent(sizes: Sequence[float], times: Sequence[float]) -> Result:
    """The slope of log time over log size, and its confidence interval."""
    from scipy import stats  # a second to import, and tests import this module for its names

    fitted = stats.linregress(np.log(sizes), np.log(times))
    slope, margin = float(fitted.slope), float(fitted.stderr * stats.t.ppf(0.5 + CONFIDENCE / 2, len(sizes) - 2))
    return Result(slope, slope - margin, slope + margin)


def grown(cells: Sequence[Cell], sizes: Sequence[int], checked: bool = True) -> Callable[[], Result]:
    """Measures the exponent over these cells; sizes are measured in turns."""

    def once(cell: Cell) -> float:
        if checked:
            return processor(lambda: on(cell))
        instance = cell.scenario.draw(0)
        return processor(lambda: off(cell, instance))

    def measure() -> Result:
        once(cells[0])
        rounds = [[once(cell) for cell in cells] for _ in range(ROUNDS)]
        return exponent(sizes, [statistics.median(times) for times in zip(*rounds, strict=True)])

    return measure


PEAK = """
import re, sys
from pathlib import Path
from tests.benchmarks.checks import on
from tests.benchmarks.growth import CELLS

on(CELLS[sys.argv[1]](int(sys.argv[2])))
print(int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) / 1024)
"""


def peak(name: str, size: int) -> float:
    """Megabytes of a process that runs one trial with all checks; nothing else was run in it."""
    return float(subprocess.run([sys.executable, "-c", PEAK, name, str(size)], check=True, capture_output=True, text=True).stdout)


def memory(name: str, symbol: str, small: int, large: int) -> Line:
    """Memory of a trial at a size and at another one."""

    def measure() -> Result:
        this, other = peak(name, small), peak(name, large)
        return Result(this, other / this, other / this, other, other / this)

    return Line(f"{name}, memory of a trial at {symbol} = {small} and {large}", measure, unit="MB")


def epochs(T: int) -> Cell:
    return Cell("ravi-ucb-tabular", f"{T} steps", "published", partial(discounted.generators.random, X=5, A=2, gamma=0.8, T=T))


def line(
    algorithm: str, symbol: str, cell: Callable[[int], Cell], sizes: Sequence[int], most: float, of: str, checked: bool = True
) -> Line:
    told = ", ".join(map(str, sizes))
    measure, how = grown([cell(size) for size in sizes], sizes, checked), "" if checked else ", without checks"
    return Line(f"{algorithm}{how}, exponent of {symbol}: {symbol} = {told}; {of}", measure, Target(most), unit="", fitted=True)


def both(
    algorithm: str, symbol: str, cell: Callable[[int], Cell], sizes: Sequence[int], most: float, of: str
) -> tuple[Line, Line]:
    """With checks and without."""
    return line(algorithm, symbol, cell, sizes, most, of), line(algorithm, symbol, cell, sizes, most, of, checked=False)


SIZES = (10, 20, 40, 70, 110, 160)
PAIRS = (16, 64, 256, 1024, 4096)

DECADES = (1000, 10_000, 100_000, 1_000_000)
EPISODES = (30, 300, 3000, 30_000)
ACTIONS, STEPS = (2, 4, 8, 16, 32), (3, 6, 12, 24, 48)

CELLS: dict[str, Callable[[int], Cell]] = {
    "ucblvd": lambda K: paper_size("ucblvd", K),
    "ucbvi-ch": lambda K: random("ucbvi-ch", 5, 3, 5, K),
    "ravi-ucb-tabular": epochs,
}
"""Cells of which the run is made longer, by algorithm."""

LINES = (
    *both("ucblvd", "K", CELLS["ucblvd"], DECADES, 1.0, "(15, 4, 5, 5, 5)"),
    *both("ucbvi-ch", "K", CELLS["ucbvi-ch"], EPISODES, 1.0, "S, A, H = 5, 3, 5"),
    *both("ucbvi-ch", "S", lambda S: random("ucbvi-ch", S, 4, 10, 60), SIZES, 2.0, "A, H, K = 4, 10, 60"),
    *both("ucbvi-ch", "A", lambda A: random("ucbvi-ch", 10, A, 10, 60), ACTIONS, 1.0, "S, H, K = 10, 10, 60"),
    *both("ucbvi-ch", "H", lambda H: random("ucbvi-ch", 10, 4, H, 60), STEPS, 1.0, "S, A, K = 10, 4, 60"),
    line("lsvi-ucb", "K", lambda K: linear(10, 4, 10, 40, K), (60, 120, 240, 480), 1.0, "S, A, H, d = 10, 4, 10, 40"),
    *both("lsvi-ucb", "d", lambda d: linear(40, 4, 5, d, 60), SIZES, 3.0, "S, A, H, K = 40, 4, 5, 60"),
    line("fmdp-ch", "|S x A|", lambda pairs: rivers("fmdp-ch", round(math.log(pairs, 4))), PAIRS, 1.5, "H, K = 5, 40"),
    line("ravi-ucb-tabular", "T", CELLS["ravi-ucb-tabular"], (10_000, 30_000, 100_000, 300_000), 1.0, "X, A = 5, 2"),
    memory("ucblvd", "K", 1000, 1_000_000),
    memory("ucbvi-ch", "K", 30, 30_000),
    memory("ravi-ucb-tabular", "T", 10_000, 300_000),
)
