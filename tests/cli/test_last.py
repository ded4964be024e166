"""The record of the last check, shown again by the command that its screen proposes."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from .conftest import Invoke
from .plugins import Outcome

CHECK = ("check", "ucb1/reward", "--instance", "bandit-two", "--regime", "oracle", "--budget", "1s")


@pytest.fixture
def typed(invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> Invoke:
    """Run a command whose words a record can name."""

    def run(*words: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["verifier", *words])
        return invoke(*words)

    return run


def proposed(screen: str) -> list[str]:
    """Words of the last command of the line "Next"."""
    typed = " ".join(screen.partition("  Next ")[2].replace("\\\n", "").split())
    return shlex.split(typed.rpartition("verifier ")[1] + typed.rpartition("verifier ")[2])


def test_the_proposed_command_shows_the_last_record(typed: Invoke) -> None:
    checked = typed(*CHECK)
    words = proposed(checked.out)
    assert words == ["verifier", "report", "--last", "--table"]
    shown = typed(*words[1:])
    assert shown.code == 0
    assert "ucb1: nothing violated; 1 conforms." in shown.out
    assert typed("report", "--last").out == checked.out


def test_the_record_is_kept_where_the_store_is(typed: Invoke) -> None:
    words = proposed(typed(*CHECK, "--store", "my store").out)
    assert words == ["verifier", "report", "--last", "--store", "my store", "--table"]
    assert typed(*words[1:]).code == 0
    refused = typed("report", "--last")
    assert refused.code == 2
    assert "--last: no record is kept in" in refused.err


def test_without_a_store_the_check_is_to_be_run_again(typed: Invoke) -> None:
    assert "the same command with --table" in " ".join(typed(*CHECK, "--no-store").out.split())
    assert not Path(".verifier").exists()


def test_a_report_of_a_file_proposes_that_file(typed: Invoke) -> None:
    typed(*CHECK, "--no-store", "--output", "json=a record.json")
    words = proposed(typed("report", "a record.json").out)
    assert words == ["verifier", "report", "a record.json", "--table"]
    assert typed(*words[1:]).code == 0


def test_a_report_is_of_a_file_or_of_the_last_record(typed: Invoke) -> None:
    for words in (("report",), ("report", "a.json", "--last")):
        refused = typed(*words)
        assert refused.code == 2
        assert "either the file of a JSON record, or --last" in refused.err


def test_a_folder_that_cannot_be_written_costs_no_verdict(typed: Invoke) -> None:
    Path("last-record.json.gz").mkdir()  # where the file would be
    checked = typed(*CHECK, "--store", ".")
    assert checked.code == 0
    assert "nothing violated" in checked.out.lower()
