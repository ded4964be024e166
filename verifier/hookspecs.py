"""The hooks a plugin may implement; entry-point group ``verifier``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from verifier.algorithm import Algorithm
    from verifier.setting import Setting

PROJECT = "verifier"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def verifier_algorithms() -> Iterable[type[Algorithm]]:
    """Return the algorithm classes this plugin provides."""
    raise NotImplementedError


@hookspec
def verifier_settings() -> Iterable[Setting[Any, Any]]:
    """Return the settings (families of decision problems) this plugin provides."""
    raise NotImplementedError


@hookspec
def verifier_report_writers() -> Iterable[Any]:
    """Return report writers: objects with `name`, `render` and `write`; see `verifier.report.Writer`."""
    raise NotImplementedError
