"""Entry points installed under the group of the plugins, read without an import."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import metadata

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


@cache
def packages(own: bool) -> frozenset[str]:
    """Outermost packages of the plugins that come with the harness, the harness itself among them, or of all others."""
    found = {top(entry.module) for entry in entry_points(GROUP) if is_own(entry) is own}
    return frozenset({*found, *HARNESS} if own else found - set(HARNESS))


def top(module: str) -> str:
    """The outermost package of a module."""
    return module.partition(".")[0]
