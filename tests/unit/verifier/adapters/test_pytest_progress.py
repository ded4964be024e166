"""What is seen of a campaign while it runs under pytest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from verifier.adapters.pytest_progress import EVERY, shown_by
from verifier.commands.progress import Step

STEP = Step(3, 8, 60.0, "mine on lock, oracle, trial 0")
FOUND = Step(4, 8, 60.0, "mine on lock, oracle, trial 1", ("mine/gram is violated \x1b[31m",))


class Reporter:
    """A terminal reporter of pytest that keeps what it is told."""

    def __init__(self, isatty: bool) -> None:
        self.isatty, self.lines = isatty, [""]

    def ensure_newline(self) -> None:
        self.lines += [""] * bool(self.lines[-1])

    def write_line(self, text: str) -> None:
        self.lines[-1:] = [text, ""]

    def rewrite(self, text: str, erase: bool) -> None:
        self.lines[-1] = text


def config(reporter: Reporter | None, verbosity: int = 0) -> Any:
    plugins = {"terminalreporter": reporter}
    return SimpleNamespace(get_verbosity=lambda: verbosity, pluginmanager=SimpleNamespace(get_plugin=plugins.get))


def test_on_a_terminal_a_line_is_written_over_and_violations_stay() -> None:
    reporter = Reporter(isatty=True)
    told = shown_by(config(reporter))
    told(STEP)
    assert reporter.lines == ["verifier: 3 of at most 8 trials; mine on lock, oracle, trial 0"]
    told(FOUND)
    assert reporter.lines[1:] == [
        r"✗ mine/gram is violated \x1b[31m",
        "verifier: 4 of at most 8 trials; mine on lock, oracle, trial 1",
    ]


def test_elsewhere_there_is_a_line_now_and_then_and_one_for_each_violation() -> None:
    reporter, times = Reporter(isatty=False), iter([0.0, 1.0, 2.0, EVERY, EVERY])
    told = shown_by(config(reporter), clock=lambda: next(times))
    told(STEP)
    assert reporter.lines == [""], "it has hardly begun"
    told(FOUND)
    assert reporter.lines == [r"✗ mine/gram is violated \x1b[31m", ""]
    told(STEP)
    assert reporter.lines[1:-1] == ["verifier: 3 of at most 8 trials; mine on lock, oracle, trial 0"]


def test_a_process_of_xdist_tells_violations_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    told = shown_by(config(None))
    told(STEP)
    told(FOUND)
    assert capsys.readouterr().err == "✗ mine/gram is violated \\x1b[31m\n"


def test_nothing_is_shown_where_nothing_is_wanted() -> None:
    reporter = Reporter(isatty=True)
    shown_by(config(reporter, verbosity=-2))(FOUND)
    shown_by(None)(FOUND)
    assert reporter.lines == [""]
