from __future__ import annotations

import os
from pathlib import Path

import pytest

from verifier.errors import InternalError, UsageError
from verifier.report import Writer
from verifier_reports import verifier_report_writers
from verifier_reports.json_report import JsonWriter

from .sample import odd_records, sample

WRITERS = {writer.name: writer for writer in verifier_report_writers()}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_writes_what_it_renders_and_leaves_nothing_else(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_text("old")
    writer.write(sample().to_json(), path)
    assert "distillation-error" in path.read_text(encoding="utf-8")
    assert [found.name for found in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_hostile_text_can_be_written(writer: Writer, tmp_path: Path) -> None:
    writer.write(odd_records()["hostile text"].to_json(), tmp_path / "report")
    (tmp_path / "report").read_text(encoding="utf-8")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*nowhere/r\.json.*folder .*nowhere' does not exist; create it"):
        JsonWriter().write(sample().to_json(), tmp_path / "nowhere" / "r.json")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder; add a file name"):
        JsonWriter().write(sample().to_json(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="choose another path"):
        JsonWriter().write(sample().to_json(), tmp_path / "file" / "r.json")


def test_a_failed_rename_keeps_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    path.write_text("old")

    def refuse(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(UsageError, match="No space left on device"):
        JsonWriter().write(sample().to_json(), path)
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["r.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    JsonWriter().write(sample().to_json(), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text(encoding="utf-8") != "old"


def test_devices_are_written_to() -> None:
    JsonWriter().write(sample().to_json(), Path(os.devnull))
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), {1, 2}])
def test_what_strict_json_cannot_hold_is_refused(wrong: object) -> None:
    with pytest.raises(InternalError, match=r"Record\.to_json"):
        JsonWriter().render({"seconds": wrong})
