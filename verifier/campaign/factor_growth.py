"""Growth of a certified factor over a family of instances, as a power of their size.

Bounds on a factor at two sizes bound the exponent between them, log(factor there / factor here) / log(size there / size here). No
curve is fitted, so nothing is assumed of the sizes between them, and nothing is said of larger ones. The bounds on the exponent
hold whenever the intervals of the table do, which all hold together.

A family may also be one instance at several delta. The factor of a claim that may fail with probability delta is a quantile, of
another level at each of them, and takes more runs the smaller delta is. Its exponent is one of ln(1/delta).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from verifier.base.errors import UsageError, nearest
from verifier.campaign.factors import CONFIDENCE, NO_FACTORS, quantile_of
from verifier.campaign.selection import claim_id, matches_any, scenarios_of, selected
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim, Kind
from verifier.model.guarantees import Guarantees
from verifier.model.setting import DeltaFamily, Family
from verifier.plugins.registry import Registry
from verifier.record.tightness import FactorLine, GrowthEntry
from verifier.statistics import runs_needed

DELTA = "delta"
"""Name that stands for the family of one instance at several delta."""


def growth_of(lines: Sequence[FactorLine], family: Family[Any], left_out: tuple[int, ...] = ()) -> GrowthEntry:
    """The exponent of a claim's factor between the smallest and the largest size of a family.

    Parameters
    ----------
    lines : sequence of FactorLine
        Of the claim, on any instances.
    family : Family
    left_out : tuple of int
        Sizes at which nothing was measured, for the record.
    """
    by_name = {line.instance: line for line in lines}
    first, last = (by_name.get(family.member(size).name) for size in (family.sizes[0], family.sizes[-1]))
    entry = GrowthEntry(family.name, family.symbol, family.sizes, argument=family.argument, left_out=left_out)
    if first is None or last is None:
        return replace(entry, why=f"no factor at {family.symbol} = {family.sizes[0 if first is None else -1]}")
    span = math.log(family.value(family.sizes[-1]) / family.value(family.sizes[0]))
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


def where_promised(claim: Claim, family: Family[Any], publics: Mapping[str, Any]) -> Family[Any]:
    """The family at the sizes at which a claim promises something: where it may fail with probability 1 it has no quantile.

    It is the whole family of other kinds of claims, and where fewer than two sizes would be left.

    Parameters
    ----------
    claim : Claim
    family : Family
    publics : mapping of str to object
        What the agent may know, by the name of the instance.
    """
    if claim.kind is not Kind.PROBABILITY:
        return family
    named = {size: family.member(size).name for size in family.sizes}
    sizes = tuple(size for size, name in named.items() if not math.isnan(quantile_of(claim, publics.get(name))))
    return family if len(sizes) < 2 else replace(family, sizes=sizes)


def families_of(algorithm: type[Algorithm], registry: Registry) -> dict[str, Family[Any]]:
    """The families with sizes that an algorithm runs on, by name."""
    families = registry.setting(algorithm.setting).families
    return {each.name: each for each in families if each.sizes and matches_any((each.name,), algorithm.instances)}


def family_of(algorithm: type[Algorithm], registry: Registry, name: str) -> Family[Any]:
    """A family with sizes that an algorithm runs on.

    Raises
    ------
    UsageError
        If there is none of this name.
    """
    known = families_of(algorithm, registry)
    delta = (DELTA,) if has_delta(registry.guarantees_of(algorithm.name)) else ()
    if not known:
        instead = f", or give {DELTA}" if delta else ""
        raise UsageError(f"--growth: {algorithm.name} runs on no family of instances; leave it out{instead}")
    if name not in known:
        near = nearest(name, (*known, *delta))
        raise UsageError(f"--growth: {algorithm.name} has no family of instances {name!r}. {near}")
    return known[name]


def has_delta(guarantees: Guarantees) -> bool:
    """Whether some claim of an algorithm may fail with a probability that depends on delta."""
    return any(claim.kind is Kind.PROBABILITY and claim.failure_probability > 0 for claim in guarantees.claims)


def family_of_delta(guarantees: Guarantees, registry: Registry, patterns: Sequence[str] = ()) -> Family[Any]:
    """An instance at several delta.

    Parameters
    ----------
    guarantees : Guarantees
    registry : Registry
    patterns : sequence of str
        Of the name of the instance; without any it is the first one that a check runs more than once.

    Raises
    ------
    UsageError
        If the algorithm promises nothing with probability 1 - delta, the patterns select not one instance of its catalogue, or
        that has no delta.
    """
    algorithm = guarantees.algorithm
    if not has_delta(guarantees):
        raise UsageError(f"--growth {DELTA}: no claim of {algorithm.name} may fail with a probability that depends on delta")
    known = scenarios_of(algorithm, registry)
    wanted = [each for each in known if matches_any((each.name,), patterns)] if patterns else [e for e in known if e.share][:1]
    if len(wanted) != 1:
        which = ", ".join(each.name for each in wanted) or "none"
        near = nearest(patterns[0], [each.name for each in known]) if patterns and not wanted else "Give the name of one."
        raise UsageError(f"--growth {DELTA} measures on one instance; selected of {algorithm.name} are: {which}. {near}")
    (scenario,) = wanted
    instance = scenario.draw(0)
    public = getattr(instance, "public", None)
    if not is_dataclass(instance) or not is_dataclass(public) or "delta" not in {field.name for field in fields(public)}:
        raise UsageError(f"--growth {DELTA}: the instance {scenario.name} has no delta (`public.delta`)")
    return DeltaFamily.of(scenario)


def within_reach(family: Family[Any], guarantees: Guarantees, patterns: Sequence[str], runs: int) -> Family[Any]:
    """The family at the delta whose (1 - delta)-quantiles so many runs can bound from above, and at two of them at least.

    Parameters
    ----------
    family : Family
        Its sizes are 1/delta.
    guarantees : Guarantees
    patterns : sequence of str
        Of the claims that are measured: the error of the table is divided over them and the sizes.
    runs : int
        At each size. The choice depends on nothing else, so that no interval depends on it.
    """
    name = guarantees.name
    certified = sum(
        claim.kind.statistical and claim.kind not in NO_FACTORS and selected((claim.name, claim_id(name, claim)), patterns)
        for claim in guarantees.claims
    )
    level = (1.0 - CONFIDENCE) / max(1, certified * len(family.sizes))
    sizes = [size for size in family.sizes if runs_needed(1.0 - 1.0 / size, level / 2.0) <= runs]
    return replace(family, sizes=tuple(sizes) if len(sizes) > 1 else family.sizes[:2])
