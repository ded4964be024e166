from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

from verifier.base.errors import InternalError, UsageError
from verifier.record.writer import Writer
from verifier_reports import verifier_report_writers
from verifier_reports.json_report import JsonWriter

from .sample import odd_records, record, sample
from .scalings import scaling_record

EVERY = {writer.name: writer for writer in verifier_report_writers()}
FIGURES = ("csv", "markdown+png", "markdown+svg", "pdf", "png", "svg")
WRITERS = {name: writer for name, writer in EVERY.items() if name not in FIGURES}


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_writes_what_it_renders_and_leaves_nothing_else(writer: Writer, tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_text("old")
    writer.write(sample(), path)
    assert "distillation-error" in path.read_text(encoding="utf-8")
    assert [found.name for found in tmp_path.iterdir()] == ["report"]


@pytest.mark.parametrize("writer", WRITERS.values(), ids=WRITERS)
def test_hostile_text_can_be_written(writer: Writer, tmp_path: Path) -> None:
    writer.write(odd_records()["hostile text"], tmp_path / "report")
    (tmp_path / "report").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FIGURES)
def test_figures_have_no_text_for_standard_output(name: str) -> None:
    with pytest.raises(UsageError, match="cannot go to standard output"):
        EVERY[name].render(sample())


@pytest.mark.parametrize("name", FIGURES)
def test_hostile_text_can_be_drawn(name: str, tmp_path: Path) -> None:
    EVERY[name].write(odd_records()["hostile text"], tmp_path / "report")


def test_a_folder_of_figures(tmp_path: Path) -> None:
    EVERY["png"].write(sample(), tmp_path / "figures")
    EVERY["png"].write(scaling_record(), tmp_path / "figures")
    found = sorted(path.name for path in (tmp_path / "figures").iterdir())
    assert found == [
        "captions.txt",
        "ucblvd-looseness.png",
        "ucblvd-scaling-easy-regret-published-corridor.png",
        "ucblvd-scaling-greedy-regret-published-lock.png",
        "ucblvd-scaling-planning-growth-published-onehot.png",
        "ucblvd-scaling-regret-growth-published-lock.png",
    ]
    assert all((tmp_path / "figures" / name).read_bytes().startswith(b"\x89PNG") for name in found[1:])


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_a_page_and_the_figures_it_shows(ending: str, tmp_path: Path) -> None:
    EVERY[f"markdown+{ending}"].write(scaling_record(), tmp_path / "my report.md")
    text = (tmp_path / "my report.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(shown) == 4
    assert {unquote(link) for link in shown} == {
        str(path.relative_to(tmp_path)) for path in (tmp_path / "my report-figures").iterdir()
    }


def test_a_record_without_figures_makes_no_folder(tmp_path: Path) -> None:
    EVERY["markdown+svg"].write(odd_records()["no algorithms"], tmp_path / "report.md")
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


def test_figures_do_not_replace_a_file(tmp_path: Path) -> None:
    (tmp_path / "figures").write_text("mine")
    with pytest.raises(UsageError, match="it is a file; choose another path"):
        EVERY["png"].write(sample(), tmp_path / "figures")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot write .*nowhere/r\.json.*folder .*nowhere' does not exist; create it"):
        JsonWriter().write(sample(), tmp_path / "nowhere" / "r.json")


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder; add a file name"):
        JsonWriter().write(sample(), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="choose another path"):
        JsonWriter().write(sample(), tmp_path / "file" / "r.json")


def test_a_failed_rename_keeps_the_old_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.json"
    path.write_text("old")

    def refuse(source: object, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(UsageError, match="No space left on device"):
        JsonWriter().write(sample(), path)
    assert path.read_text() == "old"
    assert [found.name for found in tmp_path.iterdir()] == ["r.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    JsonWriter().write(sample(), tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real.json").read_text(encoding="utf-8") != "old"


def test_devices_are_written_to() -> None:
    JsonWriter().write(sample(), Path(os.devnull))
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize("wrong", [{1, 2}, object(), b"x"])
def test_what_strict_json_cannot_hold_is_refused(wrong: object) -> None:
    with pytest.raises(InternalError, match="the record holds what JSON has no form for"):
        JsonWriter().render(record(environment={"wrong": wrong}))
