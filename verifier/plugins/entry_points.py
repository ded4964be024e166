"""Entry points installed under the group of the plugins, read without an import."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path

from verifier.base.version import DISTRIBUTION
from verifier.plugins.distributions import described, entry_points

GROUP = "verifier"

HARNESS = ("verifier", "verifier_settings", "verifier_properties")
"""Packages of the harness itself, with the settings and properties that come with it."""


def distribution(entry: metadata.EntryPoint) -> tuple[str, str]:
    """Name and version of the distribution of an entry point; question marks where its metadata do not tell."""
    return ("?", "?") if entry.dist is None else described(entry.dist)


def is_own(entry: metadata.EntryPoint) -> bool:
    """Whether a plugin is one of those that come with the harness."""
    return distribution(entry)[0] == DISTRIBUTION


def ordered(entries: Iterable[metadata.EntryPoint]) -> list[metadata.EntryPoint]:
    """Entry points in the order of their names, the harness's own first: the first to use a name has it."""
    return sorted(entries, key=lambda entry: (not is_own(entry), entry.name, entry.value))


def has_folder(entry: metadata.EntryPoint, name: str) -> bool:
    """Whether the package of an entry point has a folder for an algorithm of this name."""
    try:
        found = importlib.util.find_spec(top(entry.module))
    except (ImportError, ValueError, AttributeError):
        return False
    places = (found.submodule_search_locations or ()) if found is not None else ()
    try:
        return any((Path(place) / name.replace("-", "_")).is_dir() for place in places)
    except OSError:  # names of algorithms may be longer than those of folders
        return False


@cache
def packages(own: bool) -> frozenset[str]:
    """Outermost packages of the plugins that come with the harness, the harness itself among them, or of all others."""
    found = {top(entry.module) for entry in entry_points(GROUP) if is_own(entry) is own}
    return frozenset({*found, *HARNESS} if own else found - set(HARNESS))


def top(module: str) -> str:
    """The outermost package of a module."""
    return module.partition(".")[0]
