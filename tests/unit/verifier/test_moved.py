"""Names that have moved say where they are now."""

from __future__ import annotations

import importlib

import pytest


@pytest.mark.parametrize("module", ["verifier.settings", "verifier.settings.episodic"])
def test_the_former_place_of_the_settings_names_the_new_one(module: str) -> None:
    with pytest.raises(ImportError, match="from verifier_settings"):
        importlib.import_module(module)
