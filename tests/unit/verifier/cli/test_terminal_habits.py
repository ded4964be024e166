"""What the command line takes from the terminal: its width, whether colours are wanted, whether a line may change."""

from __future__ import annotations

import math
import sys

import click
import pytest

from verifier.base.errors import UsageError
from verifier.cli.console import coloured, columns, detail_of
from verifier.cli.progress import line, progress_line
from verifier.commands.progress import Step

FOUND = "mine/optimism is violated on lock, oracle: verifier replay mine/optimism:lock:oracle:0:0"


@pytest.mark.parametrize(("given", "width"), [("40", 60), ("60", 60), ("72", 72), ("200", 100)])
def test_reports_are_as_wide_as_the_terminal_within_limits(given: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", given)
    assert columns() == width


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
    ids=["usual", "NO_COLOR", "NO_COLOR empty", "dumb"],
)
def test_colours_are_for_terminals_that_want_them(
    environment: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert not coloured(), "no terminal"
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert coloured() == wanted


def test_a_plain_terminal_is_told_violations_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_line() as told:
        told(Step(1, 9, 20.0, "mine on lock, oracle, trial 0"))
        told(Step(2, 9, 19.0, "", (FOUND,)))
    assert capsys.readouterr().err == f"✗ {FOUND}\n"
    with progress_line(quiet=True) as told:
        told(Step(2, 9, 19.0, "", (FOUND,)))
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_what_is_running_and_each_violation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_line() as told:
        told(Step(1, 9, 20.0, "mine on lock, oracle, trial 0", (FOUND,)))
    shown = click.unstyle(capsys.readouterr().err)
    assert "mine on lock, oracle" in shown
    assert FOUND in shown


@pytest.mark.parametrize(
    ("step", "shown"),
    [
        (Step(1, 9, 20.4, "mine on lock, oracle, trial 0"), "mine on lock, oracle; 1 trial, budget left 20 s"),
        (Step(3, 9, 20.0, "", (), 4, 0, 7), "4 of 7 claims checked, none violated; 3 trials, budget left 20 s"),
        (Step(3, 9, math.inf, "mine on lock", (), 5, 2, 7), "5 of 7 claims checked, 2 violated; mine on lock; 3 trials"),
    ],
)
def test_what_was_found_so_far_comes_first_in_the_line(step: Step, shown: str) -> None:
    assert line(step) == shown


def test_one_way_to_show_a_report_at_a_time() -> None:
    assert detail_of({}, "first") == "first"
    assert detail_of({"table": True, "quiet": False}, "first") == "table"
    with pytest.raises(UsageError, match="--quiet and --verbose exclude each other"):
        detail_of({"quiet": True, "verbose": True}, "first")
