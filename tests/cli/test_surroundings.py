"""Surroundings that are not as they should be: closed streams, a working directory or a store that is gone, a locked store."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from .plugins import QUICK, CommandLine, Outcome, algorithm

TRIAL = ("ucblvd", *QUICK)
DELETES = """
    def run(self, env):
        for name in os.listdir({store!r}):
            os.unlink(os.path.join({store!r}, name))
        yield from super().run(env)
"""


def run_in_shell(command: CommandLine, script: str) -> subprocess.CompletedProcess[str]:
    """A line of a shell, in which VERIFIER is the command."""
    line = script.replace("VERIFIER", f"'{sys.executable}' -m verifier")
    return subprocess.run(
        ["sh", "-c", line],
        cwd=command.folder,
        env=command.environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.one_in(4)
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_are_no_error_and_no_file_takes_their_number(closed: str, command: CommandLine) -> None:
    done = run_in_shell(command, f"VERIFIER check {' '.join(TRIAL)} --output json=record.json {closed}")
    assert (done.returncode, done.stderr) == (0, "")
    again = command.check(*TRIAL, file="record.json")
    assert again.entry("ucblvd")["trials_reused"] == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a folder that is in use cannot be removed there")
@pytest.mark.parametrize("words", [f"check {' '.join(TRIAL)}", "replay ucblvd/optimism:one-step:oracle:0:0", "gate ucblvd"])
def test_a_working_directory_that_was_removed_is_told(words: str, command: CommandLine) -> None:
    done = run_in_shell(command, f"mkdir gone && cd gone && rmdir ../gone && VERIFIER {words}")
    assert done.returncode == 2, done
    assert "the working directory cannot be used (No such file or directory); change to one that exists" in done.stderr
    assert "Traceback" not in done.stderr


def require_goes_on(outcome: Outcome, name: str, *words: str) -> None:
    """One warning, and a record with all verdicts."""
    assert outcome.code == 0, outcome
    assert outcome.verdicts(name) == {"optimism": "conforms"}
    assert outcome.err.count("This run goes on without it") == 1, outcome.err
    for word in words:
        assert word in outcome.words


@pytest.mark.full
@pytest.mark.skipif(sys.platform == "win32", reason="a file that is open cannot be removed there")
def test_a_store_that_is_deleted_midway_is_told_and_the_run_goes_on(command: CommandLine) -> None:
    store = command.folder / "store"
    command.install("deletes", algorithm("deletes", DELETES.format(store=str(store))))
    outcome = command.check("deletes", *QUICK, "--store", str(store))
    require_goes_on(outcome, "deletes", str(store), "was deleted, moved or replaced while it was in use")


@pytest.mark.one_in(3)
@pytest.mark.parametrize("kind", ["EXCLUSIVE", "IMMEDIATE", "SHARED"])
def test_a_run_goes_on_without_a_store_that_another_process_locks(kind: str, command: CommandLine) -> None:
    (command.site / "sitecustomize.py").write_text("import verifier.trials.store as store\nstore.BUSY_SECONDS = 0.1\n")
    store = command.folder / "store"
    command.check(*TRIAL, "--store", str(store), "--seed", "1")
    with closing(sqlite3.connect(store / "results.sqlite3", isolation_level=None)) as other:
        if kind == "SHARED":  # of a store without a write-ahead log, as on network file systems
            other.execute("PRAGMA journal_mode = DELETE")
            other.execute("BEGIN")
            other.execute("SELECT count(*) FROM results").fetchone()
        else:
            other.execute(f"BEGIN {kind}")
        outcome = command.check(*TRIAL, "--store", str(store))
        other.execute("ROLLBACK")
    require_goes_on(outcome, "ucblvd", "locked")


def test_claims_are_listed_where_only_drawn_instances_were_asked_for_and_none_was_drawn(command: CommandLine) -> None:
    """Bounds have no size on an instance that does not exist."""
    outcome = command.check("ucbvi-ch", "ucrl-vtr", "--instance", "d*", "--budget", "0.001s", "--no-store")
    assert "Traceback" not in outcome.err, outcome.err
    assert outcome.code == outcome.record["exit_code"] == 3
    assert [entry["errors"] for entry in outcome.record["algorithms"]] == [[], []]
    assert set(outcome.verdicts("ucrl-vtr").values()) == {"inconclusive"}


@pytest.mark.parametrize("regime", ["oracle[x=y]", "oracle[minimiser=middle]", "scaled(0.5)[x=y]"])
def test_options_of_regimes_that_an_algorithm_does_not_know_are_refused(regime: str, command: CommandLine) -> None:
    outcome = command("replay", f"ucblvd/optimism:one-step:{regime}:0:0")
    assert outcome.code == 2
    assert (
        "which ucblvd does not know; its regimes are published, scaled(0.03), oracle, oracle[minimiser=farthest]" in outcome.words
    )
    assert "Traceback" not in outcome.err


DEEDS = pytest.mark.parametrize(
    ("deed", "told"),
    [
        ("raise TypeError('not sorted')", "TypeError: not sorted"),
        ("raise SystemExit(0)", "SystemExit"),
        ("while True: time.sleep(0.01)", "did not finish within 2 s"),
    ],
)
FAILS = """
import time
import verifier.campaign.campaign as campaign
real = campaign.algorithm_entry
def algorithm_entry(subject, *arguments):
    if subject.name == "lifelong-lsvi":
        {deed}
    return real(subject, *arguments)
