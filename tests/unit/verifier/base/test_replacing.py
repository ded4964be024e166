"""Files are replaced in one step, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from verifier.base import replacing


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    target, other = tmp_path / "report.json", tmp_path / "other.json"
    target.write_bytes(b"old")
    target.chmod(0o600)
    other.touch()
    replacing.replace(target, b"new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other.json", "report.json"]
    assert target.read_bytes() == b"new"
    assert target.stat().st_mode == other.stat().st_mode, "as files of this process are"


def test_what_cannot_be_replaced_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise PermissionError("refused")

    target = tmp_path / "report.json"
    target.write_bytes(b"old")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError, match="refused"):
        replacing.replace(target, b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("report.json", b"old")]


def test_trying_touches_nothing(tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    replacing.try_to_replace(target)
    assert list(tmp_path.iterdir()) == []
    target.write_bytes(b"of another command")
    replacing.try_to_replace(target)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("report.json", b"of another command")]
    for impossible in (tmp_path / "none" / "report.json", tmp_path / ("x" * 300), target / "inside"):
        with pytest.raises(OSError, match=r"."):
            replacing.try_to_replace(impossible)
