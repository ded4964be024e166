"""The registry in use: what the installed plugins provide, or what was put in its place.

Plugins are imported only as far as they are needed: code of a plugin that nobody has asked for is not run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar
from functools import cache

from verifier.plugins import distributions, entry_points
from verifier.plugins.loading import Installed
from verifier.plugins.provided import Broken, Registry

__all__ = [
    "Broken",
    "Registry",
    "forget",
    "installed",
    "prefer",
    "registry",
    "using",
    "with_ending",
    "with_formats",
    "with_setting",
    "with_settings",
]

_in_use: ContextVar[Registry | None] = ContextVar("registry in use", default=None)


def registry(*targets: str) -> Registry:
    """The registry in use: that of the installed plugins, or the one that `using` has put in its place.

    Parameters
    ----------
    *targets : str
        Names that will be looked up in it; all plugins are imported where there are none.
    """
    return _in_use.get() or installed(*targets)


def installed(*targets: str) -> Registry:
    """The registry of the installed plugins, each of which is imported once per process."""
    if not targets:
        return _installed().until(lambda: False)
    for target in targets:
        _installed().having(target)
    return _installed().found


def with_setting(name: str) -> Registry:
    """The registry in use, where a setting will be looked up."""
    return _in_use.get() or _installed().until(lambda: name in _installed().found.settings)


def with_settings() -> Registry:
    """The registry of the installed plugins, with the settings that come with the harness."""
    return _installed().until(lambda: bool(_installed().found.settings))


def with_formats(*names: str) -> Registry:
    """The registry of the installed plugins, where report writers will be looked up."""
    return _installed().until(lambda: set(names) <= _installed().found.writers.keys(), "reports")


def with_ending(ending: str) -> Registry:
    """The registry of the installed plugins, where a report writer for files that end like this will be looked up."""
    return _installed().until(lambda: ending in _installed().found.endings(), "reports")


def prefer(plugin: str) -> None:
    """Import this plugin before others, whatever is asked for; the parent process has looked for names that are there twice."""
    _installed().preferred = plugin


def forget() -> None:
    """Look for installed plugins again."""
    _installed.cache_clear()
    distributions.forget()
    entry_points.packages.cache_clear()


@cache
def _installed() -> Installed:
    return Installed()


@contextlib.contextmanager
def using(other: Registry) -> Iterator[None]:
    """Inside, `registry` returns another one: where algorithms are given as objects and not installed."""
    token = _in_use.set(other)
    try:
        yield
    finally:
        _in_use.reset(token)
