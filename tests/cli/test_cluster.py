"""What is typed about clusters and stores: messages and exit codes. The trials themselves are in the unit tests."""

from __future__ import annotations

import json

import pytest

from verifier.trials.cluster import connection

from .conftest import Invoke
from .plugins import QUICK, CommandLine

BAD = {
    "misspelt": (("check", "ucblvd", "--cluster", "tcp//127.0.0.1:1"), "cluster = 'tcp//127.0.0.1:1'; expected tcp://HOST:PORT"),
    "unreachable": (("scale", "ucblvd", "--cluster", "tcp://127.0.0.1:9"), "no scheduler answers there"),
    "no store": (("store", "info", "--store", "nowhere"), "there is no store in nowhere"),
    "no table": (("store", "export", "--output", "excel=a"), "is not understood; expected csv=PATH, csv=- or parquet=PATH"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_input_has_a_message_and_exit_code_2(fault: str, invoke: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "ANSWER_SECONDS", 0.3)
    words, told = BAD[fault]
    outcome = invoke(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert told in " ".join(outcome.err.split())


def test_a_store_is_shown_tidied_and_exported_and_a_record_is_read_compressed(invoke: Invoke) -> None:
    assert invoke("check", "ucblvd", *QUICK, "--jobs", "1", "--output", "json=a.json.gz", "--output", "json=a.json").code == 0
    shown = invoke("store", "info")
    assert "results    1 of 1 trials" in shown.out
    assert invoke("store", "prune").out.startswith("removed 0 results: 0 replaced by later ones, 0 damaged, 0 old; ")
    table = invoke("store", "export", "--output", "csv=-").out.splitlines()
    assert [line.partition(",")[0] for line in table] == ["algorithm", "ucblvd"]
    assert invoke("report", "a.json.gz").out == invoke("report", "a.json").out != ""


COMMANDS = {
    "blind": ("check", "ucblvd", *QUICK, "--blind"),
    "scale": ("scale", "ucblvd", "--claim", "planning-level", "--budget", "1h"),
    "power": ("power", "ucblvd", "--mutant", "gram-*", "--mutant", "garbage-zero", "--regime", "oracle", "--budget", "1h"),
}
ASIDE = ("started", "finished", "environment", "profile", "command", "seconds")


@pytest.mark.deep
@pytest.mark.parametrize("which", COMMANDS)
def test_commands_find_on_a_cluster_what_they_find_here(which: str, command: CommandLine) -> None:
    """To the byte. Of every run of the tests, one check in Python is compared, with the unit tests of clusters."""
    command.patience = 600.0
    found = []
    for place in (("--jobs", "2"), ("--cluster", "local:2")):
        outcome = command(*COMMANDS[which], *place, "--no-store", "--output", "json=record.json")
        record = json.loads((command.folder / "record.json").read_text())
        assert record["algorithms"], outcome
        found.append((outcome.code, json.dumps({name: value for name, value in record.items() if name not in ASIDE})))
    assert found[0] == found[1]
