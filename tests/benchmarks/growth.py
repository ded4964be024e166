"""How the time of a trial with all checks grows with the size of its instance: exponents, fitted by least squares of logarithms.

What is fitted to is the median time at each size, and the interval is Student's at 95%, with as many degrees of freedom as
there are sizes beyond two. It is exact if the logarithms lie on a line up to independent normal errors of one variance. The
exponent of a sum of terms lies between theirs, and small sizes have fixed costs, so exponents are below what counting operations
gives; that is the bound, and it is missed where the whole interval lies above.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from verifier_settings import discounted

from .checks import Cell, linear, on, random, rivers
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


def grown(cells: Sequence[Cell], sizes: Sequence[int]) -> Callable[[], Result]:
    """Measures the exponent over these cells; sizes are measured in turns."""

    def measure() -> Result:
        on(cells[0])
        rounds = [[processor(lambda cell=cell: on(cell)) for cell in cells] for _ in range(ROUNDS)]
        return exponent(sizes, [statistics.median(times) for times in zip(*rounds, strict=True)])

    return measure


def epochs(T: int) -> Cell:
    return Cell("ravi-ucb-tabular", f"{T} steps", "published", partial(discounted.generators.random, X=5, A=2, gamma=0.8, T=T))


def line(algorithm: str, symbol: str, cell: Callable[[int], Cell], sizes: Sequence[int], most: float, of: str) -> Line:
    told = ", ".join(map(str, sizes))
    measure = grown([cell(size) for size in sizes], sizes)
    return Line(f"{algorithm}, exponent of {symbol}: {symbol} = {told}; {of}", measure, Target(most), unit="", fitted=True)


SIZES = (10, 20, 40, 70, 110, 160)
PAIRS = (16, 64, 256, 1024, 4096)

LINES = (
    line("ucblvd", "K", lambda K: paper_size("ucblvd", K), (3000, 10_000, 30_000, 100_000), 1.0, "(15, 4, 5, 5, 5)"),
    line("ucbvi-ch", "K", lambda K: random("ucbvi-ch", 5, 3, 5, K), (300, 1000, 3000, 10_000), 1.0, "S, A, H = 5, 3, 5"),
    line("ucbvi-ch", "S", lambda S: random("ucbvi-ch", S, 4, 10, 60), SIZES, 2.0, "A, H, K = 4, 10, 60"),
    line("lsvi-ucb", "K", lambda K: linear(10, 4, 10, 40, K), (60, 120, 240, 480), 1.0, "S, A, H, d = 10, 4, 10, 40"),
    line("lsvi-ucb", "d", lambda d: linear(40, 4, 5, d, 60), SIZES, 3.0, "S, A, H, K = 40, 4, 5, 60"),
    line("fmdp-ch", "|S x A|", lambda pairs: rivers("fmdp-ch", round(math.log(pairs, 4))), PAIRS, 1.5, "H, K = 5, 40"),
    line("ravi-ucb-tabular", "T", epochs, (10_000, 30_000, 100_000, 300_000), 1.0, "X, A = 5, 2"),
)
