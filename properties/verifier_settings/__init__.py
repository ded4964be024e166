"""The built-in settings, found through the same entry point as anybody else's."""

from __future__ import annotations

from typing import Any

from verifier.model.hooks import hookimpl
from verifier.model.setting import Setting


@hookimpl
def verifier_settings() -> list[Setting[Any, Any]]:
    """The settings shipped with the suite."""
    from verifier_settings.built_in import SETTINGS

    return SETTINGS
