"""Texts of plugins, of files and of what was typed: whatever they hold, a terminal shows it and does not act on it."""

from __future__ import annotations

import ast
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.reports.sample import sample
from verifier.base.plain import harmless
from verifier.trials.store import Store

from .conftest import Invoke
from .plugins import QUICK, CommandLine, algorithm

ROOT = Path(__file__).parents[2]
ATTACK = "\x1b]0;owned\x07\x1b[2J\x1b[8m\x9b31m\r\u202eevil"
HOSTILE = """
ATTACK = "ATTACK_TEXT"
print(ATTACK)
print(ATTACK, file=sys.stderr)
"""
BODY = """
    title = ATTACK
    paper = ATTACK

    def run(self, env):
        raise RuntimeError(ATTACK)
        yield
"""


@pytest.fixture
def attacked(command: CommandLine) -> CommandLine:
    """A command line beside a plugin that has the attack in every text it gives."""
    claims = "claims=tuple(replace(claim, statement=ATTACK, source=ATTACK, why=ATTACK) for claim in GIVEN.claims)"
    source = algorithm("mine", BODY, HOSTILE, declares=claims)
    command.install("mine", source.replace("ATTACK_TEXT", ATTACK.encode("unicode_escape").decode()))
    command.install("broken", f"raise ImportError({ATTACK!r})")
    return command


def on_a_terminal(command: CommandLine, *arguments: str) -> str:
    """All that a command writes to its terminal."""
    here, there = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "verifier", *arguments],
        cwd=command.folder, env=command.environment() | {"TERM": "xterm"}, stdin=there, stdout=there, stderr=there,
    ) as process:  # fmt: skip
        os.close(there)
        written = b""
        while True:
            try:
                part = os.read(here, 65536)
            except OSError:  # what Linux says when the other end is closed
                break
            if not part:
                break
            written += part
        process.wait(timeout=60)
    os.close(here)
    return written.decode("utf-8", "surrogateescape")


COMMANDS = {
    "list": ("list",),
    "explain": ("explain", "mine/optimism"),
    "replay": ("replay", "mine/optimism:one-step:oracle:0:0"),
    "check": ("check", "mine", *QUICK, "--no-store", "--verbose"),
    "a report as it is": ("report", "record.json", "--output", "json=-"),
    "a damaged row": ("replay", "mine/optimism:one-step:oracle:0:7", "--show", "--store", "damaged"),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_terminal_shows_and_does_not_act(name: str, attacked: CommandLine) -> None:
    record = sample().to_json()
    record["algorithms"][0]["title"] = record["command"][0] = ATTACK
    (attacked.folder / "record.json").write_text(json.dumps(record))
    damaged(attacked.folder / "damaged")
    text = on_a_terminal(attacked, *COMMANDS[name])
    for part in ("\x1b]0;", "\x1b[2J", "\x1b[8m", "\x9b", "\u202e", "\revil"):
        assert part not in text, text
    assert "evil" in text or name == "a damaged row", text


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", ATTACK),
        ("check", f"--{ATTACK}"),
        (f"--{ATTACK}",),
        (ATTACK,),
        ("explain", ATTACK),
        ("report", ATTACK),
        ("report", "record.json"),
        ("replay", f"{ATTACK}/optimism:one-step:oracle:0:0", "--show"),
    ],
)
def test_what_was_typed_and_what_was_stored_is_shown(arguments: tuple[str, ...], invoke: Invoke, tmp_path: Path) -> None:
    record = sample().to_json()
    record["algorithms"][0]["title"] = ATTACK
    (tmp_path / "record.json").write_text(json.dumps(record))
    outcome = invoke(*arguments)
    for character in "\x1b\x07\x9b\r\u202e":
        assert character not in outcome.out + outcome.err
    assert "evil" in outcome.out + outcome.err


def damaged(folder: Path) -> None:
    """A store with a row whose key is the attack."""
    with Store(folder) as store:
        values = (ATTACK, "mine", "one-step", "oracle", 0, "7", "now", "{}", "odd", "")
        store._connection.execute("INSERT INTO results VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)


def test_a_report_for_a_program_is_as_it_was_rendered(attacked: CommandLine) -> None:
    record = sample().to_json()
    record["algorithms"][0]["title"] = ATTACK
    (attacked.folder / "record.json").write_text(json.dumps(record))
    outcome = attacked("report", "record.json", "--output", "json=-")
    assert json.loads(outcome.out)["algorithms"][0]["title"] == ATTACK


def test_everything_is_printed_in_one_place() -> None:
    prints = {"click.echo", "click.secho", "print", "sys.stdout.write", "sys.stderr.write"}
    found = []
    for file in sorted((ROOT / "verifier").rglob("*.py")):
        calls = (node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
        if prints & {ast.unparse(node.func) for node in calls}:
            found.append(str(file.relative_to(ROOT / "verifier")))
    answers = {"commands/gate/repeat.py", "trials/cluster/local.py"}  # a process that reads them
    leaves, pytest_shows = "base/leaving.py", "adapters/pytest_progress.py"  # at the last; through pytest
    allowed = {"cli/output.py", *answers, leaves, pytest_shows}
    assert set(found) - allowed == set()


def test_what_is_shown_in_place_of_what_acts() -> None:
    assert harmless("a\x1b[31mb\x9b\r\u202e\u2028\ud800\x7f\0") == r"a\x1b[31mb\x9b\r\u202e\u2028\ud800\x7f\x00"
    kept = "α ≤ 漢 é e\u0301 👩‍👧\n\tline"
    assert harmless(kept) == kept
