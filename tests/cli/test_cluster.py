"""What is typed about clusters and stores: messages and exit codes. The trials themselves are in the unit tests."""

from __future__ import annotations

import json
import re
import resource
import shutil
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from verifier.trials.cluster import connection
from verifier.trials.cluster.connection import connected
from verifier.trials.cluster.local import local

from .conftest import Invoke
from .plugins import QUICK, CommandLine, Outcome

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


BEGINNING = "        super().__init__(public, width, **options)\n"
TOO_LARGE = BEGINNING + "        self.kept = np.empty(2**33, np.uint8) if public.H == 1 else None\n"
"""8 GB, on the instance with one step."""


@pytest.mark.deep
def test_the_folder_of_a_project_and_workers_that_were_started_elsewhere(
    invoke: Invoke, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have a copy of it: equal, on a machine with less memory, changed, missing. One cluster: it takes seconds."""
    pytest.importorskip("distributed", reason="needs the extra distributed")
    invoke("new", "probe")
    source = Path("probe/src/probe/algorithm.py")
    source.write_text(source.read_text().replace(BEGINNING, TOO_LARGE))
    there = tmp_path / "elsewhere"
    shutil.copytree("probe", there)
    installed = there / "src" / "probe-0.1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: probe\nVersion: 0.1.0\n")
    (installed / "entry_points.txt").write_text("[verifier]\nprobe = probe.plugin\n")

    def check(instance: str, *words: str) -> Outcome:
        narrow = ("--claim", "optimism", "--regime", "oracle", "--instance", instance, "--memory", "20000")
        found = invoke("check", "./probe", *narrow, *words, "--output", "json=record.json")
        return replace(found, record=json.loads(Path("record.json").read_text()) if found.code != 2 else {})

    here = check("lock", "--jobs", "1", "--no-store")
    with ExitStack() as stack:
        with monkeypatch.context() as elsewhere:
            elsewhere.syspath_prepend(there / "src")
            address = stack.enter_context(local(1))
        limit = 6 * 2**30
        stack.enter_context(connected(address)).run(partial(resource.setrlimit, resource.RLIMIT_AS, (limit, limit)))  # ulimit -v
        on_cluster = ("--cluster", address)

        short = check("lock", "--instance", "one-step", *on_cluster)
        (mine,), (same, _) = (found.entry("probe")["claims"][0]["regimes"] for found in (here, short))
        assert mine == same
        assert (here.code, short.code) == (0, 4)
        assert "needed more memory than the 6144 MB that the system lets a process have (`ulimit -v`" in short.words
        assert short.entry("probe")["trials_finished"] == 2
        assert "results    1 of 1 trials" in invoke("store", "info").out, "what was finished is kept, and the other one is not"

        (there / "src" / "probe" / "algorithm.py").write_text("# another one\n" + source.read_text())
        assert "of the cluster differs: the source of probe is not the same there (its hash is" in check("lock", *on_cluster).err
        shutil.rmtree(installed)
        lacking = check("lock", *on_cluster)
        assert (lacking.code, lacking.out) == (2, "")
        assert re.search(r"worker tcp://127.0.0.1:\d+ of the cluster differs: probe is not installed there; ", lacking.err)
        assert "with `pip install -e FOLDER`" in lacking.err


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
