"""Properties stand with what they need: a group that serves several settings knows none of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_rooms import ROOT, imports

PROPERTIES = ROOT / "properties" / "verifier_properties"
SETTINGS = {path.name for path in (ROOT / "properties" / "verifier_settings").iterdir() if (path / "__init__.py").is_file()}
SHARED = {"any_setting", "episodes"}
"""Groups for several settings; every other group has the name of the one it is for."""


def strangers(file: Path, group: str) -> list[str]:
    """Settings and groups a file of a group imports that are neither its own nor shared."""
    found = []
    for module in imports(file):
        parts = module.split(".")
        setting = parts[1] if parts[0] == "verifier_settings" and len(parts) > 1 else ""
        other = parts[1] if parts[0] == "verifier_properties" and len(parts) > 1 else ""
        if (setting in SETTINGS and setting != group) or (other and other not in SHARED | {group}):
            found.append(f"{file.name} imports {module}")
        if group == "any_setting" and other == "episodes":
            found.append(f"{file.name} imports {module}")
    return found


@pytest.mark.parametrize("group", sorted(path.name for path in PROPERTIES.iterdir() if (path / "__init__.py").is_file()))
def test_a_group_knows_no_setting_but_its_own(group: str) -> None:
    assert group in SHARED | SETTINGS
    assert [where for file in sorted((PROPERTIES / group).glob("*.py")) for where in strangers(file, group)] == []


def test_a_stranger_is_found(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("from verifier_settings.lifelong import Run\nfrom verifier_properties.cvar import scaling\n")
    assert strangers(file, "episodes") == [
        "a.py imports verifier_settings.lifelong.Run",
        "a.py imports verifier_properties.cvar.scaling",
    ]
    assert strangers(file, "lifelong") == ["a.py imports verifier_properties.cvar.scaling"]
