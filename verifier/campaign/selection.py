"""Selection of a command: a profile, and patterns for claims, regimes and instances."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.base.errors import ContractError, NothingSelectedError, UsageError, nearest
from verifier.model.algorithm import Algorithm
from verifier.model.claim import Claim
from verifier.model.regime import Regime
from verifier.model.setting import Scenario, Setting
from verifier.plugins.registry import Registry


@dataclass(frozen=True)
class Selection:
    """Selection by the user; patterns are shell globs, empty means everything.

    Parameters
    ----------
    algorithms : tuple of str
        Names.
    claims, regimes, instances : tuple of str
        Patterns; a claim's is matched against its name and its id.
    """

    algorithms: tuple[str, ...]
    claims: tuple[str, ...] = ()
    regimes: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()


def matches_any(names: tuple[str, ...], patterns: Sequence[str]) -> bool:
    """Whether one of the names fits one of the patterns."""
    return any(name == pattern or fnmatch.fnmatchcase(name, pattern) for name in names for pattern in patterns)


def selected(names: tuple[str, ...], patterns: Sequence[str]) -> bool:
    """Whether something with these names is wanted; no pattern means everything is."""
    return not patterns or matches_any(names, patterns)


def claim_id(algorithm: str, claim: Claim) -> str:
    """The id ``ALGORITHM/CLAIM``."""
    return f"{algorithm}/{claim.name}"


def has_wildcard(pattern: str) -> bool:
    """Whether a pattern may fit more than itself (brackets occur in the names of regimes and do not count)."""
    return bool(set("*?") & set(pattern))


def _is_scaled(pattern: str) -> bool:
    return pattern.startswith("scaled(") and not has_wildcard(pattern)


def regime_pattern(text: str) -> str:
    """A pattern for regimes; the name of a scaled one as `Regime.name` writes it."""
    return Regime.parse(text).name if _is_scaled(text) else text


def regimes_of(algorithm: type[Algorithm], patterns: Sequence[str]) -> dict[str, Regime]:
    """The regimes of an algorithm by name, and any scaled one that is asked for by name."""
    asked = filter(_is_scaled, patterns)
    return {regime.name: regime for regime in map(Regime.parse, [*algorithm.regimes, *asked])}


def require_fitting(
    what: str,
    patterns: Sequence[str],
    known: Sequence[tuple[str, ...]],
    algorithms: Sequence[str],
    why: Callable[[str, str], str] = lambda pattern, near: near,
) -> None:
    """Check that every pattern without wildcards, and some pattern at all, fits something.

    Parameters
    ----------
    what : str
        What the patterns are for: ``claim``, ``regime`` or ``instance``.
    patterns : sequence of str
    known : sequence of tuple of str
        The names of each thing there is.
    algorithms : sequence of str
        Those that were asked for; without any there is nothing to check.
    why : callable
        Maps a pattern that fits nothing, and the hint at the nearest name, to the hint to give.

    Raises
    ------
    UsageError
        If a pattern names nothing there is.
    NothingSelectedError
        If nothing fits.
    """
    if not algorithms:
        return
    for pattern in patterns:
        if not has_wildcard(pattern) and not any(matches_any(names, (pattern,)) for names in known):
            near = nearest(pattern, [names[-1 if "/" in pattern else 0] for names in known])
            raise UsageError(f"{what} {pattern!r} is not known. {why(pattern, near)}")
    if not any(selected(names, patterns) for names in known):
        given = " ".join(f"--{what} {pattern!r}" for pattern in patterns) or f"the algorithms' own {what}s"
        shown = f"`verifier explain {algorithms[0]}` shows what there is"
        raise NothingSelectedError(f"{given}: no {what} fits; widen it ({shown})")


def why_no_instance(registry: Registry, algorithms: Sequence[str], pattern: str, near: str) -> str:
    """The hint where an instance is not known: what no algorithm handles of it, or where it would be looked for."""
    settings = {registry.guarantees_of(name).algorithm.setting for name in algorithms}
    found = (registry.setting(name).scenario(pattern) for name in sorted(settings))
    extends = next((sorted(scenario.extends) for scenario in found if scenario is not None), [])
    hint = f"It is {' and '.join(extends)}, which no selected algorithm handles (`Algorithm.handles`)." if extends else near
    return f"Instances in every size are for `verifier scale`, which chooses the sizes. {hint}" if "[" in pattern else hint


def require_scenarios(scenarios: Sequence[object]) -> None:
    """Check what a setting lists as instances.

    Raises
    ------
    ContractError
        If something is no scenario, or two have the same name.
    """
    for scenario in scenarios:
        if not isinstance(scenario, Scenario):
            raise ContractError(f"lists a {type(scenario).__name__}, expected verifier.model.setting.Scenario")
    names = [scenario.name for scenario in scenarios if isinstance(scenario, Scenario)]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ContractError(f"lists {', '.join(sorted(twice))} twice; rename one of them")


def scenarios_of(algorithm: type[Algorithm], registry: Registry, patterns: Sequence[str] = ()) -> list[Scenario[Any]]:
    """The instances of its setting that an algorithm is run on, and any outside the catalogue that is asked for by name.

    ``!`` before a pattern of `instances` excludes what it fits. Members of families are no instances of a check, and those that
    extend the plain problem by what the algorithm does not handle are none of its own.
    """
    setting = registry.setting(algorithm.setting)
    outside = [pattern[1:] for pattern in algorithm.instances if pattern.startswith("!")]
    found = [
        scenario
        for scenario in setting.catalogue
        if matches_any((scenario.name,), algorithm.instances)
        and not matches_any((scenario.name,), outside)
        and scenario.extends <= algorithm.handles
    ]
    known = {scenario.name for scenario in setting.catalogue}
    outside_catalogue = (pattern for pattern in patterns if pattern not in known and not _wild(pattern, setting))
    asked = (setting.scenario(pattern) for pattern in outside_catalogue)
    handled = (scenario for scenario in asked if scenario is not None and scenario.extends <= algorithm.handles)
    return found + [scenario for scenario in handled if not scenario.family]


def _wild(pattern: str, setting: Setting[Any, Any]) -> bool:
    """Whether a pattern may fit more than itself; one that begins like the names of a source is the name of an instance."""
    return has_wildcard(pattern) and not pattern.startswith(tuple(setting.sources))
