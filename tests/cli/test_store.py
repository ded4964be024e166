"""The store that cannot be used, the campaign that is interrupted or killed, and what does not depend on either."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from .plugins import QUICK, CommandLine, Outcome, algorithm

CAMPAIGN = ("ucblvd", "--instance", "onehot", "--instance", "one-*", "--budget", "5min")
SLOW = """
    def run(self, env):
        time.sleep(0.05)
        yield from super().run(env)
"""


def corrupt(store: Path) -> None:
    store.mkdir()
    (store / "results.sqlite3").write_bytes(b"no database" * 100)


def other_program(store: Path) -> None:
    store.mkdir()
    with sqlite3.connect(store / "results.sqlite3") as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    connection.close()


def newer(store: Path) -> None:
    store.mkdir()
    with sqlite3.connect(store / "results.sqlite3") as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def folder_in_place_of_the_file(store: Path) -> None:
    (store / "results.sqlite3").mkdir(parents=True)


FAULTS = {
    "a file": (lambda store: store.write_text(""), ["is not a directory"]),
    "below a file": (lambda store: store.parent.write_text(""), ["Not a directory"]),
    "corrupt": (corrupt, ["file is not a database", "move the file away"]),
    "other program": (other_program, ["is a database of another program"]),
    "newer": (newer, ["newer version of verifier", "format 99", "upgrade"]),
    "folder for a file": (folder_in_place_of_the_file, ["unable to open database file"]),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_store_that_cannot_be_used(fault: str, command: CommandLine) -> None:
    spoil, words = FAULTS[fault]
    store = command.folder / ("file/store" if fault == "below a file" else "store")
    spoil(store)
    outcome = command("check", "ucblvd", *QUICK, "--store", str(store))
    assert outcome.code == 2
    assert outcome.out == ""
    for word in [store.name, *words, "--store DIR", "--no-store"]:
        assert word in outcome.words
    without = command("check", "ucblvd", *QUICK, "--store", str(store), "--no-store")
    assert without.code == 0, without


@pytest.mark.full
def test_a_second_run_reuses_every_trial(command: CommandLine) -> None:
    first = command.check("ucblvd", *QUICK)
    again = command.check("ucblvd", *QUICK)
    assert (first.entry("ucblvd")["trials_reused"], again.entry("ucblvd")["trials_reused"]) == (0, 1)
    assert first.entry("ucblvd")["claims"] == again.entry("ucblvd")["claims"]
    other = command.check("ucblvd", *QUICK, "--seed", "1")
    assert other.entry("ucblvd")["trials_reused"] == 0
    assert other.entry("ucblvd")["claims"] != first.entry("ucblvd")["claims"]


@pytest.mark.full
def test_nothing_is_kept_or_reused_without_a_store(command: CommandLine) -> None:
    for _ in range(2):
        outcome = command.check("ucblvd", *QUICK, "--no-store")
        assert outcome.entry("ucblvd")["trials_reused"] == 0
    assert not (command.folder / ".verifier").exists()


@pytest.mark.full
def test_a_changed_plugin_is_run_again(command: CommandLine) -> None:
    command.install("mine", algorithm("mine", ""))
    assert command.check("mine", *QUICK).entry("mine")["trials_reused"] == 0
    assert command.check("mine", *QUICK).entry("mine")["trials_reused"] == 1
    module = command.site / "plugin_mine.py"
    module.write_text(module.read_text() + "\n# changed\n")
    assert command.check("mine", *QUICK).entry("mine")["trials_reused"] == 0


# Interrupted and killed --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    return CommandLine(tmp_path_factory.mktemp("uninterrupted")).check(*CAMPAIGN, "--jobs", "2")


def trials_kept(command: CommandLine) -> int:
    file = command.folder / ".verifier" / "results.sqlite3"
    if not file.exists():
        return 0
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=30)
    try:
        return int(connection.execute("SELECT count(*) FROM results").fetchone()[0])
    except sqlite3.OperationalError:  # the table is not there yet
        return 0
    finally:
        connection.close()


def wait_for_trials(command: CommandLine, process: subprocess.Popen[str], number: int) -> None:
    while trials_kept(command) < number:
        assert process.poll() is None, "the campaign ended before it could be interrupted"
        time.sleep(0.01)


def wait_for_the_start(command: CommandLine, process: subprocess.Popen[str]) -> None:
    """Until a trial of an agent that says so has begun."""
    while not (command.folder / "started").exists():
        assert process.poll() is None
        time.sleep(0.01)


def wait_for_the_end_of_all(group: int) -> None:
    """Until no process of the command is left; fails after 30 s."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError("worker processes outlive the command")


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("number", "further"), [(signal.SIGINT, ()), (signal.SIGTERM, ("--quiet",))])
def test_interrupting_keeps_the_finished_trials(command: CommandLine, number: signal.Signals, further: tuple[str, ...]) -> None:
    command.install("slow", algorithm("slow", SLOW))
    chosen = ("slow", "--claim", "optimism", "--regime", "oracle", "--instance", "onehot")
    with command.start("check", *chosen, *further, "--output", "json=cut.json") as process:
        wait_for_trials(command, process, 4)
        if number == signal.SIGINT:
            os.killpg(process.pid, number)  # what Ctrl-C in a terminal does: the workers get it too
        else:
            process.send_signal(number)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    words = " ".join(out.replace("\\\n", "").split())  # a command that is broken over lines
    if further:
        assert err == "verifier: interrupted; finished trials are kept, run the same command again to continue\n"
    else:
        assert re.match(
            r"\? slow .* unfinished, \d+ trials?, .* Unfinished: not all trials were run: interrupted\. Nothing violated", words
        )
        assert f"To continue verifier check {' '.join(chosen)} --output json=cut.json" in words
        assert err == "verifier: interrupted; finished trials are kept\n", "how to go on is said once"
    assert json.loads((command.folder / "cut.json").read_text())["exit_code"] == 130
    wait_for_the_end_of_all(process.pid)
    kept = trials_kept(command)
    assert 4 <= kept < 32
    again = command.check(*chosen)
    assert again.code == 0
    assert again.entry("slow")["trials_reused"] == kept
    assert again.entry("slow")["trials_finished"] == 32


