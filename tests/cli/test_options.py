"""Options, pyproject.toml and what goes to which stream."""

from __future__ import annotations

import os
import select
import subprocess
import sys

import jsonschema
import pytest

from verifier.record import schema

from .plugins import QUICK, CommandLine, algorithm

HEAVY = {"scipy", "cvxpy", "rich", "matplotlib", "hypothesis", "jsonschema", "jinja2", "pytest", "pebble", "tabulate"}


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("list",), ("check", "--help")], ids=" ".join)
def test_what_has_to_be_fast_imports_nothing_heavy(arguments: tuple[str, ...], command: CommandLine) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "verifier", *arguments],
        cwd=command.folder,
        env=command.environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    modules = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines() if "|" in line}
    assert "click" in modules, "importtime says what is imported"
    assert modules & HEAVY == set()


@pytest.mark.full
def test_strict(command: CommandLine) -> None:
    chosen = ("check", "ucblvd", "--claim", "confidence-event", "--regime", "published", "--instance", "long-run")
    relaxed = command(*chosen)
    assert relaxed.code == 0
    assert "? 0 of 1 1 undecided: " in relaxed.words
    strict = command(*chosen, "--strict", "--table")
    assert strict.code == 3
    assert "Exit 3." in strict.out
    assert strict.err == ""


def test_strict_asks_nothing_of_what_is_decided(command: CommandLine) -> None:
    assert command("check", "ucblvd", *QUICK, "--strict").code == 0


@pytest.mark.full
def test_a_violation_outweighs_everything(command: CommandLine) -> None:
    timid = "@classmethod\ndef multiplier(cls, public):\n    return 0.0"
    command.install("timid", algorithm("timid", timid))
    command.install("broken", "1 / 0")
    chosen = ("--claim", "optimism", "--regime", "oracle", "--instance", "onehot", "--strict")
    outcome = command.check("broken", "timid", "ucblvd", *chosen)
    assert outcome.code == 1
    assert outcome.verdicts("timid") == {"optimism": "violated"}
    assert outcome.verdicts("ucblvd") == {"optimism": "conforms"}


@pytest.mark.full
def test_records_of_failures_fit_the_schema(command: CommandLine) -> None:
    command.install("broken", "1 / 0")
    command.install("faulty", algorithm("faulty", "def run(self, env):\n    yield 1 / 0"))
    outcome = command.check("broken", "faulty", "ucblvd", *QUICK, "--output", "markdown=report.md")
    assert outcome.code == 4
    jsonschema.validate(outcome.record, schema())
    assert "ZeroDivisionError" in (command.folder / "report.md").read_text()
    again = command("report", "record.json")
    assert again.code == 0
    assert again.out == outcome.out


@pytest.mark.full
def test_pyproject_is_honoured_and_overridden(command: CommandLine) -> None:
    (command.folder / "pyproject.toml").write_text(
        '[tool.verifier]\nseed = 7\njobs = 1\nstrict = true\nstore = "kept"\noutput = ["markdown=report.md"]\n'
        'profile = "standard"\nbudget = "50s"\nerror-budget = 0.01\n'
    )
    (command.folder / "below").mkdir()
    outcome = command("check", "ucblvd", *QUICK, "--table")
    assert outcome.code == 0
    assert "profile standard · seed 7" in outcome.words
    assert (command.folder / "kept" / "results.sqlite3").exists()
    assert (command.folder / "report.md").exists()
    assert not (command.folder / ".verifier").exists()

    other = command.check("ucblvd", *QUICK, "--seed", "3", "--jobs", "2", "--no-strict", "--store", "mine", "--profile", "quick")
    assert other.record["seed"] == 3
    profile = other.record["profile"]
    assert (profile["name"], profile["jobs"], profile["strict"], profile["budget"]) == ("quick", 2, False, 50.0)
    assert other.entry("ucblvd")["ledger"]["budget"] == 0.01
    assert (command.folder / "mine" / "results.sqlite3").exists()


@pytest.mark.full
def test_a_budget_that_is_spent_at_once(command: CommandLine) -> None:
    outcome = command.check("ucblvd", "--instance", "onehot", "--regime", "oracle", "--budget", "0.000001s")
    entry = outcome.entry("ucblvd")
    assert entry["budget_exhausted"]
    assert entry["trials_finished"] <= 1
    assert outcome.code == 0
    assert command("check", "ucblvd", "--instance", "onehot", "--budget", "0.000001s", "--strict", "--no-store").code == 3


def test_nothing_but_the_report_is_printed_where_there_is_no_terminal(command: CommandLine) -> None:
    outcome = command("check", "ucblvd", *QUICK)
    assert outcome.err == ""
    assert "\x1b" not in outcome.out


@pytest.mark.full
def test_progress_is_shown_on_a_terminal(command: CommandLine) -> None:
    pty = pytest.importorskip("pty", reason="a terminal of our own needs a system with pseudo-terminals")
    reader, writer = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "verifier", "check", "ucblvd", "--claim", "optimism", "--instance", "onehot"],
        cwd=command.folder,
        env={**command.environment(), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=writer,
    )
    os.close(writer)
    shown = b""
    with process:
        while select.select([reader], [], [], 60)[0]:
            try:
                part = os.read(reader, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        assert process.stdout is not None
        report = process.stdout.read()
    os.close(reader)
    assert process.returncode == 0
    assert b"trials" in shown
    assert b"claims checked, none violated" in shown
    assert b"\x1b" not in report


def test_a_narrow_encoding_loses_symbols_and_not_the_report(command: CommandLine) -> None:
    env = {**command.environment(), "PYTHONIOENCODING": "latin-1"}
    call = [sys.executable, "-m", "verifier", "check", "ucblvd", *QUICK]
    done = subprocess.run(call, cwd=command.folder, env=env, capture_output=True, check=False)
    assert done.returncode == 0
    assert b"? ucblvd" in done.stdout
    assert done.stderr == b""


@pytest.mark.full
def test_a_failure_of_the_harness_is_no_violation(command: CommandLine) -> None:
    top = """
        class Odd:
            name, description = "odd", "cannot write"
            def render(self, record):
                raise LookupError("no words")
            def write(self, record, path):
                raise LookupError("no words")

        @hookimpl
        def verifier_report_writers():
            return [Odd()]
    """
    command.install("odd", algorithm("odd", "", top))
    outcome = command("check", "odd", *QUICK, "--output", "odd=report.odd")
    assert outcome.code == 4
    assert "internal error (LookupError: no words)" in outcome.words
    assert "Traceback" in outcome.err
