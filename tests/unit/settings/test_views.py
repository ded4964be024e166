"""Nothing that views hand to properties can be changed: all properties of a run are given the same objects."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pytest

from verifier.model.claim import Claim, Kind
from verifier.model.inequality import UNBOUNDED, Inequality
from verifier.model.property import Property, Scope
from verifier.model.result import TrialSpec
from verifier.plugins.registry import registry
from verifier.trials.trial import run
from verifier_settings.views import Reported

ALGORITHMS = {each.algorithm.setting: name for name, each in reversed(registry().guarantees.items())}
"""One of each setting."""

DEEP = 6


def lazily(value: Any) -> Iterator[str]:
    """Names of what an object computes when it is first asked for."""
    for cls in type(value).__mro__:
        for name, attribute in vars(cls).items():
            if isinstance(attribute, (functools.cached_property, property, Reported)) and not name.startswith("__"):
                yield name


def writable(value: Any, path: str, seen: dict[int, Any], deep: int = DEEP) -> Iterator[str]:
    """Places of arrays that can be changed."""
    if isinstance(value, np.ndarray):
        if value.flags.writeable and value.size:
            yield path
        return
    if id(value) in seen or deep == 0 or isinstance(value, (str, bytes, int, float, type, np.generic, type(None))):
        return
    seen[id(value)] = value
    if isinstance(value, Mapping):
        inside = [(f"{path}[{key!r}]", item) for key, item in list(value.items())[:3]]
    elif isinstance(value, Sequence):
        inside = [(f"{path}[{number}]", item) for number, item in enumerate(value[:2])]
    elif is_dataclass(value) or type(value).__module__.startswith("verifier"):
        names = {*(vars(value) if hasattr(value, "__dict__") else ()), *lazily(value)}
        names |= {field.name for field in fields(value)} if is_dataclass(value) else set()
        inside = []
        for name in sorted(names):
            try:
                item, again = getattr(value, name), getattr(value, name)
            except Exception:  # what this algorithm does not report
                continue
            if item is again or not isinstance(item, np.ndarray) or np.shares_memory(item, again):
                inside.append((f"{path}.{name}", item))  # else it is made anew for each who asks
    else:
        inside = []
    for place, item in inside:
        yield from writable(item, place, seen, deep - 1)


def handed_out(algorithm: str) -> tuple[list[str], int]:
    """Places of writable arrays in all views of a short run, and how many views there were."""
    guarantees = registry(algorithm).guarantees_of(algorithm)
    regime = "oracle" if "oracle" in guarantees.algorithm.regimes else guarantees.algorithm.regimes[0]
    setting = registry(algorithm).setting(guarantees.algorithm.setting)
    found: dict[str, None] = {}
    views = 0

    def look(view: Any) -> Inequality:
        nonlocal views
        views += 1
        found.update(dict.fromkeys(writable(view, type(view).__name__, {})))
        return Inequality(np.zeros(1), np.zeros(1), trivial=UNBOUNDED, axes=("k",))

    scopes: tuple[Scope, ...] = ("phase", "run", "fork")
    claims = tuple(Claim(scope, Property(scope, scope, look, frozenset(), ""), "", "", "", Kind.ALWAYS) for scope in scopes)
    result = run(TrialSpec(algorithm, smallest(guarantees, setting), regime, 0, 0), replace(guarantees, claims=claims), setting)
    assert result.error is None, result.error
    return list(found), views


def smallest(guarantees: Any, setting: Any) -> str:
    """An instance with few states and episodes."""
    from verifier.campaign.selection import scenarios_of

    scenarios = scenarios_of(guarantees.algorithm, registry(guarantees.name))

    def size(scenario: Any) -> float:
        sizes = setting.parameters(scenario.draw(0))
        return float(np.prod([sizes.get(name, 1) for name in ("S", "A", "H", "K", "T", "T1", "T2")]))

    return min(scenarios, key=size).name


@pytest.mark.parametrize("setting", ALGORITHMS)
def test_what_views_hand_out_cannot_be_changed(setting: str) -> None:
    found, views = handed_out(ALGORITHMS[setting])
    assert found == []
    assert views >= 3