@pytest.mark.full
def test_nothing_is_said_to_be_kept_where_nothing_is(command: CommandLine) -> None:
    command.install("slow", algorithm("slow", f"{SLOW}\n        open('started', 'w').close()"))
    with command.start("check", "slow", "--claim", "optimism", "--instance", "onehot", "--no-store") as process:
        wait_for_the_start(command, process)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == "verifier: interrupted\n"
    assert "are kept" not in out
    assert not (command.folder / ".verifier").exists()


@pytest.mark.full
def test_a_killed_campaign_goes_on_and_ends_as_if_nothing_had_happened(command: CommandLine, uninterrupted: Outcome) -> None:
    with command.start("check", *CAMPAIGN, "--jobs", "2") as process:
        wait_for_trials(command, process, 10)
        process.kill()
        process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    wait_for_the_end_of_all(process.pid)
    kept = trials_kept(command)
    outcome = command.check(*CAMPAIGN, "--jobs", "2")
    mine, theirs = outcome.entry("ucblvd"), uninterrupted.entry("ucblvd")
    assert outcome.code == uninterrupted.code == 0
    assert mine["trials_reused"] == kept >= 10
    assert theirs["trials_reused"] == 0
    assert mine["claims"] == theirs["claims"]
    assert mine["counts"] == theirs["counts"]
    assert mine["trials_finished"] == theirs["trials_finished"] > kept


def test_one_worker_finds_what_two_find(command: CommandLine, uninterrupted: Outcome) -> None:
    outcome = command.check(*CAMPAIGN, "--jobs", "1", "--no-store")
    assert outcome.record["profile"]["jobs"] == 1
    assert outcome.entry("ucblvd")["claims"] == uninterrupted.entry("ucblvd")["claims"]


