"""Points and curves of a plot of scaling, where a logarithmic axis has a place for them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from statistics import median
from typing import Protocol

from verifier.record import Scaling

Points = list[tuple[float, float]]

FAR = 1e3
"""A curve that stays so many times above everything else is drawn above a break of the axis, or the data would be a flat line."""


class Sized(Protocol):
    """Point of a plot."""

    @property
    def size(self) -> float:
        """Coordinate along the horizontal axis."""
        ...

    @property
    def value(self) -> float:
        """Coordinate along the vertical axis."""
        ...


def positive(points: Iterable[Sized]) -> Points:
    """The points a logarithmic axis has a place for, by size."""
    pairs = ((point.size, point.value) for point in points)
    return sorted((x, y) for x, y in pairs if 0 < x < math.inf and 0 < y < math.inf)


def by_burn_in(found: Scaling) -> tuple[Points, Points]:
    """The trials that the fit uses, and those before them."""
    first = found.burn_in if found.burn_in is not None else 0.0
    data = positive(found.points)
    return [pair for pair in data if pair[0] >= first], [pair for pair in data if pair[0] < first]


def wrong(found: Scaling) -> Points:
    """The wrong algorithm: its median over seeds at each size."""
    seen = positive(found.power.points) if found.power else []
    return [(size, median(y for x, y in seen if x == size)) for size in dict.fromkeys(x for x, _ in seen)]


def top(found: Scaling) -> float:
    """The largest value that was measured or is stated."""
    data = positive(found.points) + positive(found.held_out) + positive(found.overlay) + wrong(found)
    return max((y for _, y in data), default=math.inf)


def bounds(found: Scaling, times: float = FAR) -> tuple[dict[str, Points], dict[str, Points]]:
    """The bound and the trivial bound: those near everything else, and those more than so many times above it."""
    curves = {name: positive(points) for name, points in (("bound", found.bound), ("trivial", found.trivial))}
    most = top(found)
    far = {name: curve for name, curve in curves.items() if curve and min(y for _, y in curve) > times * most}
    return {name: curve for name, curve in curves.items() if curve and name not in far}, far


def claimed_curve(found: Scaling) -> Points:
    """The claimed rate through the fitted curve at its smallest fitted size (or the median of the data there)."""
    anchor = _anchor(found)
    claimed = found.claimed
    if anchor is None:
        return []
    x0, y0 = anchor
    if told := positive(claimed.curve):
        start = _between(told, x0)
        return [(x0, y0), *((x, y0 * y / start) for x, y in told if x > x0)] if start else []
    last = max((x for x, _ in positive(found.points) + positive(found.held_out)), default=x0)
    sizes = [x0 * (last / x0) ** (step / 40) for step in range(41)]
    exponent, power = claimed.exponent, claimed.log_power

    def rate(x: float) -> float:
        return x**exponent * (math.log(x) ** power if power else 1.0)

    if (power and x0 <= 1) or not rate(x0) > 0:
        return []
    return [(x, y0 * rate(x) / rate(x0)) for x in sizes]


def _between(curve: Points, x: float) -> float:
    """The value of a curve at a size, straight on logarithmic axes between its points; 0 outside."""
    for (left, low), (right, high) in itertools.pairwise(curve):
        if left <= x <= right:
            share = math.log(x / left) / math.log(right / left)
            return float(low ** (1 - share) * high**share)
    return 0.0


def _anchor(found: Scaling) -> tuple[float, float] | None:
    first = found.burn_in if found.burn_in is not None else 0.0
    fitted = [pair for pair in positive(found.fit) if pair[0] >= first]
    if fitted:
        return fitted[0]
    data = [pair for pair in positive(found.points) if pair[0] >= first]
    return (data[0][0], median(y for x, y in data if x == data[0][0])) if data else None