campaign.algorithm_entry = algorithm_entry
import verifier.plugins.guard as guard
guard.SECONDS = 2.0
"""


@DEEDS
def test_results_of_one_algorithm_that_cannot_be_put_together_lose_no_others(command: CommandLine, deed: str, told: str) -> None:
    (command.folder / "run.py").write_text(FAILS.format(deed=deed) + "from verifier.__main__ import main\nmain()\n")
    chosen = f"check ucblvd lifelong-lsvi {' '.join(QUICK)} --output json=record.json"
    done = run_in_shell(command, f"{sys.executable} -c \"exec(open('run.py').read())\" {chosen}")
    assert done.returncode == 4, done
    record = json.loads((command.folder / "record.json").read_text())
    right, wrong = record["algorithms"]
    assert [claim["verdict"] for claim in right["claims"]] == ["conforms"]
    assert [error["kind"] for error in wrong["errors"]] == ["internal"]
    assert told in wrong["errors"][0]["message"]
    assert "Traceback" not in done.stderr


ENDS = """
import time
import verifier.commands.power as power
real = power.PowerCampaign.power_entry
def power_entry(campaign):
    if campaign.original.name == "lifelong-lsvi":
        {deed}
    return real(campaign)
power.PowerCampaign.power_entry = power_entry
import verifier.plugins.guard as guard
guard.SECONDS = 2.0
"""


@pytest.mark.full
@DEEDS
def test_results_of_planted_bugs_that_cannot_be_put_together_lose_no_others(command: CommandLine, deed: str, told: str) -> None:
    (command.folder / "run.py").write_text(ENDS.format(deed=deed) + "from verifier.__main__ import main\nmain()\n")
    chosen = "power ucblvd lifelong-lsvi --mutant worst-action --no-store --output json=record.json"
    done = run_in_shell(command, f"{sys.executable} -c \"exec(open('run.py').read())\" {chosen}")
    assert done.returncode == 4, done
    record = json.loads((command.folder / "record.json").read_text())
    right, wrong = record["algorithms"]
    assert [mutant["outcome"] for mutant in right["power"]["mutants"]] == ["killed"]
    assert [error["kind"] for error in wrong["errors"]] == ["internal"]
    assert told in wrong["errors"][0]["message"]
    assert "Traceback" not in done.stderr
