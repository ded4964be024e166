"""Plugins used from the folder of their project, without being installed, and how to find them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

_folders: dict[str, str] = {}


def project_of(plugin: str) -> str:
    """The folder that a plugin was opened from, as it was given; empty for one that is installed."""
    return _folders.get(plugin, "")


def as_target(folder: str) -> str:
    """A folder as it is typed among the targets of a command, so that it is taken for no name; empty where there is none."""
    return f"./{folder}" if folder and folder[0] not in "./" else folder


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
