"""What users see, compared with the files in ``snapshots/`` (see tests/snapshots.py for how to renew them)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from verifier.cli.help import Context
from verifier.cli.main import main
from verifier.plugins.registry import forget

from ..snapshots import compare
from ..unit.reports.sample import diagnosed
from .conftest import Invoke

FOLDER = Path(__file__).parent / "snapshots"
SCREENS = {
    "help": ("--help",),
    "help-list": ("list", "--help"),
    "help-check": ("check", "--help"),
    "help-explain": ("explain", "--help"),
    "help-replay": ("replay", "--help"),
    "help-report": ("report", "--help"),
    "help-power": ("power", "--help"),
    "help-scale": ("scale", "--help"),
    "help-tight": ("tight", "--help"),
    "help-errata": ("errata", "--help"),
    "help-identify": ("identify", "--help"),
    "help-since": ("since", "--help"),
    "errata": ("errata", "lifelong", "--only", "potential-index"),
    "error-errata": ("errata", "lifelnog"),
    "list": ("list",),
    "explain-claim": ("explain", "ucblvd/optimism"),
    "explain-corrected": ("explain", "ucblvd/potential"),
    "explain-algorithm": ("explain", "lifelong-lsvi"),
    "explain-instance": ("explain", "lock"),
    "explain-word": ("explain", "vacuous"),
    "explain-proof": ("explain", "ucbvi-ch", "--proof"),
    "explain-proof-of-claim": ("explain", "lsvi-rfe/simulation-lemma", "--proof"),
    "explain-group": ("explain", "lifelong"),
    "error": ("check", "ucblv"),
    "error-replay": ("replay", "ucblvd/optimism"),
}


COMMANDS = ("  verifier ", "  git ", "  PYTHONPATH=", "  RLBERRY_RESEARCH=")
"""Beginnings of lines that are copied, and so are never broken."""


@pytest.fixture(autouse=True)
def without_rlberry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lists of what is installed are those without the extra, whether it is there or not."""
    monkeypatch.setattr("verifier_scool.find_spec", lambda name: None)
    forget()
    yield
    forget()


@pytest.mark.parametrize("name", SCREENS)
def test_screen(name: str, invoke: Invoke) -> None:
    outcome = invoke(*SCREENS[name])
    text = outcome.out + outcome.err
    assert all(len(line) <= 100 for line in outcome.out.splitlines())
    compare(FOLDER / f"{name}.txt", text)


def test_a_proof_fits_a_narrow_terminal(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but statements and sources is cut, and there are no colours to turn off."""
    wide = invoke("explain", "lsvi-rfe", "--proof").out
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    narrow = invoke("explain", "lsvi-rfe", "--proof").out
    assert max(map(len, narrow.splitlines())) == 60
    trees = [text.partition("\n\n")[2].splitlines() for text in (narrow, wide)]
    same, other = ([re.sub(r"^[│├└─ ]+| \(.*", "", line) for line in tree] for tree in trees)
    assert same == other
    compare(FOLDER / "explain-proof-narrow.txt", invoke("explain", "ucbvi-ch", "--proof").out)
    explained = (("explain", name) for name in ("ucblvd/optimism", "ucblvd~half-bonus", "lock", "lifelong", "vacuous"))
    for asked in (*explained, ("errata", "lifelong", "--only", "potential-index")):
        assert max(map(len, invoke(*asked).out.splitlines())) <= 60, asked
    assert "\x1b" not in narrow + wide


def test_a_proof_shows_the_verdicts_of_a_record(invoke: Invoke, tmp_path: Path) -> None:
    """Of its own algorithm, and says which claims were not looked at."""
    (tmp_path / "record.json").write_text(json.dumps(diagnosed().to_json()))
    shown = invoke("explain", "ucblvd", "--record", "record.json").out
    assert "optimism (Lemma 7, conforms, rests on value-formula)" in shown
    assert "q-formula (eq. (7), a line, not looked at)" in shown
    refused = invoke("explain", "ucbvi-bf", "--record", "record.json")
    assert refused.code == 2
    assert "the record has no claims of 'ucbvi-bf'" in refused.err


@pytest.mark.parametrize("name", sorted(main.commands))
def test_help_stands_alone(name: str, invoke: Invoke) -> None:
    outcome = invoke(name, "--help")
    assert outcome.code == 0
    assert outcome.out.startswith(f"Usage: verifier {name} ")
    assert len(outcome.out.splitlines()) > 5
    if name != "list":
        assert "Exit codes:" in outcome.out


@pytest.mark.parametrize("name", sorted(main.commands))
def test_help_fits_a_narrow_terminal_but_for_commands(name: str) -> None:
    command = main.commands[name]
    with Context(command, info_name=f"verifier {name}", terminal_width=60) as context:
        shown = command.get_help(context).splitlines()
    assert all(len(line) <= 60 or line.startswith(COMMANDS) for line in shown), max(shown, key=len)


def test_every_command_says_with_what_it_exits(invoke: Invoke) -> None:
    outcome = invoke("--help")
    for word in ["0 nothing violated", "1 a claim is violated", "130 interrupted"]:
        assert word in outcome.words
    for name in main.commands:
        assert f"\n  {name} " in outcome.out
