"""The hooks a plugin may implement; entry-point group ``verifier``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pluggy

from verifier.model.hooks import PROJECT

if TYPE_CHECKING:
    from verifier.model.guarantees import Guarantees
    from verifier.model.setting import Setting

hookspec = pluggy.HookspecMarker(PROJECT)


@hookspec
def verifier_algorithms() -> Iterable[Guarantees]:
    """Return a `Guarantees` for each algorithm this plugin provides."""
    raise NotImplementedError


@hookspec
def verifier_settings() -> Iterable[Setting[Any, Any]]:
    """Return the settings (kinds of decision problems) this plugin provides."""
    raise NotImplementedError


@hookspec
def verifier_report_writers() -> Iterable[Any]:
    """Return report writers: objects with `name`, `render` and `write`; see `verifier.record.writer.Writer`."""
    raise NotImplementedError
