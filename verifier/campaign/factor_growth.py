"""Growth of a certified factor over a family of instances, as a power of their size.

Bounds on a factor at two sizes bound the exponent between them, log(factor there / factor here) / log(size there / size here). No
curve is fitted, so nothing is assumed of the sizes between them, and nothing is said of larger ones. The bounds on the exponent
hold whenever the intervals of the table do, which all hold together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from verifier.base.errors import UsageError, nearest
from verifier.campaign.selection import matches_any
from verifier.model.algorithm import Algorithm
from verifier.model.setting import Family
from verifier.plugins.registry import Registry
from verifier.record.tightness import FactorLine, GrowthEntry


def growth_of(lines: Sequence[FactorLine], family: Family[object]) -> GrowthEntry:
    """The exponent of a claim's factor between the smallest and the largest size of a family.

    Parameters
    ----------
    lines : sequence of FactorLine
        Of the claim, on any instances.
    family : Family
    """
    by_name = {line.instance: line for line in lines}
    first, last = (by_name.get(family.member(size).name) for size in (family.sizes[0], family.sizes[-1]))
    entry = GrowthEntry(family.name, family.symbol, family.sizes)
    if first is None or last is None:
        return replace(entry, why=f"no factor at {family.symbol} = {family.sizes[0 if first is None else -1]}")
    span = math.log(family.sizes[-1] / family.sizes[0])
    seen = _log(last.largest, first.largest) / span
    if math.isnan(first.low) or math.isnan(last.low):
        why = first.why or last.why or "not certified"
        return replace(entry, seen=seen, why=why)
    low, high = _log(last.low, first.high) / span, _log(last.high, first.low) / span
    return replace(entry, seen=seen, low=low, high=high, why=first.why or last.why)


def _log(above: float, below: float) -> float:
    """Logarithm of a quotient of numbers that may be 0 or infinite; not a number where both are."""
    if (above == 0 and below == 0) or (math.isinf(above) and math.isinf(below)):
        return math.nan
    if above == 0 or math.isinf(below):
        return -math.inf
    return math.inf if below == 0 or math.isinf(above) else math.log(above / below)


def families_of(algorithm: type[Algorithm], registry: Registry) -> dict[str, Family[object]]:
    """The families with sizes that an algorithm runs on, by name."""
    families = registry.setting(algorithm.setting).families
    return {each.name: each for each in families if each.sizes and matches_any((each.name,), algorithm.instances)}


def family_of(algorithm: type[Algorithm], registry: Registry, name: str) -> Family[object]:
    """A family with sizes that an algorithm runs on.

    Raises
    ------
    UsageError
        If there is none of this name.
    """
    known = families_of(algorithm, registry)
    if not known:
        raise UsageError(f"--growth: {algorithm.name} runs on no family of instances; leave it out")
    if name not in known:
        raise UsageError(f"--growth: {algorithm.name} has no family of instances {name!r}. {nearest(name, known)}")
    return known[name]
