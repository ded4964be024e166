"""The source distribution and the wheel: built, looked into, and run in an empty environment."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest

from .fresh import NEEDS_INDEX, ROOT, Fresh

pytestmark = [*NEEDS_INDEX, pytest.mark.full]

PARTS = {"verifier": "verifier", "plugins": "", "properties": "", "reports": ""}
"""Folders whose files are packed, and under which name: plugins, properties and reports hold packages of the top level."""


def packed() -> set[str]:
    """Every file that the wheel has to have."""
    files = set()
    for part, name in PARTS.items():
        for file in (ROOT / part).rglob("*"):
            if file.is_file() and "__pycache__" not in file.parts:
                files.add((Path(name) / file.relative_to(ROOT / part)).as_posix())
    return files


def test_what_is_released_is_whole_and_works(tmp_path: Path) -> None:
    fresh = Fresh(tmp_path)
    fresh.shell("pip install --quiet build twine\npython -m build --quiet --outdir ../dist\ntwine check --strict ../dist/*")
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    (source,) = (tmp_path / "dist").glob("*.tar.gz")
    with zipfile.ZipFile(wheel) as opened:
        inside = {name for name in opened.namelist() if ".dist-info/" not in name}
        licences = [name for name in opened.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
    assert inside == packed()
    assert licences
    with tarfile.open(source) as opened:
        top = {Path(name).parts[1] for name in opened.getnames() if len(Path(name).parts) > 1}
    assert top >= {*PARTS, "docs", "examples", "tests", "CHANGELOG.md", "LICENSE", "pyproject.toml", "README.md"}
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    told = fresh.shell(
        f"pip install --quiet {wheel}\nverifier --version\nverifier check moss --budget 5s --jobs 1 --quiet", where=elsewhere
    )
    assert "moss" in told
