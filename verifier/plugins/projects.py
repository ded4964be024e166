"""Plugins used from the folder of their project, without being installed, and how to find them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_folders: dict[str, str] = {}


def project_of(plugin: str) -> str:
    """The folder that a plugin was opened from, as it was given; empty for one that is installed."""
    return _folders.get(plugin, "")


@contextmanager
def remembered(plugins: Iterable[str], folder: str) -> Iterator[None]:
    """Inside, these plugins are known to be from this folder."""
    new = dict.fromkeys(plugins, folder)
    _folders.update(new)
    try:
        yield
    finally:
        for plugin in new:
            _folders.pop(plugin, None)