@pytest.mark.full
def test_a_result_is_not_used_again_when_what_a_plugin_imports_or_reads_has_changed(command: CommandLine) -> None:
    """A bonus that has moved to a module of its own and reads a file: what is changed there must be found."""
    body = """
        def multiplier(self, public):
            import their_bonus
            return their_bonus.scaled(super().multiplier(public))
    """
    helper = "from pathlib import Path\ndef scaled(c):\n    return c + float((Path(__file__).parent / 'scale.txt').read_text())\n"
    (command.site / "their_bonus.py").write_text(helper)
    (command.site / "scale.txt").write_text("0")
    command.install("moved", algorithm("moved", body))
    outcomes = [command.check("moved", *QUICK), command.check("moved", *QUICK)]
    (command.site / "scale.txt").write_text("-100")
    outcomes.append(command.check("moved", *QUICK))
    (command.site / "their_bonus.py").write_text(helper.replace("c +", "c + 100 +"))
    outcomes.append(command.check("moved", *QUICK))
    assert [outcome.entry("moved")["trials_reused"] for outcome in outcomes] == [0, 1, 0, 0]
    assert [outcome.verdicts("moved")["optimism"] for outcome in outcomes] == ["conforms", "conforms", "violated", "conforms"]


@pytest.mark.full
def test_results_of_other_kernels_are_not_used_again(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def checked() -> tuple[int, str]:
        outcome = command.check("lifelong-lsvi", *QUICK)
        return outcome.entry("lifelong-lsvi")["trials_reused"], outcome.record["environment"]["BLAS kernels"]

    first, again = checked(), checked()
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    other = checked()
    if other[1] == first[1]:
        pytest.skip("the kernels of this linear algebra cannot be chosen")
    assert [reused for reused, _ in (first, again, other)] == [0, 1, 0]


TEN = 10


@pytest.mark.full
def test_ten_commands_at_once_do_not_touch_each_others_files(command: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """They share the folder, the store, the place for temporary files, and one report that all of them write."""
    temporary = command.folder / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    shared = ("--output", "json=shared.json", "--output", "markdown=shared.md", "--jobs", "1")
    outputs = [("--output", f"json={number}.json", *(("--blind",) if number % 5 == 0 else ())) for number in range(TEN)]
    commands = [command.start("check", "ucblvd", *QUICK, *shared, *own) for own in outputs]
    told = [(*each.communicate(timeout=240), each.returncode) for each in commands]
    assert [(err, code) for _, err, code in told] == [("", 0)] * TEN
    records = [json.loads((command.folder / name).read_text()) for name in ("shared.json", *(f"{n}.json" for n in range(TEN)))]
    claims = [record["algorithms"][0]["claims"] for record in records]
    assert claims == claims[:1] * len(claims)
    assert (command.folder / "shared.md").read_text().rstrip().splitlines()
    # A worker that is ended while Python looks for a place for temporary files leaves an empty file of eight letters.
    assert [path for path in temporary.iterdir() if path.is_dir() or path.stat().st_size or len(path.name) != 8] == []
    assert list(command.folder.glob(".verifier-*")) == []
    with closing(sqlite3.connect(command.folder / ".verifier" / "results.sqlite3")) as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.execute("SELECT count(*) FROM results").fetchone() == (2,), "one trial in each of two modes"


@pytest.mark.one_in(2)
@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupted_command_says_so_and_nothing_else(times: int, command: CommandLine) -> None:
    """An impatient second Ctrl-C included; neither the fork server nor what cleans up semaphores prints anything."""
    command.install("slow", algorithm("slow", f"{SLOW.replace('0.05', '0.5')}\n        open('started', 'w').close()"))
    with command.start("check", "slow", "--no-store", "--instance", "onehot", "--jobs", "2") as process:
        wait_for_the_start(command, process)
        for _ in range(times):
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.1)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "verifier: interrupted\n")


LOSES = (
    SLOW
    + """
        if os.path.exists({store!r}):
            os.unlink({store!r})
        open("started", "w").close()
"""
)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("further", [(), ("--quiet",)])
def test_nothing_is_said_to_be_kept_where_the_store_was_given_up(command: CommandLine, further: tuple[str, ...]) -> None:
    store = command.folder / ".verifier" / "results.sqlite3"
    command.install("loses", algorithm("loses", LOSES.format(store=str(store))))
    with command.start("check", "loses", "--claim", "optimism", "--instance", "onehot", *further) as process:
        wait_for_the_start(command, process)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "was deleted, moved or replaced while it was in use" in err
    assert "trials are kept" not in err
    assert err.endswith("verifier: interrupted\n")
